import { spelled } from '../books/chain-facts.js';
import { worthOf, type DepositView } from './deposit-fate.js';
import { dueOf, leftWorth, orderFate, tokenOf, type OrderFate } from './order-fate.js';
import type { OrdersView, OutsideRules, OutsideView } from './outside-view.js';
import { ratesBetween } from '../books/rates-in-force.js';
import { minorOf } from '../partner/sent-payout.js';
import { orderKey, type OrderAnswer, type OrderRow, type SentOrder } from '../partner/sent-order.js';
import type { StatusRow } from '../partner/status-row.js';

/** The first answer seen may be to a retry: the process may have died before it could answer the first request. */
const ANSWER_LOST_MS = 180_000;

export interface ToldOrder {
  readonly sent: SentOrder;
  readonly answer: OrderAnswer;
  readonly row: OrderRow;
  readonly fate: OrderFate;
  readonly hasVanished: boolean;
}

export function toldOrders(
  { orders, deposits }: Pick<OutsideView, 'orders' | 'deposits'>,
  { vanishedOrders }: OutsideRules,
): ToldOrder[] {
  return (orders?.sent ?? []).flatMap((sent) => {
    const [answer] = sent.answers;
    const row = orders?.rows.get(orderKey(sent)) ?? null;
    if (answer === undefined || row === null) return [];
    if (deposits === undefined) throw new Error(`order ${sent.id} was answered, and no chain was read`);
    const vanished = vanishedOrders?.get(orderKey(sent));
    return [
      {
        sent,
        answer,
        row,
        fate: orderFate(sent, answer, deposits.books, { now: orders?.at ?? new Date(0), vanished }),
        hasVanished: vanished !== undefined,
      },
    ];
  });
}

/** Each order has its own address, and is credited exactly once if COMPLETE, else never. */
export function orderFaults(
  told: readonly ToldOrder[],
  { orders, deposits }: Pick<OutsideView, 'orders' | 'deposits'>,
): string[] {
  if (orders === undefined) return [];
  return [
    ...standingFaults(told, orders, deposits),
    ...told.flatMap((one) => endFaults(one).map((fault) => `order ${one.sent.id} ${fault}`)),
    ...creditFaults(told, orders),
  ];
}

export function standingFaults(
  told: readonly ToldOrder[],
  orders: OrdersView,
  deposits: DepositView | undefined,
): string[] {
  return [
    ...orders.sent.flatMap((sent) => presenceFaults(sent, orders)),
    ...addressFaults(orders.sent, deposits),
    ...told.flatMap((one) =>
      [...answerFaults(one, deposits), ...rowFaults(one)].map((fault) => `order ${one.sent.id} ${fault}`),
    ),
  ];
}

function presenceFaults(sent: SentOrder, { rows }: OrdersView): string[] {
  const row = rows.get(orderKey(sent)) ?? null;
  const back = sent.seen.findIndex((status, index) => rankOf(status) <= rankOf(sent.seen[index - 1] ?? ''));
  const faults = back >= 0 ? [`order ${sent.id} went back: ${sent.seen.join(', ')}`] : [];
  if (row === null)
    return sent.outcome === 'accepted' ? [...faults, `order ${sent.id} was answered 200 and is not there`] : faults;
  return sent.outcome === 'refused' ? [...faults, `order ${sent.id} was refused and exists, ${row.status}`] : faults;
}

/** No two orders share an address, across all partners. */
function addressFaults(sent: readonly SentOrder[], deposits: DepositView | undefined): string[] {
  const owners = new Map<string, string>(
    [...(deposits?.addresses ?? [])].flatMap(([partner, byFamily]) =>
      Object.values(byFamily).map((address) => [address, `partner ${partner}`] as const),
    ),
  );
  const faults: string[] = [];
  for (const one of sent) {
    const [answer] = one.answers;
    if (answer === undefined) continue;
    const address = spelled(one.network, answer.address);
    const owner = owners.get(address);
    if (owner !== undefined) faults.push(`order ${one.id} has the address ${address} of ${owner}`);
    owners.set(address, `order ${one.id}`);
  }
  return faults;
}

/** Repeated answers differ only in the time left, match the request, and use the stated rate, rounded to the unit. */
function answerFaults({ sent, answer }: ToldOrder, deposits: DepositView | undefined): string[] {
  const faults: string[] = [];
  const lasting = ({ expires_in: _, status: _status, ...rest }: OrderAnswer): string =>
    JSON.stringify(Object.entries(rest).sort());
  if (sent.answers.some((other) => lasting(other) !== lasting(answer))) faults.push('was answered in two ways');
  if (answer.order_id !== sent.id || answer.network !== sent.network || answer.asset !== sent.asset)
    faults.push(`is answered as ${answer.order_id} in ${answer.asset} on ${answer.network}`);
  const rates = deposits?.rates.get(sent.currency);
  const rate = String(answer.rate);
  const inForce = rates && ratesBetween(rates, answeredAt(answer) - ANSWER_LOST_MS, answeredAt(answer));
  if (inForce !== undefined && !inForce.some((one) => Number(one) === answer.rate))
    faults.push(`has the rate ${rate}, and not ${inForce.join(' or ')}`);
  const token = tokenOf(sent);
  const due = dueOf(answer, token);
  const worth = (received: bigint): bigint => worthOf({ received, token }, rate, sent.currency);
  if (worth(due) < sent.amount || worth(due - 1n) >= sent.amount)
    faults.push(`asks for ${answer.asset_amount} ${token.symbol} at ${rate}`);
  const cents = minorOf(String(answer.amount), 'USD');
  const dollars = { decimals: 2, symbol: 'USD', address: '', aliases: [] };
  const covers = (sum: bigint): boolean =>
    worthOf({ received: sum, token: dollars }, rate, sent.currency) >= sent.amount;
  if (!covers(cents) || covers(cents - 1n)) faults.push(`is said to be ${String(answer.amount)} dollars`);
  return faults;
}

function answeredAt({ expires_at: expires, expires_in: left }: OrderAnswer): number {
  return Date.parse(expires) - left * 1_000 + 1_000;
}

function rowFaults({ sent, answer, row }: ToldOrder): string[] {
  const names = ['address', 'network', 'asset', 'asset_amount', 'rate', 'amount', 'expires_at'] as const;
  const other = names.filter((name) => row[name] !== answer[name]);
  return [
    ...(row.order_id === sent.id ? [] : [`is told as ${row.order_id}`]),
    ...other.map((name) => `has the ${name} ${String(row[name])}, and was answered ${String(answer[name])}`),
  ];
}

function endFaults({ row, fate, hasVanished }: ToldOrder): string[] {
  const faults: string[] = [];
  const should = fate.ends.join(' or ');
  if (!fate.ends.includes(row.status))
    return [
      rankOf(row.status) > 1
        ? `ended ${row.status} ${row.reason}, and should have ended ${should}`
        : `has not ended: ${row.status} instead of ${should}`,
    ];
  if (!fate.reasons.includes(row.reason))
    faults.push(`is ${row.status} for the reason '${row.reason}', and not '${fate.reasons.join(`' or '`)}'`);
  const hashes = fate.incomingTransfers.flatMap(({ incomingTransfer }) => [
    incomingTransfer.hash,
    ...incomingTransfer.otherHashes,
  ]);
  const isKnown = row.transaction_hash
    ? hashes.includes(row.transaction_hash)
    : row.status !== 'COMPLETE' || hasVanished;
  if (!isKnown) faults.push(`names the transfer ${String(row.transaction_hash)}`);
  return faults;
}

/** Each COMPLETE order has one credit row and one wallet entry of its amount; other orders have none. */
function creditFaults(told: readonly ToldOrder[], { credits, entries, sent }: OrdersView): string[] {
  const faults: string[] = [];
  const isOf =
    (order: SentOrder) =>
    ({ partner, row }: OrdersView['credits'][number]): boolean =>
      partner === order.partner && row['order_id'] === order.id;
  for (const credit of credits)
    if (!sent.some((order) => isOf(order)(credit)))
      faults.push(`${credit.row.transaction_code} credits an order that nobody sent`);
  for (const {
    sent: order,
    row: { status },
    hasVanished,
  } of told) {
    const own = credits.filter(isOf(order));
    if (own.length !== (status === 'COMPLETE' ? 1 : 0))
      faults.push(`order ${order.id} is ${status}, and was credited ${own.length} times`);
    for (const { row } of own) faults.push(...rowOfCredit(order, row));
    const [code] = own.map(({ row }) => row.transaction_code);
    const brought = entries.filter(
      (entry) => entry.partner === order.partner && entry.code === code && entry.kind === 'checkout',
    );
    const sum = brought.reduce((all, { amount }) => all + amount, 0n);
    const isWhole =
      brought.every(({ currency }) => currency === order.currency) && sum === (code === undefined ? 0n : order.amount);
    if (!isWhole && !hasVanished)
      faults.push(`order ${order.id} brought its wallet ${sum}, and is ${order.amount} ${order.currency}`);
  }
  return faults;
}

function rowOfCredit({ id, amount, currency }: SentOrder, row: StatusRow): string[] {
  const isRight =
    row['category'] === 'COLLECTION' &&
    row.status === 'COMPLETE' &&
    row.currency_code === currency &&
    minorOf(row.amount, currency) === amount &&
    row['is_released'] === true;
  return isRight
    ? []
    : [`order ${id} is credited as ${String(row['category'])} ${row.status} ${row.amount} ${row.currency_code}`];
}

/** By `partner currency`: the amounts of COMPLETE orders, and leftover value if the policy credits it. */
export function orderCredits(
  told: readonly ToldOrder[],
  { unapplied = 'keep' }: OutsideRules,
): ReadonlyMap<string, bigint> {
  const brought = new Map<string, bigint>();
  for (const { sent, answer, row, fate, hasVanished } of told) {
    const name = `${sent.partner} ${sent.currency}`;
    // A credit whose transfer vanished is owed, and taken back.
    const own = row.status === 'COMPLETE' && !hasVanished ? sent.amount : 0n;
    const rest = unapplied === 'keep' || rankOf(row.status) < 2 ? 0n : leftWorth(fate, sent, answer);
    brought.set(name, (brought.get(name) ?? 0n) + own + rest);
  }
  return brought;
}

const RANK: Readonly<Record<string, number>> = { PENDING: 0, PROCESSING: 1, COMPLETE: 2, FAILED: 2 };

export function rankOf(status: string): number {
  return RANK[status] ?? -1;
}
