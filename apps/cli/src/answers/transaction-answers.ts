import { currencyDecimals, parseDecimal } from '@vuka/domain';
import type { SettlementProposal, TransactionSummary } from '@vuka/payments';
import type { Paint } from '@vuka/terminal';

import { problemOf, refusal, type Answer } from './desk-answer.js';
import type { DeskCommand } from '../commands/desk-command.js';
import type { TransactionWord } from '../commands/trouble-words.js';
import { CALL } from '../commands/desk-help.js';
import { whenCarriedOn, type Desk } from '../desk.js';
import { nameOf, settleSteps } from '../pages/next-step.js';
import { orderPage } from '../pages/order-pages.js';
import { showPage } from '../pages/show-page.js';
import { relativeText } from '../pages/text-values.js';
import { toldOr } from '../told-or.js';
import { notAskedLines, settlementLines, stepLines, whichOne } from '../pages/trouble-lines.js';

type AboutTransaction = Extract<DeskCommand, { readonly transaction: TransactionWord }>;

/** Finds the one that is meant; where several may be, says which and how to name each. */
export async function aboutTransaction(command: AboutTransaction, word: TransactionWord, desk: Desk): Promise<Answer> {
  const found = await desk.payments.find(word.codeOrId, word.partnerId);
  const [one] = found;
  const away: string[] = [];
  const order =
    command.name === 'show'
      ? await toldOr(desk.checkout.order(word.codeOrId, word.partnerId), undefined, away)
      : undefined;
  if (one === undefined && order !== undefined)
    return { code: 0, json: { order }, text: (paint, now) => orderPage(order, now, paint) };
  if (one === undefined) {
    const whose = word.partnerId === null ? '' : ` of partner ${word.partnerId}`;
    const [why] = away;
    if (why !== undefined)
      return refusal({
        code: 'unavailable',
        message: `There is no payout "${word.codeOrId}"${whose}; whether it is an order, nobody could be asked (${why})`,
      });
    return refusal({ code: 'not_found', message: `There is no transaction "${word.codeOrId}"${whose}.` });
  }
  if (found.length > 1) {
    const problem = problemOf(
      'ambiguous',
      `"${word.codeOrId}" may be any of ${found.length} transactions.`,
      '--partner says whose',
    );
    const text = (paint: Paint): string =>
      `${paint.yellow('?')} ${problem.error.message} Say which one:\n\n${whichOne(command.name, found, paint)}`;
    return { code: 1, json: { ...problem, candidates: found }, text };
  }
  switch (command.name) {
    case 'show': {
      const page = await desk.show(one.id);
      return page === undefined
        ? refusal({ code: 'not_found', message: 'It is gone.' })
        : {
            code: 0,
            json: { ...page, ...(order && { order }) },
            text: (paint, now) =>
              [
                ...notAskedLines(away, paint),
                showPage(page, now, paint),
                ...(order === undefined ? [] : [`\n${orderPage(order, now, paint)}`]),
              ].join('\n'),
          };
    }
    case 'release':
      return release(one, command, desk);
    case 'settle':
      return settle(command, one, desk);
    case 'clear':
      return propose(
        {
          transactionId: one.id,
          outcome: 'cleared',
          receipt: null,
          paidMinor: null,
          evidence: command.evidence,
          by: command.by,
        },
        one,
        desk,
      );
  }
}

async function release(
  one: TransactionSummary,
  { by, reason }: Extract<DeskCommand, { name: 'release' }>,
  desk: Desk,
): Promise<Answer> {
  const result = await desk.payments.release({ transactionId: one.id, by, reason });
  if (!result.ok) return refusal(result.error);
  const deadline = result.value.parkDeadline?.toISOString() ?? null;
  const when = whenCarriedOn(desk);
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
        `${paint.green('✓')} ${one.transaction_code} is due now: it is tried again ${when}.`,
        ...(deadline === null
          ? []
          : [`  If no rail takes it, it fails ${relativeText(deadline, now)}, and the money goes back to the wallet.`]),
        ...stepLines([`${CALL} show ${nameOf(one)}`], paint).map((line) => `  ${line}`),
      ].join('\n'),
  };
}

async function settle(
  command: Extract<DeskCommand, { name: 'settle' }>,
  one: TransactionSummary,
  desk: Desk,
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
      paidMinor: amount?.value ?? null,
      evidence,
      by,
    },
    one,
    desk,
  );
}

async function propose(proposal: SettlementProposal, one: TransactionSummary, desk: Desk): Promise<Answer> {
  const proposed = await desk.payments.propose(proposal);
  if (!proposed.ok) return refusal(proposed.error, [`${CALL} show ${nameOf(one)}`]);
  const settlement = await desk.payments.settlement(proposed.value.settlementId);
  const next = settleSteps({ ...one, settlement_id: proposed.value.settlementId, settlement_approved_at: null });
  return {
    code: 0,
    json: { settlement, next },
    text: (paint, now) =>
      [
        `${paint.green('✓')} Proposed. ${paint.bold('Nothing has moved yet')}: somebody else looks at the evidence and approves.`,
        ...(settlement === undefined ? [] : settlementLines(settlement, now, paint)).map((line) => `  ${line}`),
        ...stepLines(next, paint).map((line) => `  ${line}`),
      ].join('\n'),
  };
}

export async function approve(id: number, by: string, desk: Desk): Promise<Answer> {
  const result = await desk.payments.approve({ settlementId: id, by });
  if (!result.ok) return refusal(result.error);
  const { transactionId, status, state, executed } = result.value;
  const [settlement, one] = [
    await desk.payments.settlement(id),
    (await desk.payments.find(String(transactionId), null)).find((found) => found.id === transactionId),
  ];
  const when = whenCarriedOn(desk);
  return {
    code: 0,
    json: { settlement, transaction: one },
    text: (paint, now) =>
      [
        executed
          ? `${paint.green('✓')} Carried out: ${one?.transaction_code ?? transactionId} is ${paint.bold(status === state ? status : `${status} (${state})`)}. The partner is told ${when}.`
          : `${paint.green('✓')} Approved. ${paint.bold('Nothing has moved yet')}: a call to the provider is under way. It is carried out when that has ended, unless its answer comes first. No other call starts.`,
        ...(settlement === undefined ? [] : settlementLines(settlement, now, paint)).map((line) => `  ${line}`),
      ].join('\n'),
  };
}

export async function withdraw(
  { settlementId: id, by, reason }: Extract<DeskCommand, { name: 'withdraw' }>,
  desk: Desk,
): Promise<Answer> {
  const result = await desk.payments.withdraw({ settlementId: id, by, reason });
  if (!result.ok) return refusal(result.error);
  const settlement = await desk.payments.settlement(id);
  return {
    code: 0,
    json: { settlement },
    text: (paint) => `${paint.green('✓')} Settlement ${id} is withdrawn. Nothing has moved.`,
  };
}

export async function resolve(id: number, by: string, note: string, desk: Desk): Promise<Answer> {
  const result = await desk.payments.resolveIncident({ incidentId: id, by, note });
  if (!result.ok) return refusal(result.error);
  return {
    code: 0,
    json: { incident: result.value },
    text: (paint) => `${paint.green('✓')} Incident ${id} of ${result.value.transaction_code} is resolved.`,
  };
}
