import type { SettlementProposal, TransactionSummary } from '@vuka/admin';
import { currencyDecimals, money, parseDecimal } from '@vuka/domain';
import type { Paint } from '@vuka/terminal';

import { problemOf, refusal, type Answer } from './answer.js';
import type { CliCommand } from '../commands/parse-command.js';
import type { TransactionWord } from '../commands/trouble-words.js';
import { CALL } from '../commands/help.js';
import { whenCarriedOn, type Admin } from '../admin-client.js';
import { nameOf, settleSteps } from '../pages/next-step.js';
import { orderPage } from '../pages/order-pages.js';
import { showPage } from '../pages/show-page.js';
import { relativeText } from '../pages/text-values.js';
import { notAskedLines, settlementLines, stepLines, whichOne } from '../pages/trouble-lines.js';

type AboutTransaction = Extract<CliCommand, { readonly transaction: TransactionWord }>;

export async function aboutTransaction(
  command: AboutTransaction,
  word: TransactionWord,
  admin: Admin,
): Promise<Answer> {
  if (command.name === 'show') return show(word, admin);
  const found = await admin.payments.find(word.codeOrId, word.partnerId);
  const [one] = found;
  if (one === undefined) return noTransaction(word);
  if (found.length > 1) return ambiguous(command.name, word, found);
  switch (command.name) {
    case 'release':
      return release(one, command, admin);
    case 'settle':
      return settle(command, one, admin);
    case 'clear':
      return propose(
        {
          transactionId: one.id,
          outcome: 'cleared',
          receipt: null,
          paid: null,
          evidence: command.evidence,
          by: command.by,
        },
        one,
        admin,
      );
  }
}

async function show(word: TransactionWord, admin: Admin): Promise<Answer> {
  const { found, page, order, not_asked } = await admin.views.show(word.codeOrId, word.partnerId);
  if (found.length === 0 && order !== undefined)
    return { code: 0, json: { order }, text: (paint, now) => orderPage(order, now, paint) };
  if (found.length === 0) {
    const [why] = not_asked;
    if (why === undefined) return noTransaction(word);
    return refusal({
      code: 'unavailable',
      message: `There is no payout "${word.codeOrId}"${whose(word)}. It may be an order, but checkout could not be asked (${why})`,
    });
  }
  if (found.length > 1) return ambiguous('show', word, found);
  if (page === undefined) return refusal({ code: 'not_found', message: 'The transaction no longer exists.' });
  return {
    code: 0,
    json: { ...page, ...(order && { order }) },
    text: (paint, now) =>
      [
        ...notAskedLines(not_asked, paint),
        showPage(page, now, paint),
        ...(order === undefined ? [] : [`\n${orderPage(order, now, paint)}`]),
      ].join('\n'),
  };
}

function noTransaction(word: TransactionWord): Answer {
  return refusal({ code: 'not_found', message: `There is no transaction "${word.codeOrId}"${whose(word)}.` });
}

const whose = ({ partnerId }: TransactionWord): string => (partnerId === null ? '' : ` of partner ${partnerId}`);

function ambiguous(command: string, { codeOrId }: TransactionWord, found: readonly TransactionSummary[]): Answer {
  const problem = problemOf(
    'ambiguous',
    `"${codeOrId}" is the code of ${found.length} transactions.`,
    'name the partner with --partner',
  );
  const text = (paint: Paint): string =>
    `${paint.yellow('?')} ${problem.error.message} Choose one:\n\n${whichOne(command, found, paint)}`;
  return { code: 1, json: { ...problem, candidates: found }, text };
}

async function release(
  one: TransactionSummary,
  { by, reason }: Extract<CliCommand, { name: 'release' }>,
  admin: Admin,
): Promise<Answer> {
  const result = await admin.payments.release({ transactionId: one.id, by, reason });
  if (!result.ok) return refusal(result.error);
  const deadline = result.value.parkDeadline?.toISOString() ?? null;
  const when = whenCarriedOn(admin);
  return {
    code: 0,
    json: {
      released: {
        transaction_id: one.id,
        transaction_code: one.transaction_code,
        partner_id: one.partner_id,
        park_deadline: deadline,
      },
    },
    text: (paint, now) =>
      [
        `${paint.green('✓')} ${one.transaction_code} is due now: Vuka tries it again ${when}.`,
        ...(deadline === null
          ? []
          : [
              `  If no provider accepts it, it fails ${relativeText(deadline, now)}, and the money goes back to the wallet.`,
            ]),
        ...stepLines([`${CALL} show ${nameOf(one)}`], paint).map((line) => `  ${line}`),
      ].join('\n'),
  };
}

async function settle(
  command: Extract<CliCommand, { name: 'settle' }>,
  one: TransactionSummary,
  admin: Admin,
): Promise<Answer> {
  const { verdict, evidence, by } = command;
  const { currency } = one.amount;
  const isPaid = verdict.outcome === 'paid';
  const amount = isPaid && verdict.amount !== null ? parseDecimal(verdict.amount, currencyDecimals(currency)) : null;
  if (amount !== null && !amount.ok)
    return refusal({ code: 'invalid_request', message: `--amount ${amount.error}, in ${currency}.` });
  return propose(
    {
      transactionId: one.id,
      outcome: verdict.outcome,
      receipt: isPaid ? verdict.receipt : null,
      paid: amount && money(amount.value, currency),
      evidence,
      by,
    },
    one,
    admin,
  );
}

async function propose(proposal: SettlementProposal, one: TransactionSummary, admin: Admin): Promise<Answer> {
  const proposed = await admin.payments.propose(proposal);
  if (!proposed.ok) return refusal(proposed.error, [`${CALL} show ${nameOf(one)}`]);
  const settlement = await admin.payments.settlement(proposed.value.settlementId);
  const next = settleSteps({ ...one, settlement_id: proposed.value.settlementId, settlement_approved_at: null });
  return {
    code: 0,
    json: { settlement, next },
    text: (paint, now) =>
      [
        `${paint.green('✓')} Proposed. ${paint.bold('Nothing has moved yet')}: a second person must check the evidence and approve.`,
        ...(settlement === undefined ? [] : settlementLines(settlement, now, paint)).map((line) => `  ${line}`),
        ...stepLines(next, paint).map((line) => `  ${line}`),
      ].join('\n'),
  };
}

export async function approve(id: number, by: string, admin: Admin): Promise<Answer> {
  const result = await admin.payments.approve({ settlementId: id, by });
  if (!result.ok) return refusal(result.error);
  const { transactionId, status, state, executed } = result.value;
  const [settlement, one] = [
    await admin.payments.settlement(id),
    (await admin.payments.find(String(transactionId), null)).find((found) => found.id === transactionId),
  ];
  const when = whenCarriedOn(admin);
  return {
    code: 0,
    json: { settlement, transaction: one },
    text: (paint, now) =>
      [
        executed
          ? `${paint.green('✓')} Approved: ${one?.transaction_code ?? transactionId} is now ${paint.bold(status === state ? status : `${status} (${state})`)}. The partner is told ${when}.`
          : `${paint.green('✓')} Approved. ${paint.bold('Nothing has moved yet')}: a call to the provider is still running. The settlement is applied when the call has ended, unless the provider answers first. No other call starts.`,
        ...(settlement === undefined ? [] : settlementLines(settlement, now, paint)).map((line) => `  ${line}`),
      ].join('\n'),
  };
}

export async function withdraw(
  { settlementId: id, by, reason }: Extract<CliCommand, { name: 'withdraw' }>,
  admin: Admin,
): Promise<Answer> {
  const result = await admin.payments.withdraw({ settlementId: id, by, reason });
  if (!result.ok) return refusal(result.error);
  const settlement = await admin.payments.settlement(id);
  return {
    code: 0,
    json: { settlement },
    text: (paint) => `${paint.green('✓')} Settlement ${id} is withdrawn. Nothing has moved.`,
  };
}

export async function resolve(id: number, by: string, note: string, admin: Admin): Promise<Answer> {
  const result = await admin.payments.resolveIncident({ incidentId: id, by, note });
  if (!result.ok) return refusal(result.error);
  return {
    code: 0,
    json: { incident: result.value },
    text: (paint) => `${paint.green('✓')} Incident ${id} of ${result.value.transaction_code} is resolved.`,
  };
}
