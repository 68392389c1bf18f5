import { spelled } from '../../books/chain-facts.js';
import type { ToldOrder } from '../check-orders.js';
import type { OutsideView, Told } from '../outside-view.js';
import type { ReceivedWebhook } from '../../partner/webhook-receiver.js';

export function isOfRefund({ payload }: ReceivedWebhook): boolean {
  return payload.refund_id !== undefined;
}

const STATUSES: Readonly<Record<string, string>> = {
  'refund.held': 'PENDING',
  'refund.sent': 'PROCESSING',
  'refund.confirmed': 'COMPLETE',
  'refund.failed': 'FAILED',
};
const MEMBERS = [
  'address',
  'amount',
  'asset',
  'chain',
  'message',
  'refund_id',
  'refund_transaction_hash',
  'status',
  'transaction_hash',
];
/**
 * In order of sequence; held and sent may be superseded (decisions.md section 6).
 * One that failed because its deposit was reversed may have been sent.
 */
const HISTORIES: readonly RegExp[] = [
  /^(1 held)?( ?2 sent)?( ?3 (confirmed|failed))?$/,
  /^(1 held)?( ?2 failed)?( ?4 sent)?( ?5 (confirmed|failed))?$/,
];

/** Each refund step was sent to its partner: signed, once, in order, and its end always if the row has it. */
export function refundWebhookFaults(
  { webhooks, refunds, sent, orders }: Pick<OutsideView, 'webhooks' | 'refunds' | 'sent' | 'orders'>,
  told: readonly Told[],
  toldOrders: readonly ToldOrder[] = [],
): string[] {
  const all = webhooks.filter(isOfRefund);
  const byRefund = new Map<number, ReceivedWebhook[]>();
  for (const hook of all)
    byRefund.set(hook.payload.refund_id ?? 0, [...(byRefund.get(hook.payload.refund_id ?? 0) ?? []), hook]);
  const payments = new Set(sent.map(({ partner, code }) => `${partner} ${code}`));
  const named = new Set((orders?.sent ?? []).map(({ partner, id }) => `${partner} ${id}`));
  const strangers = all.filter(({ partner, payload: { refund_of_transaction_code: code, refund_of_order_id: id } }) =>
    code === undefined ? !named.has(`${String(partner)} ${String(id)}`) : !payments.has(`${String(partner)} ${code}`),
  );
  return [
    ...strangers.map(({ id, rawBody }) => `webhook ${id} tells of a refund of what nobody sent: ${rawBody}`),
    ...[...byRefund].flatMap(([id, received]) => historyFaults(id, received).map((fault) => `refund ${id}: ${fault}`)),
    ...told.flatMap((one) => untoldEnd(one, all)),
    ...toldOrders.flatMap((one) => untoldEndOfOrder(one, orders, all)),
    ...(refunds === undefined ? [] : neverSent(all, refunds.outflows)),
  ];
}

function historyFaults(refundId: number, received: readonly ReceivedWebhook[]): string[] {
  const faults: string[] = [];
  const bySequence = new Map<number, ReceivedWebhook>();
  const [first] = received;
  for (const hook of received) {
    const earlier = bySequence.get(hook.sequence);
    if (earlier !== undefined && (earlier.rawBody !== hook.rawBody || earlier.id !== hook.id))
      faults.push(`webhook ${hook.sequence} came with two contents`);
    if (hook.id !== `${refundId}_${hook.sequence}`)
      faults.push(`webhook-id ${hook.id} is not ${refundId}_${hook.sequence}`);
    if (hook.payload.status !== STATUSES[hook.event])
      faults.push(`x-vuka-event ${hook.event} with status ${hook.payload.status}`);
    faults.push(...bodyFaults(hook));
    for (const member of [
      'chain',
      'asset',
      'amount',
      'address',
      'transaction_hash',
      'refund_of_transaction_code',
      'refund_of_order_id',
    ] as const) {
      if (hook.payload[member] !== first?.payload[member])
        faults.push(`webhook ${hook.sequence} has another ${member}`);
    }
    bySequence.set(hook.sequence, hook);
  }
  const ordered = [...bySequence.values()].sort((one, other) => one.sequence - other.sequence);
  const history = ordered.map(({ sequence, event }) => `${sequence} ${event.replace('refund.', '')}`).join(' ');
  return HISTORIES.some((known) => known.test(history)) ? faults : [...faults, `was told ${history}`];
}

function bodyFaults({ sequence, payload, rawBody }: ReceivedWebhook): string[] {
  const expected = [
    ...MEMBERS,
    payload.refund_of_order_id === undefined ? 'refund_of_transaction_code' : 'refund_of_order_id',
    ...(payload.status === 'FAILED' ? ['reason'] : []),
  ].sort();
  const isWhole = Object.keys(payload).sort().join() === expected.join() && payload.message !== '';
  const isNamed = !/^(PROCESSING|COMPLETE)$/.test(payload.status) || payload.refund_transaction_hash !== '';
  return isWhole && isNamed ? [] : [`webhook ${sequence} has another body: ${rawBody}`];
}

const ENDS: Readonly<Record<string, string>> = { COMPLETE: 'refund.confirmed', FAILED: 'refund.failed' };

function untoldEnd({ sent, row }: Told, all: readonly ReceivedWebhook[]): string[] {
  const end = ENDS[String(row['refund'])];
  if (end === undefined || sent.callback_url === undefined || sent.isUntold === true) return [];
  const isTold = all.some(
    ({ event, partner, payload }) =>
      event === end && partner === sent.partner && payload.refund_of_transaction_code === sent.code,
  );
  return isTold ? [] : [`${sent.code}: its refund is ${String(row['refund'])}, and ${end} was not told`];
}

function untoldEndOfOrder(
  { sent }: ToldOrder,
  orders: OutsideView['orders'],
  all: readonly ReceivedWebhook[],
): string[] {
  const credit = orders?.credits.find(({ partner, row }) => partner === sent.partner && row['order_id'] === sent.id);
  const end = ENDS[String(credit?.row['refund'])];
  if (end === undefined || !sent.isTold) return [];
  const isTold = all.some(
    ({ event, partner, payload }) =>
      event === end && partner === sent.partner && payload.refund_of_order_id === sent.id,
  );
  return isTold ? [] : [`order ${sent.id}: its refund is ${String(credit?.row['refund'])}, and ${end} was not told`];
}

function neverSent(
  all: readonly ReceivedWebhook[],
  outflows: readonly { readonly chain: string; readonly to: string; readonly symbol: string; readonly value: bigint }[],
): string[] {
  const left = new Set(outflows.map(({ chain, to, symbol, value }) => `${value} ${symbol} to ${to} on ${chain}`));
  const told = all
    .filter(({ event }) => event === 'refund.confirmed')
    .map(
      ({ payload: { chain = '', address = '', asset = '', amount = '' } }) =>
        `${BigInt(amount.replace('.', ''))} ${asset} to ${spelled(chain, address)} on ${chain}`,
    );
  return [...new Set(told)]
    .filter((name) => !left.has(name))
    .map((name) => `${name} was told to be final, and left no refund wallet`);
}
