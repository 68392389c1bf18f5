import type { MemberState, MemberView } from '@vuka/local-servers';
import { type Paint, textTable } from '@vuka/terminal';

import { CALL } from './stack-banner.js';
import type { StackStatus } from './stack-view.js';

const MIB = 1_048_576;
const STATE_PAINT: Readonly<Record<MemberState, 'green' | 'yellow' | 'red'>> = {
  ready: 'green',
  elsewhere: 'green',
  starting: 'yellow',
  waiting: 'yellow',
  'not ready': 'red',
  stopped: 'red',
  gone: 'red',
};

export function statusPage(status: StackStatus, paint: Paint, now: Date): string {
  const { supervisor, members, gateways, folder } = status;
  if (supervisor === null) return downPage(status, paint);
  const rows = members.map((member) => [
    member.name,
    paint[STATE_PAINT[member.state]](member.state),
    member.pid === null ? '' : String(member.pid),
    portsText(member),
    member.restarts === 0 ? '' : String(member.restarts),
    memoryText(member.memoryBytes),
    member.detail,
  ]);
  const total = members.reduce((sum, { memoryBytes }) => sum + (memoryBytes ?? 0), 0);
  return [
    `${paint.bold(gateways.join('  ') || '(no API yet)')}   ${folder}   up ${durationText(now.getTime() - Date.parse(supervisor.since))}, ${memoryText(total)}`,
    '',
    ...textTable(
      [
        { title: 'process' },
        { title: 'state' },
        { title: 'pid', align: 'right' },
        { title: 'ports' },
        { title: 'restarts', align: 'right' },
        { title: 'memory', align: 'right' },
        { title: '', atMost: 70 },
      ],
      rows,
      paint,
    ),
    '',
    conclusion(members, paint),
  ].join('\n');
}

function downPage({ folder, members }: StackStatus, paint: Paint): string {
  const left =
    members.length === 0
      ? ''
      : ` Its supervisor is gone and left ${members.map(({ name, pid }) => `${name} (${String(pid)})`).join(', ')}.`;
  return `${paint.red('✗')} The stack in ${folder} does not run.${left}\n  ${members.length === 0 ? 'npm run stack' : `${CALL} stop ends them; npm run stack starts the stack again`}`;
}

function conclusion(members: readonly MemberView[], paint: Paint): string {
  const [first, ...more] = members.filter(({ state }) => state !== 'ready' && state !== 'elsewhere');
  if (first === undefined) return `${paint.green('✓')} Everything runs.`;
  const others = more.length === 0 ? '' : ` and ${more.length} more`;
  const next = first.state === 'stopped' ? `${CALL} start ${first.name}` : `${CALL} logs ${first.name}`;
  return `${paint.red('✗')} ${first.name}${others}: ${first.state}\n  ${next}`;
}

function portsText({ ports }: MemberView): string {
  const entries = Object.entries(ports);
  return entries.length === 1 ? String(entries[0]?.[1]) : entries.map(([use, port]) => `${use} ${port}`).join(', ');
}

function memoryText(bytes: number | null): string {
  return bytes === null ? '' : `${Math.round(bytes / MIB)} MB`;
}

export function durationText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
