import type { AdjustmentView, FloatMovementView, FreezeView } from '@vuka/admin';
import { oneLine, type Paint, textTable } from '@vuka/terminal';

import { actsPage, olderActs } from '../pages/audit-page.js';
import { refusal, type Answer } from './answer.js';
import { CALL } from '../commands/help.js';
import { whenCarriedOn, type Admin } from '../admin-client.js';
import type { MoneyCommand } from '../commands/money-words.js';
import { namedPartner, withPartner } from './named-partner.js';
import { nextSteps } from '../pages/next-step.js';
import { statement } from './statement/statement-answer.js';
import { moneyText, relativeText } from '../pages/text-values.js';
import { incidentLines, stepLines } from '../pages/trouble-lines.js';

const MOST_SHOWN = 200;

export async function aboutMoney(command: MoneyCommand, admin: Admin): Promise<Answer> {
  switch (command.name) {
    case 'fund':
    case 'debit':
      return propose(command, admin);
    case 'adjustments':
      return adjustments(command, admin);
    case 'approve-adjustment':
    case 'withdraw-adjustment':
      return decide(command, admin);
    case 'freeze':
    case 'unfreeze':
      return freeze(command, admin);
    case 'freezes': {
      const found = await admin.payments.freezes({
        limit: MOST_SHOWN + 1,
        ...(command.partnerId !== null && { partnerId: command.partnerId }),
      });
      const [freezes, more] = [found.slice(0, MOST_SHOWN), found.length > MOST_SHOWN];
      const end = more ? ['There are older ones: use --partner to see fewer.'] : [];
      return {
        code: 0,
        json: { freezes, more },
        text: (paint, now) =>
          freezes.length === 0
            ? 'No partner was ever frozen by a person.'
            : [...freezes.flatMap((one) => freezeLines(one, now, paint)), ...end].join('\n'),
      };
    }
    case 'float-move':
    case 'float-movements':
    case 'float-approve':
    case 'float-withdraw':
      return aboutFloats(command, admin);
    case 'incidents':
      return incidents(command, admin);
    case 'statement':
      return statement(command, admin);
    case 'acts': {
      const { name: _, ...wanted } = command;
      const page = await admin.views.acts(wanted);
      const [{ acts }, next] = [page, olderActs(page, wanted)];
      return { code: 0, json: { acts, more: next.length > 0, next }, text: (paint) => actsPage(acts, next, paint) };
    }
  }
}

async function propose(
  { name: direction, partner, currency, amount, by, reason }: Extract<MoneyCommand, { name: 'fund' | 'debit' }>,
  admin: Admin,
): Promise<Answer> {
  // payments does not know partners: gateway says whose wallet it is.
  return withPartner(partner, admin, async (one) => {
    const proposed = await admin.payments.proposeAdjustment({
      partnerId: one.partner_id,
      currency,
      direction,
      amount,
      by,
      reason,
    });
    if (!proposed.ok) return refusal(proposed.error);
    const { value } = proposed;
    const next = [
      `${CALL} approve-adjustment ${String(value.id)} --reason "<what you have seen>" --by "<a second person>"`,
    ];
    return {
      code: 0,
      json: { adjustment: value, next },
      text: (paint, now) =>
        [
          `${paint.green('✓')} Proposed for ${namedPartner(one)}. ${paint.bold('No money has moved yet')}: a second person must check the evidence and approve.`,
          ...adjustmentLines(value, now, paint).map((line) => `  ${line}`),
          ...stepLines(next, paint).map((line) => `  ${line}`),
        ].join('\n'),
    };
  });
}

async function decide(
  { name, adjustmentId, by, reason }: Extract<MoneyCommand, { name: 'approve-adjustment' | 'withdraw-adjustment' }>,
  admin: Admin,
): Promise<Answer> {
  const isApproval = name === 'approve-adjustment';
  const done = await (isApproval
    ? admin.payments.approveAdjustment({ adjustmentId, by, reason })
    : admin.payments.withdrawAdjustment({ adjustmentId, by, reason }));
  if (!done.ok) return refusal(done.error);
  const what = isApproval
    ? `Approved: the wallet of partner ${String(done.value.partner_id)} is ${done.value.direction === 'fund' ? 'funded' : 'debited'}.`
    : 'Withdrawn. Nothing has moved.';
  return {
    code: 0,
    json: { adjustment: done.value },
    text: (paint, now) =>
      [`${paint.green('✓')} ${what}`, ...adjustmentLines(done.value, now, paint).map((line) => `  ${line}`)].join('\n'),
  };
}

async function adjustments(
  { partnerId, open, before }: Extract<MoneyCommand, { name: 'adjustments' }>,
  admin: Admin,
): Promise<Answer> {
  const found = await admin.payments.adjustments({
    limit: MOST_SHOWN + 1,
    ...(partnerId !== null && { partnerId }),
    ...(open && { open }),
    ...(before !== null && { before }),
  });
  const [rows, more] = [found.slice(0, MOST_SHOWN), found.length > MOST_SHOWN];
  const next = more
    ? [
        `${CALL} adjustments${partnerId === null ? '' : ` --partner ${String(partnerId)}`}${open ? ' --open' : ''} --before ${String(rows.at(-1)?.id ?? 0)}`,
      ]
    : [];
  return {
    code: 0,
    json: { adjustments: rows, more },
    text: (paint, now) =>
      rows.length === 0
        ? 'None.'
        : [...rows.flatMap((row) => adjustmentLines(row, now, paint)), ...stepLines(next, paint)].join('\n'),
  };
}

async function freeze(
  { name, partner, by, reason }: Extract<MoneyCommand, { name: 'freeze' | 'unfreeze' }>,
  admin: Admin,
): Promise<Answer> {
  return withPartner(partner, admin, async (one) => {
    const isStop = name === 'freeze';
    const act = { partnerId: one.partner_id, by, reason };
    const done = await (isStop ? admin.payments.freeze(act) : admin.payments.unfreeze(act));
    if (!done.ok) return refusal(done.error);
    const what = isStop
      ? 'is frozen: none of its payouts starts from now on'
      : `is no longer frozen by people: what waited is checked again ${whenCarriedOn(admin)}`;
    return {
      code: 0,
      json: { freeze: done.value },
      text: (paint) => `${paint.green('✓')} Partner ${paint.bold(namedPartner(one))} ${what}.`,
    };
  });
}

async function incidents(
  { partnerId, before }: Extract<MoneyCommand, { name: 'incidents' }>,
  admin: Admin,
): Promise<Answer> {
  const found = await admin.payments.incidents({
    limit: MOST_SHOWN + 1,
    ...(partnerId !== null && { partnerId }),
    ...(before !== null && { before }),
  });
  const more = found.length > MOST_SHOWN;
  const rows = found.slice(0, MOST_SHOWN).map((incident) => ({ ...incident, next: nextSteps.incidents(incident) }));
  const older = more
    ? [
        `${CALL} incidents${partnerId === null ? '' : ` --partner ${String(partnerId)}`} --before ${String(rows.at(-1)?.id ?? 0)}`,
      ]
    : [];
  const lines = (paint: Paint, now: Date): string[] =>
    rows.flatMap((row) => [
      `${row.transaction_code}  partner ${String(row.partner_id)}`,
      ...[...incidentLines(row, now, paint), ...stepLines(row.next, paint)].map((line) => `  ${line}`),
    ]);
  return {
    code: 0,
    json: { incidents: rows, more },
    text: (paint, now) =>
      rows.length === 0
        ? paint.green('No incident is open.')
        : [...lines(paint, now), ...stepLines(older, paint)].join('\n'),
  };
}

function adjustmentLines(one: AdjustmentView, now: Date, paint: Paint): string[] {
  const state =
    one.state === 'approved'
      ? paint.green(`approved by ${oneLine(one.approved_by ?? '?')}, ${relativeText(one.approved_at ?? '', now)}`)
      : one.state === 'withdrawn'
        ? paint.dim(`withdrawn by ${oneLine(one.withdrawn_by ?? '?')}, ${relativeText(one.withdrawn_at ?? '', now)}`)
        : paint.yellow('waits for a second person');
  return [
    `adjustment ${String(one.id)}  ${paint.bold(`${one.direction} ${moneyText(one.amount)}`)}, partner ${String(one.partner_id)}, proposed by ${oneLine(one.proposed_by)}, ${relativeText(one.proposed_at, now)}`,
    `  ${oneLine(one.reason)}`,
    `  ${state}`,
  ];
}

function freezeLines(one: FreezeView, now: Date, paint: Paint): string[] {
  const rows = [
    [
      `partner ${String(one.partner_id)}`,
      `frozen ${relativeText(one.frozen_at, now)} by ${oneLine(one.frozen_by)}`,
      oneLine(one.reason),
    ],
  ];
  const lifted =
    one.lifted_at === null
      ? paint.red('it stands')
      : paint.green(
          `lifted ${relativeText(one.lifted_at, now)} by ${oneLine(one.lifted_by ?? '?')}: ${oneLine(one.lifted_why ?? '')}`,
        );
  return [...textTable([{ title: '' }, { title: '' }, { title: '' }], rows, paint).slice(1), `  ${lifted}`];
}

type FloatCommand = Extract<
  MoneyCommand,
  { name: 'float-move' | 'float-movements' | 'float-approve' | 'float-withdraw' }
>;

async function aboutFloats(command: FloatCommand, admin: Admin): Promise<Answer> {
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
