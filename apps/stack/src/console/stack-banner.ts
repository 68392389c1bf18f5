import type { SandboxDirectory } from '@vuka/data-folder';
import { type ExampleDeposit, exampleLines } from '@vuka/sandbox';

import type { StackStatus } from './stack-view.js';

export const CALL = 'npm run stack --';

export interface StackBannerFacts {
  readonly status: StackStatus;
  readonly directory: SandboxDirectory;
  readonly sandboxFile: string;
  readonly readyAfterMs: number;
  readonly exampleReference: string;
  readonly deposit: ExampleDeposit | undefined;
}

const NEXT: readonly (readonly [command: string, what: string])[] = [
  [`${CALL} status`, 'shows what runs, on which ports, and since when'],
  [`${CALL} logs payments --follow`, 'follows the log of a service'],
  [`${CALL} kill payments`, 'kills it (kill -9); the supervisor starts it again'],
  [`${CALL} scale payments 2`, 'runs two instances'],
  ['npm run demo -- --stack', 'a tour that checks every promise'],
  [`${CALL} stop`, 'stops everything; the data stays in its folder'],
];
const NEXT_WIDTH = Math.max(...NEXT.map(([command]) => command.length));

export function stackBanner({
  status,
  directory,
  sandboxFile,
  readyAfterMs,
  exampleReference,
  deposit,
}: StackBannerFacts): string {
  const [baseUrl = '', ...others] = status.gateways;
  const counts = { service: 0, provider: 0, server: 0 };
  for (const { kind } of status.members) counts[kind] += 1;
  return [
    '',
    `Vuka is ready: ${baseUrl}   (distributed sandbox, after ${(readyAfterMs / 1000).toFixed(1)} s)`,
    ...(others.length === 0 ? [] : [`  and        ${others.join(', ')}`]),
    `  interface  ${baseUrl}/docs`,
    `  health     ${baseUrl}/health/ready`,
    `  processes  ${counts.service} services and ${counts.provider} sandbox providers, on ${serversLine(status)}`,
    `  data       ${status.folder} (logs/ has one log for each)`,
    `  keys       ${sandboxFile} (two partners, wallets filled)`,
    ...exampleLines({ baseUrl, directory, reference: exampleReference, dataDir: status.folder, deposit }),
    '',
    'Next:',
    ...NEXT.map(([command, what]) => `  ${command.padEnd(NEXT_WIDTH)}  ${what}`),
    '',
  ].join('\n');
}

function serversLine({ members }: StackStatus): string {
  const titles: Readonly<Record<string, string>> = { postgres: 'PostgreSQL', kafka: 'Kafka', redis: 'Redis' };
  const chains = members.filter(({ name }) => name.startsWith('chain-')).length;
  const servers = members
    .filter(({ name, kind }) => kind === 'server' && !name.startsWith('chain-'))
    .map(
      ({ name, ports, state }) =>
        `${titles[name] ?? name} :${Object.values(ports)[0] ?? '?'}${state === 'elsewhere' ? ' (not ours)' : ''}`,
    );
  return [...servers, ...(chains === 0 ? [] : [`${chains} chains`])].join(', ');
}
