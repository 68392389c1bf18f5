import type { IncomingTransfer } from '../books/chain-book.js';
import { SCREENED_SENDER, tokenNamed } from '../books/chain-facts.js';
import { always } from '../books/rates-in-force.js';
import { type OrderAnswer, orderKey, type OrderRow, type SentOrder } from '../partner/sent-order.js';
import type { StatusRow } from '../partner/status-row.js';
import type { ReceivedWebhook } from '../partner/webhook-receiver.js';
import { checkOutside } from './check-outside.js';
import type { OrdersView, OutsideRules, OutsideView } from './outside-view.js';

const RATE = 128.0565;
const DUE = '7.809054';
const EXPIRES = '2026-01-02T12:07:00.000Z';
const EARLY = new Date('2026-01-02T12:03:00.000Z');
export const GRACE = new Date('2026-01-02T12:07:30.000Z');
export const LATE = new Date('2026-01-02T12:07:31.000Z');
const NOW = new Date('2026-01-02T12:20:00.000Z');
const NAMES = [
  'paid',
  'tolerated',
  'topped',
  'over',
  'under',
  'late',
  'asset',
  'network',
  'never',
  'waits',
  'screened',
] as const;
export type Name = (typeof NAMES)[number];
export const numberOf = (name: Name): number => 5_000_000_000_000_000 + NAMES.indexOf(name);
export const addressOf = (name: Name): string => `0x${(NAMES.indexOf(name) + 1).toString(16).padStart(40, '0')}`;
export const hashOf = (name: Name, digit = '1'): string =>
  `0x${digit}${(NAMES.indexOf(name) + 1).toString(16).padStart(63, '0')}`;

export const answer = (name: Name, fields: Partial<OrderAnswer> = {}): OrderAnswer => ({
  address: addressOf(name),
  rate: RATE,
  amount: 7.81,
  expires_in: 420,
  order_id: name,
  network: 'CELO',
  asset: 'USDC',
  asset_amount: DUE,
  memo_address: '',
  memo: '',
  expires_at: EXPIRES,
  status: 'PENDING',
  payment_url: 'http://127.0.0.1/pay/x',
  ...fields,
});
const sent = (name: Name, fields: Partial<SentOrder> = {}): SentOrder => ({
  partner: 1,
  id: name,
  network: 'CELO',
  asset: 'USDC',
  currency: 'KES',
  amount: 100_000n,
  outcome: 'accepted',
  answers: [answer(name)],
  seen: ['PENDING', 'PROCESSING'],
  isTold: true,
  ...fields,
});
export const incomingTransfer = (
  name: Name,
  received: bigint,
  fields: Partial<IncomingTransfer> = {},
): IncomingTransfer => ({
  chain: 'CELO',
  hash: hashOf(name),
  otherHashes: [],
  address: addressOf(name),
  token: tokenNamed('CELO', 'USDC')!,
  received,
  senders: ['0xb0'],
  block: 10,
  at: EARLY,
  finalAt: EARLY,
  ...fields,
});
export const INCOMING_TRANSFERS: readonly IncomingTransfer[] = [
  incomingTransfer('paid', 7_809_054n),
  incomingTransfer('tolerated', 7_799_054n),
  incomingTransfer('topped', 3_000_000n),
  incomingTransfer('topped', 4_809_054n, { hash: hashOf('topped', '2'), block: 11, at: GRACE, finalAt: LATE }),
  incomingTransfer('over', 9_000_000n),
  incomingTransfer('under', 7_799_053n),
  incomingTransfer('late', 7_809_054n, { at: LATE, finalAt: LATE }),
  incomingTransfer('asset', 7_809_054n, { token: tokenNamed('CELO', 'USDT')! }),
  incomingTransfer('network', 7_809_054n, { chain: 'BASE', token: tokenNamed('BASE', 'USDC')! }),
  incomingTransfer('waits', 7_809_054n, { finalAt: null }),
  incomingTransfer('screened', 7_809_054n, { senders: [SCREENED_SENDER.toLowerCase()] }),
];
const END: Readonly<Record<Name, readonly [status: string, reason: string]>> = {
  paid: ['COMPLETE', ''],
  tolerated: ['COMPLETE', ''],
  topped: ['COMPLETE', ''],
  over: ['COMPLETE', 'overpaid'],
  under: ['FAILED', 'underpaid'],
  late: ['FAILED', 'late'],
  asset: ['FAILED', 'wrong_asset'],
  network: ['FAILED', 'wrong_network'],
  never: ['FAILED', 'expired'],
  waits: ['PROCESSING', ''],
  screened: ['FAILED', 'expired'],
};
export const row = (name: Name, fields: Partial<OrderRow> = {}): OrderRow => {
  const { address, network, asset, asset_amount, rate, amount, expires_at } = answer(name);
  const [status, reason] = END[name];
  return {
    order_id: name,
    status,
    reason,
    message: 'm',
    address,
    network,
    asset,
    asset_amount,
    received_amount: '',
    rate,
    amount,
    expires_at,
    transaction_hash: name === 'never' ? null : hashOf(name),
    ...fields,
  };
};
export const COMPLETE = NAMES.filter((name) => END[name][0] === 'COMPLETE');
export const credit = (name: Name, fields: Partial<StatusRow> = {}): OrdersView['credits'][number] => ({
  partner: 1,
  row: {
    id: numberOf(name),
    transaction_code: `c-${name}`,
    status: 'COMPLETE',
    amount: '1000.00',
    currency_code: 'KES',
    type: 'CHECKOUT',
    category: 'COLLECTION',
    is_released: true,
    order_id: name,
    ...fields,
  } as unknown as StatusRow,
});
export const entry = (name: Name, amount = 100_000n): OrdersView['entries'][number] => ({
  partner: 1,
  currency: 'KES',
  code: `c-${name}`,
  kind: 'checkout',
  amount,
});
export const hook = (
  name: Name,
  sequence: number,
  status: string,
  fields: Partial<ReceivedWebhook> = {},
): ReceivedWebhook => {
  const payload = { status, order_id: name, message: 'm' };
  return {
    path: '/',
    headers: {},
    rawBody: JSON.stringify(payload),
    payload: payload as unknown as ReceivedWebhook['payload'],
    id: `${numberOf(name)}_${sequence}`,
    sequence,
    event: `order.${status.toLowerCase()}`,
    partner: 1,
    ...fields,
  };
};
export const hooksOf = (name: Name): ReceivedWebhook[] => {
  const [status] = END[name];
  const said = name === 'never' ? [status] : status === 'PROCESSING' ? [status] : ['PROCESSING', status];
  return said.map((one, index) => hook(name, index + 1, one));
};

export const orders = (change: Partial<OrdersView> = {}): Pick<OutsideView, 'orders'> => ({
  orders: {
    sent: NAMES.map((name) => sent(name)),
    rows: new Map(NAMES.map((name) => [orderKey({ partner: 1, id: name }), row(name)])),
    credits: COMPLETE.map((name) => credit(name)),
    entries: COMPLETE.map((name) => entry(name)),
    at: NOW,
    ...change,
  },
});
export const chain = (
  incomingTransfers: readonly IncomingTransfer[] = INCOMING_TRANSFERS,
): Pick<OutsideView, 'deposits'> => ({
  deposits: {
    books: ['CELO', 'BASE'].map((name) => ({
      chain: name,
      height: 99,
      incomingTransfers: incomingTransfers.filter((one) => one.chain === name),
      reverted: new Set<string>(),
    })),
    addresses: new Map([[1, { evm: '0x00000000000000000000000000000000000000a1' }]]),
    rates: new Map([['KES', always('128.0565')]]),
  },
});
export const wallet = (by: bigint): Pick<OutsideView, 'wallets'> => ({
  wallets: [{ partner: 1, currency: 'KES', before: 5n, after: 5n + 100_000n * BigInt(COMPLETE.length) + by }],
});
export const sound = (...changes: Partial<OutsideView>[]): OutsideView =>
  Object.assign(
    { sent: [], rows: new Map(), webhooks: NAMES.flatMap(hooksOf), books: [], ...wallet(0n), ...chain(), ...orders() },
    ...changes,
  ) as OutsideView;

export const rows = (...changed: OrderRow[]): Partial<OutsideView> =>
  orders({
    rows: new Map([
      ...sound().orders!.rows,
      ...changed.map((one) => [orderKey({ partner: 1, id: one.order_id }), one] as const),
    ]),
  });
export const asked = (name: Name, fields: Partial<SentOrder>): Partial<OutsideView> =>
  orders({ sent: NAMES.map((one) => sent(one, one === name ? fields : {})) });
export const replaced = (name: Name, ...incomingTransfers: IncomingTransfer[]): Partial<OutsideView> =>
  chain([...INCOMING_TRANSFERS.filter(({ address }) => address !== addressOf(name)), ...incomingTransfers]);
export const told = (name: Name, ...hooks: ReceivedWebhook[]): Partial<OutsideView> => ({
  webhooks: [...sound().webhooks.filter(({ payload }) => payload.order_id !== name), ...hooks],
});
export const faultsOf = (changes: Partial<OutsideView>[], rules: OutsideRules = { everyWebhook: true }): string =>
  checkOutside(sound(...changes), rules).join('\n');
