import { orderCredits, orderFaults, standingFaults, toldOrders } from './check-orders.js';
import { orderWebhookFaults } from './webhooks/check-order-webhooks.js';
import { depositFaults } from './check-deposits.js';
import { paymentFaults, paymentsOf, receiptFaults } from './check-payments.js';
import { refundWebhookFaults } from './webhooks/check-refund-webhooks.js';
import { refundFaults } from './check-refunds.js';
import { walletFaults } from './check-wallets.js';
import { webhookFaults } from './webhooks/check-webhooks.js';
import { fateOf, fateOfVanished, type DepositView } from './deposit-fate.js';
import { expectationOf, payExpectationOf } from './expectation.js';
import type { OutsideRules, OutsideView, Told } from './outside-view.js';
import {
  amountOf,
  key,
  markupOf,
  minorOf,
  recipientOf,
  serviceFeeOf,
  type SentPayout,
} from '../partner/sent-payout.js';
import type { StatusRow } from '../partner/status-row.js';

export function toldOne(
  sent: SentPayout,
  row: StatusRow,
  deposits: DepositView | undefined,
  rules: OutsideRules,
): Told {
  const { settled, cleared } = rules;
  const settlement = settled?.get(key(sent));
  if (sent.deposit === undefined)
    return { sent, row, fate: null, vanished: null, expected: expectationOf(sent, settlement) };
  if (deposits === undefined) throw new Error(`${sent.code} is a pay, and no chain was read`);
  const gone = rules.vanished?.get(key(sent));
  const fate = gone === undefined ? fateOf(sent, row, deposits) : fateOfVanished(sent, row, deposits, gone);
  const isBack =
    gone !== undefined &&
    deposits.books.some(({ incomingTransfers }) =>
      incomingTransfers.some(({ hash, finalAt }) => hash === gone.hash && finalAt !== null),
    );
  return {
    sent,
    row,
    fate,
    vanished: gone === undefined ? null : { isBack },
    expected: payExpectationOf(sent, row, fate, {
      settled: settlement,
      isCleared: cleared?.has(key(sent)) ?? false,
      hasVanished: gone !== undefined,
    }),
  };
}

/** One sentence per broken promise; [] when all were kept. */
export function checkOutside(view: OutsideView, rules: OutsideRules = {}): string[] {
  const told = toldOf(view, rules);
  const orders = toldOrders(view, rules);
  return [
    ...presenceFaults(view),
    ...told.flatMap((one) => [...rowFaults(one), ...endFaults(one, rules)]),
    ...paymentFaults(told, view.books, rules),
    ...depositFaults(told, view, rules),
    ...orderFaults(orders, view),
    ...refundFaults(told, view, orders),
    ...walletFaults(told, view.wallets, rules, orderCredits(orders, rules)),
    ...webhookFaults(view, told, rules),
    ...orderWebhookFaults(view, orders),
    ...refundWebhookFaults(view, told, orders),
  ];
}

/** The rules that hold at any time: accepted requests exist as they were sent, and COMPLETE is paid. */
export function checkAnytime(view: OutsideView, rules: OutsideRules = {}): string[] {
  const { payments, faults } = paymentsOf(view.books);
  const ofOrders = view.orders === undefined ? [] : standingFaults(toldOrders(view, rules), view.orders, view.deposits);
  return [
    ...presenceFaults(view),
    ...ofOrders,
    ...faults,
    ...toldOf(view, rules).flatMap((one) => [...rowFaults(one), ...receiptFaults(one, payments)]),
  ];
}

function toldOf({ sent, rows, deposits }: OutsideView, rules: OutsideRules): Told[] {
  return sent.flatMap((payout) => {
    const row = rows.get(key(payout)) ?? null;
    return row === null ? [] : [toldOne(payout, row, deposits, rules)];
  });
}

/** Every accepted code exists; a refused one left nothing. */
function presenceFaults({ sent, rows }: OutsideView): string[] {
  return sent.flatMap((payout) => {
    const row = rows.get(key(payout)) ?? null;
    const name = `transaction ${payout.code} (${payout.outcome})`;
    if (row === null) return payout.outcome === 'accepted' ? [`${name} was answered 200 and is not there`] : [];
    return payout.outcome === 'refused' ? [`${name} was refused and exists, ${row.status}`] : [];
  });
}

function rowFaults({ sent, row }: Told): string[] {
  const faults: string[] = [];
  const minor = (text: string): bigint => minorOf(text, row.currency_code);
  if (row.currency_code !== sent.currency) faults.push(`is in ${row.currency_code}, sent in ${sent.currency}`);
  if (minor(row.amount) !== amountOf(sent)) faults.push(`has the amount ${row.amount}, sent ${sent.body.amount}`);
  if (minor(row.fee) !== markupOf(sent))
    faults.push(`has the fee ${row.fee}, sent ${String('fee' in sent.body ? sent.body.fee : 0)}`);
  if (minor(row.service_fee) !== serviceFeeOf(sent)) faults.push(`has the service fee ${row.service_fee}`);
  const { account_number = null, shortcode = '', bank_code = '' } = recipientOf(sent);
  if (row.account_number !== account_number || row.shortcode !== shortcode || row.bank_code !== bank_code)
    faults.push('goes to another recipient than was sent');
  return faults.map((fault) => `${sent.code} ${fault}`);
}

/** It ended as its sandbox number, the control and people decided. */
function endFaults({ sent, row, expected }: Told, { settled }: OutsideRules): string[] {
  if (sent.outcome === 'refused') return [];
  const { code } = sent;
  if (row.status !== expected.end) {
    const ended = /^(COMPLETE|FAILED|REVERSED)$/.test(row.status);
    return [
      ended
        ? `${code} ended ${row.status}, and should have ended ${expected.end}`
        : `${code} has not ended: ${row.status} instead of ${expected.end}`,
    ];
  }
  if (settled?.has(key(sent))) return [];
  const faults: string[] = [];
  if (row.failure_code !== expected.failureCode)
    faults.push(`${code} has the failure code ${row.failure_code}, and not ${expected.failureCode}`);
  const wasLate = expected.payments.some(({ late }) => late === true);
  if (wasLate !== Boolean(row['correction']))
    faults.push(
      `${code} was ${wasLate ? '' : 'not '}paid after its end, and its correction is ${JSON.stringify(row['correction'])}`,
    );
  if (row.public_name !== expected.publicName)
    faults.push(`${code} has the name ${String(row.public_name)}, and not ${String(expected.publicName)}`);
  return faults;
}
