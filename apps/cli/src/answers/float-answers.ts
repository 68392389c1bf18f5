import type { FloatMovementView } from '@vuka/admin';
import { oneLine, type Paint } from '@vuka/terminal';

import type { Admin } from '../admin-client.js';
import { CALL } from '../commands/help.js';
import type { MoneyCommand } from '../commands/money-words.js';
import { moneyText, relativeText } from '../pages/text-values.js';
import { stepLines } from '../pages/trouble-lines.js';
import { type Answer, refusal } from './answer.js';

type FloatCommand = Extract<
  MoneyCommand,
  { name: 'float-move' | 'float-movements' | 'float-approve' | 'float-withdraw' }
>;

const MOST_SHOWN = 200;

export async function aboutFloats(command: FloatCommand, admin: Admin): Promise<Answer> {
  switch (command.name) {
    case 'float-move': {
      const { name: _, ...proposal } = command;
      const proposed = await admin.payments.proposeFloatMovement(proposal);
      if (!proposed.ok) return refusal(proposed.error);
      const next = [
        `${CALL} float-approve ${String(proposed.value.id)} --reason "<what you have seen>" --by "<a second person>"`,
      ];
      return {
        code: 0,
        json: { movement: proposed.value, next },
        text: (paint, now) =>
          [
            `${paint.green('✓')} Proposed. ${paint.bold('Nothing is posted yet')}: somebody else looks at what proves it and approves.`,
            ...[...movementLines(proposed.value, now, paint), ...stepLines(next, paint)].map((line) => `  ${line}`),
          ].join('\n'),
      };
    }
    case 'float-approve':
      return decided('Posted.', await admin.payments.approveFloatMovement(wordOf(command)));
    case 'float-withdraw':
      return decided('Withdrawn. Nothing was posted.', await admin.payments.withdrawFloatMovement(wordOf(command)));
    case 'float-movements':
      return movements(command, admin);
  }
}

type Word = { readonly movementId: number; readonly by: string; readonly reason: string };

function wordOf({ movementId, by, reason }: Word): Word {
  return { movementId, by, reason };
}

function decided(what: string, done: Awaited<ReturnType<Admin['payments']['approveFloatMovement']>>): Answer {
  if (!done.ok) return refusal(done.error);
  return {
    code: 0,
    json: { movement: done.value },
    text: (paint, now) =>
      [`${paint.green('✓')} ${what}`, ...movementLines(done.value, now, paint).map((line) => `  ${line}`)].join('\n'),
  };
}

async function movements(
  { open, before }: Extract<FloatCommand, { name: 'float-movements' }>,
  admin: Admin,
): Promise<Answer> {
  const found = await admin.payments.floatMovements({
    limit: MOST_SHOWN + 1,
    ...(open && { open }),
    ...(before !== null && { before }),
  });
  const [rows, more] = [found.slice(0, MOST_SHOWN), found.length > MOST_SHOWN];
  const next = more ? [`${CALL} float-movements${open ? ' --open' : ''} --before ${String(rows.at(-1)?.id ?? 0)}`] : [];
  return {
    code: 0,
    json: { movements: rows, more },
    text: (paint, now) =>
      rows.length === 0
        ? 'None.'
        : [...rows.flatMap((row) => movementLines(row, now, paint)), ...stepLines(next, paint)].join('\n'),
  };
}

function movementLines(one: FloatMovementView, now: Date, paint: Paint): string[] {
  const place = one.provider === null ? '' : `, ${oneLine(one.provider)} ${oneLine(one.wallet ?? '')}`;
  const tokens = one.tokens === null ? '' : ` for ${oneLine(one.tokens.amount)} ${oneLine(one.tokens.currency)}`;
  const state = {
    approved: paint.green(
      `approved by ${oneLine(one.approved_by ?? '?')}, ${relativeText(one.approved_at ?? '', now)}`,
    ),
    withdrawn: paint.dim(
      `withdrawn by ${oneLine(one.withdrawn_by ?? '?')}, ${relativeText(one.withdrawn_at ?? '', now)}`,
    ),
    proposed: paint.yellow('waits for a second person'),
  }[one.state];
  return [
    `movement ${String(one.id)}  ${paint.bold(`${one.kind} ${moneyText(one.amount)}`)}${tokens}${place}, proposed by ${oneLine(one.proposed_by)}, ${relativeText(one.proposed_at, now)}`,
    `  ${oneLine(one.evidence)}`,
    `  ${state}`,
  ];
}
