import type { OperatorView } from '@vuka/admin';
import { type ApprovalView, approvalView } from '@vuka/contracts';
import { untagged } from '@vuka/http';
import { oneLine, type Paint, textTable } from '@vuka/terminal';

import { refusal, type Answer } from '../answer.js';
import { CALL } from '../../commands/help.js';
import type { PeopleCommand } from '../../commands/people/people-words.js';
import type { Admin } from '../../admin-client.js';
import { moneyText, relativeText } from '../../pages/text-values.js';
import { stepLines } from '../../pages/trouble-lines.js';

const MOST_SHOWN = 100;

export async function aboutPeople(command: PeopleCommand, admin: Admin): Promise<Answer> {
  switch (command.name) {
    case 'approvals':
      return approvals(command, admin);
    case 'decline': {
      const { approval, by, reason } = command;
      const done = await admin.views.decline({ approval, by, reason });
      if (!done.ok) return refusal(done.error, [`${CALL} approvals`]);
      return {
        code: 0,
        json: { approval: done.value },
        text: (paint) => `${paint.green('✓')} ${approval} is declined. Nothing was done.`,
      };
    }
    case 'operators': {
      const operators = await admin.views.operators();
      return { code: 0, json: { operators }, text: (paint) => operatorTable(operators, paint) };
    }
    case 'operator-make':
    case 'operator-role':
    case 'operator-recover':
    case 'operator-remove':
      return change(command, admin);
  }
}

async function change(
  command: Exclude<PeopleCommand, { readonly name: 'approvals' | 'decline' | 'operators' }>,
  { views }: Admin,
): Promise<Answer> {
  const { person: name, by, reason } = command;
  const word = { name, by, reason };
  const done = await (command.name === 'operator-make'
    ? views.makeOperator({ ...word, role: command.role, credentialSha256: command.credentialSha256 })
    : command.name === 'operator-role'
      ? views.changeRole({ ...word, role: command.role })
      : command.name === 'operator-recover'
        ? views.recoverOperator({ ...word, credentialSha256: command.credentialSha256 })
        : views.removeOperator(word));
  if (!done.ok) return refusal(done.error, [`${CALL} operators`]);
  const { state, role } = done.value;
  const what = state === 'removed' ? 'is shut out' : `has the role ${role}`;
  return {
    code: 0,
    json: { operator: done.value },
    text: (paint) => `${paint.green('✓')} ${done.value.name} ${what}.`,
  };
}

/** What was asked for waits: nothing was done. */
export function waitsAnswer(approval: ApprovalView): Answer {
  const next = [`${CALL} approve ${approval.id} --by "<a second person>"`];
  return {
    code: 0,
    json: { approval, next },
    text: (paint) =>
      [
        `${paint.yellow('…')} ${approval.id} waits. ${paint.bold('Nothing was done yet')}: a second person must approve it.`,
        `  ${approval.says}.`,
        `  ${whoCan(approval)}.`,
        ...stepLines(next, paint).map((line) => `  ${line}`),
      ].join('\n'),
  };
}

/** Answers what the operation would have answered, and the approval. */
export async function approveAsked(id: string, by: string, admin: Admin): Promise<Answer> {
  const done = await admin.views.approve({ approval: id, by, signature: await signatureOf(id, admin) });
  if (!done.ok) return refusal(done.error, [`${CALL} approvals`]);
  const { approval, answer } = done.value;
  if (approval.state === 'refused')
    return refusal({
      code: 'invalid_request',
      message: `${id} was approved, and could not be done: ${approval.detail ?? ''}`,
    });
  const told = toldBy(approval.operation, untagged(answer));
  return {
    code: 0,
    json: { ...told, approval },
    text: (paint) => approvedLines(approval, told, paint).join('\n'),
  };
}

/**
 * null: without a key, or there is nothing to sign. It always names who asked and under which id, so that admin cannot
 * have a proposal signed (which names neither) under the number of something harmless.
 */
async function signatureOf(id: string, { sign, views }: Admin): Promise<string | null> {
  const found = await views.approvals({ open: true, before: Number(id.slice(1)) + 1, limit: 1 });
  const one = approvalView.safeParse(found.find((approval) => approval.id === id)).data;
  if (one === undefined) return null;
  const [service = '', method = ''] = one.operation.split('.');
  return sign({ service, method, args: one.args, askedBy: one.asked_by, operationId: one.operation_id });
}

/** By the names under which the commands print it. */
const TOLD_AS: Readonly<Record<string, string>> = {
  'gateway.setTerms': 'terms',
  'payments.setReturnAddress': 'return_address',
  'admin.makeOperator': 'operator',
  'admin.changeRole': 'operator',
  'admin.recoverOperator': 'operator',
};

function toldBy(operation: string, answer: unknown): Readonly<Record<string, unknown>> {
  if (typeof answer !== 'object' || answer === null || !('ok' in answer) || !('value' in answer)) return {};
  const { value } = answer;
  const name = TOLD_AS[operation];
  if (name !== undefined) return { [name]: value };
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function approvedLines(approval: ApprovalView, told: Readonly<Record<string, unknown>>, paint: Paint): string[] {
  const secret = [told['key'], told['secret']].find((one) => typeof one === 'string');
  return [
    `${paint.green('✓')} ${approval.id} is approved and done: ${approval.says}.`,
    ...(approval.detail === null ? [] : [`  ${approval.detail}.`]),
    ...(typeof secret === 'string'
      ? [
          '',
          secret,
          '',
          paint.yellow('It is shown only now. Give it to the partner over the agreed channel, then clear this screen.'),
        ]
      : []),
  ];
}

async function approvals({ open }: Extract<PeopleCommand, { name: 'approvals' }>, admin: Admin): Promise<Answer> {
  const [asked, adjustments, floats] = await Promise.all([
    admin.views.approvals({ open, before: null, limit: MOST_SHOWN }),
    admin.payments.adjustments({ open: true, limit: MOST_SHOWN }),
    admin.payments.floatMovements({ open: true, limit: MOST_SHOWN }),
  ]);
  const proposals = [
    ...adjustments.map((one) => ({
      id: one.id,
      says: `${one.direction} partner ${String(one.partner_id)} with ${moneyText(one.amount)}. Posts wallet_topped_up or wallet_debited`,
      asked_by: one.proposed_by,
      next: `${CALL} approve-adjustment ${String(one.id)} --reason "…" --by "<a second person>"`,
    })),
    ...floats.map((one) => ({
      id: one.id,
      says: `${one.kind} of ${moneyText(one.amount)}. Posts ${one.kind}`,
      asked_by: one.proposed_by,
      next: `${CALL} float-approve ${String(one.id)} --reason "…" --by "<a second person>"`,
    })),
  ];
  return {
    code: 0,
    json: { approvals: asked, proposals },
    text: (paint, now) =>
      asked.length + proposals.length === 0
        ? `${paint.green('✓')} Nothing waits for a second person. Settlements are in ${CALL} stuck.`
        : [
            ...asked.flatMap((one) => approvalLines(one, now, paint)),
            ...proposals.flatMap((one) => [
              `${oneLine(one.says)}, proposed by ${oneLine(one.asked_by)}`,
              ...stepLines([one.next], paint).map((line) => `  ${line}`),
            ]),
          ].join('\n'),
  };
}

function approvalLines(approval: ApprovalView, now: Date, paint: Paint): string[] {
  const { id, says, asked_by: by, expires_at: until, state, detail } = approval;
  return [
    `${paint.bold(id)}  ${state}  ${oneLine(says)}`,
    `  asked by ${oneLine(by)}${state === 'waiting' ? `, ends ${relativeText(until, now)}. ${whoCan(approval)}` : ''}`,
    ...(detail === null ? [] : [`  ${oneLine(detail)}`]),
    ...(state === 'waiting' || state === 'approved'
      ? stepLines([`${CALL} approve ${id} --by "<a second person>"`], paint).map((line) => `  ${line}`)
      : []),
  ];
}

function whoCan({ can_approve: names }: ApprovalView): string {
  return names.length === 0
    ? 'Nobody whom admin knows can approve it yet'
    : `${names.map((name) => oneLine(name)).join(' or ')} can approve it`;
}

function operatorTable(operators: readonly OperatorView[], paint: Paint): string {
  if (operators.length === 0) return 'Admin knows nobody by name.';
  return textTable(
    [{ title: 'name', atMost: 40 }, { title: 'role' }, { title: 'state' }, { title: 'let in by', atMost: 40 }],
    operators.map(({ name, role, state, made_by: by }) => [
      oneLine(name),
      role,
      state,
      oneLine(by ?? 'the file of admin'),
    ]),
    paint,
  ).join('\n');
}
