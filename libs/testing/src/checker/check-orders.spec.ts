import { describe, expect, it } from '@jest/globals';

import type { AskedRefund } from '../partner/asked-refund.js';
import type { Arrival } from '../books/chain-book.js';
import { SCREENED_SENDER, tokenNamed } from '../books/chain-facts.js';
import { checkAnytime, checkOutside } from './check-outside.js';
import type { OrdersView, OutsideRules, OutsideView } from './outside-view.js';
import { always } from '../books/rates-in-force.js';
import type { Outflow } from '../books/refund-outflows.js';
import { orderKey, type OrderAnswer, type OrderRow, type SentOrder } from '../partner/sent-order.js';
import type { StatusRow } from '../partner/status-row.js';
import type { ReceivedWebhook } from '../partner/webhook-receiver.js';

const RATE = 128.0565;
const DUE = '7.809054';
const EXPIRES = '2026-01-02T12:07:00.000Z';
const EARLY = new Date('2026-01-02T12:03:00.000Z');
const GRACE = new Date('2026-01-02T12:07:30.000Z');
const LATE = new Date('2026-01-02T12:07:31.000Z');
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
type Name = (typeof NAMES)[number];
const numberOf = (name: Name): number => 5_000_000_000_000_000 + NAMES.indexOf(name);
const addressOf = (name: Name): string => `0x${(NAMES.indexOf(name) + 1).toString(16).padStart(40, '0')}`;
const hashOf = (name: Name, digit = '1'): string =>
  `0x${digit}${(NAMES.indexOf(name) + 1).toString(16).padStart(63, '0')}`;

const answer = (name: Name, fields: Partial<OrderAnswer> = {}): OrderAnswer => ({
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
const arrival = (name: Name, received: bigint, fields: Partial<Arrival> = {}): Arrival => ({
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
const ARRIVALS: readonly Arrival[] = [
  arrival('paid', 7_809_054n),
  arrival('tolerated', 7_799_054n),
  arrival('topped', 3_000_000n),
  arrival('topped', 4_809_054n, { hash: hashOf('topped', '2'), block: 11, at: GRACE, finalAt: LATE }),
  arrival('over', 9_000_000n),
  arrival('under', 7_799_053n),
  arrival('late', 7_809_054n, { at: LATE, finalAt: LATE }),
  arrival('asset', 7_809_054n, { token: tokenNamed('CELO', 'USDT')! }),
  arrival('network', 7_809_054n, { chain: 'BASE', token: tokenNamed('BASE', 'USDC')! }),
  arrival('waits', 7_809_054n, { finalAt: null }),
  arrival('screened', 7_809_054n, { senders: [SCREENED_SENDER.toLowerCase()] }),
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
const row = (name: Name, fields: Partial<OrderRow> = {}): OrderRow => {
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
const COMPLETE = NAMES.filter((name) => END[name][0] === 'COMPLETE');
const credit = (name: Name, fields: Partial<StatusRow> = {}): OrdersView['credits'][number] => ({
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
const entry = (name: Name, amount = 100_000n): OrdersView['entries'][number] => ({
  partner: 1,
  currency: 'KES',
  code: `c-${name}`,
  kind: 'checkout',
  amount,
});
const hook = (name: Name, sequence: number, status: string, fields: Partial<ReceivedWebhook> = {}): ReceivedWebhook => {
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
const hooksOf = (name: Name): ReceivedWebhook[] => {
  const [status] = END[name];
  const said = name === 'never' ? [status] : status === 'PROCESSING' ? [status] : ['PROCESSING', status];
  return said.map((one, index) => hook(name, index + 1, one));
};

const orders = (change: Partial<OrdersView> = {}): Pick<OutsideView, 'orders'> => ({
  orders: {
    sent: NAMES.map((name) => sent(name)),
    rows: new Map(NAMES.map((name) => [orderKey({ partner: 1, id: name }), row(name)])),
    credits: COMPLETE.map((name) => credit(name)),
    entries: COMPLETE.map((name) => entry(name)),
    at: NOW,
    ...change,
  },
});
const chain = (arrivals: readonly Arrival[] = ARRIVALS): Pick<OutsideView, 'deposits'> => ({
  deposits: {
    books: ['CELO', 'BASE'].map((name) => ({
      chain: name,
      height: 99,
      arrivals: arrivals.filter((one) => one.chain === name),
      reverted: new Set<string>(),
    })),
    addresses: new Map([[1, { evm: '0x00000000000000000000000000000000000000a1' }]]),
    rates: new Map([['KES', always('128.0565')]]),
  },
});
const wallet = (by: bigint): Pick<OutsideView, 'wallets'> => ({
  wallets: [{ partner: 1, currency: 'KES', before: 5n, after: 5n + 100_000n * BigInt(COMPLETE.length) + by }],
});
const sound = (...changes: Partial<OutsideView>[]): OutsideView =>
  Object.assign(
    { sent: [], rows: new Map(), webhooks: NAMES.flatMap(hooksOf), books: [], ...wallet(0n), ...chain(), ...orders() },
    ...changes,
  ) as OutsideView;

const rows = (...changed: OrderRow[]): Partial<OutsideView> =>
  orders({
    rows: new Map([
      ...sound().orders!.rows,
      ...changed.map((one) => [orderKey({ partner: 1, id: one.order_id }), one] as const),
    ]),
  });
const asked = (name: Name, fields: Partial<SentOrder>): Partial<OutsideView> =>
  orders({ sent: NAMES.map((one) => sent(one, one === name ? fields : {})) });
const replaced = (name: Name, ...arrivals: Arrival[]): Partial<OutsideView> =>
  chain([...ARRIVALS.filter(({ address }) => address !== addressOf(name)), ...arrivals]);
const told = (name: Name, ...hooks: ReceivedWebhook[]): Partial<OutsideView> => ({
  webhooks: [...sound().webhooks.filter(({ payload }) => payload.order_id !== name), ...hooks],
});
const faultsOf = (changes: Partial<OutsideView>[], rules: OutsideRules = { everyWebhook: true }): string =>
  checkOutside(sound(...changes), rules).join('\n');

describe('the check of orders from outside', () => {
  it('finds nothing where each ended by what came to its address', () => {
    expect(faultsOf([])).toBe('');
    expect(checkAnytime(sound())).toEqual([]);
    expect(faultsOf([chain([...ARRIVALS, arrival('never', 1n, { address: '0xb2' })])])).toBe('');
  });

  it('finds one that was answered at a rate of before, whatever it says', () => {
    const moved = Date.parse('2026-01-02T11:50:00.000Z');
    const rates = new Map([
      [
        'KES',
        [
          { rate: '128.0565', from: -Infinity, until: moved },
          { rate: '129', from: moved, until: Infinity },
        ],
      ],
    ]);
    expect(faultsOf([{ deposits: { ...sound().deposits!, rates } }])).toMatch(
      /order paid has the rate 128.0565, and not 129$/m,
    );
    const justMoved = new Map([
      [
        'KES',
        [
          { rate: '128.0565', from: -Infinity, until: Date.parse('2026-01-02T11:59:30.000Z') },
          { rate: '129', from: Date.parse('2026-01-02T11:59:30.000Z'), until: Infinity },
        ],
      ],
    ]);
    expect(faultsOf([{ deposits: { ...sound().deposits!, rates: justMoved } }])).toBe('');
  });

  it.each<[string, Partial<OutsideView>[], RegExp]>([
    [
      'was answered and is gone',
      [rows(), orders({ rows: new Map([...sound().orders!.rows, ['1 order paid', null]]) })],
      /order paid was answered 200 and is not there/,
    ],
    ['was refused and is there', [asked('never', { outcome: 'refused' })], /order never was refused and exists/],
    [
      'has the address of another one',
      [asked('paid', { answers: [answer('paid', { address: addressOf('never') })] })],
      /order never has the address 0x0+9 of order paid/,
    ],
    [
      'has the address of its partner',
      [asked('paid', { answers: [answer('paid', { address: '0x00000000000000000000000000000000000000A1' })] })],
      /order paid has the address 0x0+a1 of partner 1/,
    ],
    [
      'was answered in two ways',
      [asked('paid', { answers: [answer('paid'), answer('paid', { asset_amount: '7.809055' })] })],
      /order paid was answered in two ways/,
    ],
    [
      'asks for a unit too much',
      [asked('paid', { answers: [answer('paid', { asset_amount: '7.809055' })] })],
      /order paid asks for 7.809055 USDC/,
    ],
    [
      'asks for too little',
      [asked('paid', { answers: [answer('paid', { asset_amount: '7.809053' })] })],
      /order paid asks for 7.809053 USDC/,
    ],
    [
      'tells too few dollars',
      [asked('paid', { answers: [answer('paid', { amount: 7.8 })] })],
      /order paid is said to be 7.8 dollars/,
    ],
    [
      'is at another rate',
      [asked('paid', { answers: [answer('paid', { rate: 128.1, asset_amount: '7.806402' })] })],
      /order paid has the rate 128.1/,
    ],
    [
      'is another one than was asked for',
      [asked('paid', { answers: [answer('paid', { network: 'BASE' })] })],
      /order paid is answered as paid in USDC on BASE/,
    ],
    [
      'tells another address later',
      [rows(row('paid', { address: addressOf('never') }))],
      /order paid has the address 0x0+9, and was answered/,
    ],
    [
      'went back',
      [asked('paid', { seen: ['PENDING', 'PROCESSING', 'PENDING'] })],
      /order paid went back: PENDING, PROCESSING, PENDING/,
    ],
  ])('at any time: one that %s', (_, changes, fault) => {
    expect(checkAnytime(sound(...changes)).join('\n')).toMatch(fault);
    expect(faultsOf(changes)).toMatch(fault);
  });

  it.each<[string, Partial<OutsideView>[], RegExp]>([
    ['is COMPLETE by nothing', [replaced('paid')], /order paid ended COMPLETE , and should have ended FAILED/],
    [
      'is COMPLETE by too little',
      [replaced('paid', arrival('paid', 7_799_053n))],
      /order paid ended COMPLETE , and should have ended FAILED/,
    ],
    [
      'is COMPLETE by what came too late',
      [replaced('paid', arrival('paid', 7_809_054n, { at: LATE }))],
      /order paid ended COMPLETE , and should have ended FAILED/,
    ],
    [
      'is COMPLETE by another token',
      [replaced('paid', arrival('paid', 7_809_054n, { token: tokenNamed('CELO', 'USDT')! }))],
      /order paid ended COMPLETE/,
    ],
    [
      'is COMPLETE on another chain',
      [replaced('paid', arrival('paid', 7_809_054n, { chain: 'BASE', token: tokenNamed('BASE', 'USDC')! }))],
      /order paid ended COMPLETE/,
    ],
    [
      'is COMPLETE before it is final',
      [replaced('paid', arrival('paid', 7_809_054n, { finalAt: null }))],
      /order paid ended COMPLETE , and should have ended PROCESSING/,
    ],
    [
      'is COMPLETE by who is on the list',
      [replaced('paid', arrival('paid', 7_809_054n, { senders: [SCREENED_SENDER.toLowerCase()] }))],
      /order paid ended COMPLETE/,
    ],
    [
      'is COMPLETE by what came to another order',
      [replaced('paid', arrival('paid', 7_809_054n, { address: addressOf('over') }))],
      /order paid ended COMPLETE/,
    ],
    [
      'FAILED though enough came',
      [replaced('under', arrival('under', 7_799_054n))],
      /order under ended FAILED underpaid, and should have ended COMPLETE/,
    ],
    [
      'FAILED though enough came in the last second',
      [replaced('late', arrival('late', 7_809_054n, { at: GRACE }))],
      /order late ended FAILED late, and should have ended COMPLETE/,
    ],
    [
      'FAILED though it has time',
      [orders({ at: GRACE })],
      /order never ended FAILED expired, and should have ended PENDING or PROCESSING/,
    ],
    [
      'FAILED though what came may yet be final',
      [rows(row('waits', { status: 'FAILED', reason: 'expired' }))],
      /order waits ended FAILED expired, and should have ended PROCESSING/,
    ],
    [
      'never ends',
      [rows(row('never', { status: 'PENDING', reason: '' }))],
      /order never has not ended: PENDING instead of FAILED/,
    ],
    [
      'says nothing of what is over',
      [rows(row('over', { reason: '' }))],
      /order over is COMPLETE for the reason '', and not 'overpaid'/,
    ],
    [
      'has another reason',
      [rows(row('network', { reason: 'late' }))],
      /order network is FAILED for the reason 'late', and not 'wrong_network'/,
    ],
    [
      'has expired though something came',
      [rows(row('late', { reason: 'expired' }))],
      /order late is FAILED for the reason 'expired', and not 'late'/,
    ],
    [
      'names a transfer of nobody',
      [rows(row('paid', { transaction_hash: hashOf('over') }))],
      /order paid names the transfer 0x1/,
    ],
    ['names none', [rows(row('paid', { transaction_hash: '' }))], /order paid names the transfer/],
  ])('the end: one that %s', (_, changes, fault) => {
    expect(faultsOf(changes)).toMatch(fault);
  });

  it.each<[string, Partial<OutsideView>[], RegExp]>([
    [
      'no row',
      [orders({ credits: COMPLETE.filter((name) => name !== 'paid').map((name) => credit(name)) })],
      /order paid is COMPLETE, and was credited 0 times/,
    ],
    [
      'two rows',
      [orders({ credits: [...COMPLETE, 'paid' as const].map((name) => credit(name)) })],
      /order paid is COMPLETE, and was credited 2 times/,
    ],
    [
      'a row though it FAILED',
      [orders({ credits: [...COMPLETE, 'under' as const].map((name) => credit(name)) })],
      /order under is FAILED, and was credited 1 times/,
    ],
    [
      'a row of an order that nobody sent',
      [orders({ credits: [...COMPLETE.map((name) => credit(name)), credit('paid', { order_id: 'x' })] })],
      /c-paid credits an order that nobody sent/,
    ],
    [
      'another amount',
      [orders({ credits: COMPLETE.map((name) => credit(name, name === 'paid' ? { amount: '1000.01' } : {})) })],
      /order paid is credited as COLLECTION COMPLETE 1000.01 KES/,
    ],
    [
      'a row that is no collection',
      [orders({ credits: COMPLETE.map((name) => credit(name, { category: 'DISBURSEMENT' })) })],
      /order paid is credited as DISBURSEMENT/,
    ],
    [
      "nothing in the wallet's book",
      [orders({ entries: COMPLETE.filter((name) => name !== 'paid').map((name) => entry(name)) })],
      /order paid brought its wallet 0, and is 100000 KES/,
    ],
    [
      "too much in the wallet's book",
      [orders({ entries: [...COMPLETE, 'paid' as const].map((name) => entry(name)) })],
      /order paid brought its wallet 200000/,
    ],
    ['less in the wallet', [wallet(-100_000n)], /wallet KES of partner 1 is \d+, and should be \d+/],
    ['a cent too much in the wallet', [wallet(1n)], /wallet KES of partner 1/],
  ])('the credit: %s', (_, changes, fault) => {
    expect(faultsOf(changes)).toMatch(fault);
  });

  it("takes a credit of several deposits for one, and what is left over for the wallet's where that is the policy", () => {
    expect(
      faultsOf([
        orders({
          entries: [
            ...COMPLETE.filter((name) => name !== 'topped').map((name) => entry(name)),
            entry('topped', 38_416n),
            entry('topped', 61_584n),
          ],
        }),
      ]),
    ).toBe('');
    // 1.190946 over, then 7.799053, and four times 7.809054 that were used for nothing.
    expect(faultsOf([wallet(15_250n + 99_871n + 4n * 100_000n)], { unapplied: 'wallet' })).toBe('');
    expect(faultsOf([], { unapplied: 'wallet' })).toMatch(/wallet KES/);
  });

  it('holds a partner to what was credited and vanished', () => {
    const vanishedOrders = new Map([[orderKey({ partner: 1, id: 'paid' }), ARRIVALS[0]!]]);
    expect(faultsOf([replaced('paid'), wallet(-100_000n)], { vanishedOrders })).toBe('');
    expect(faultsOf([replaced('paid')], { vanishedOrders })).toMatch(/wallet KES/);
  });

  it.each<[string, Partial<OutsideView>[], RegExp]>([
    ['silence', [told('paid')], /order paid: ended COMPLETE, and its last webhook says nothing/],
    [
      'an end that was not told',
      [told('paid', hook('paid', 1, 'PROCESSING'))],
      /order paid: ended COMPLETE, and its last webhook says PROCESSING/,
    ],
    ['a beginning that was not told', [told('paid', hook('paid', 1, 'COMPLETE'))], /order paid: was told 1 COMPLETE/],
    [
      'a gap',
      [told('paid', hook('paid', 1, 'PROCESSING'), hook('paid', 3, 'COMPLETE'))],
      /order paid: was told 1 PROCESSING, 3 COMPLETE/,
    ],
    [
      'an end of what is open',
      [told('waits', hook('waits', 1, 'PROCESSING'), hook('waits', 2, 'COMPLETE'))],
      /order waits: is PROCESSING, and a webhook says COMPLETE/,
    ],
    [
      'two ends',
      [told('paid', hook('paid', 1, 'PROCESSING'), hook('paid', 2, 'FAILED'), hook('paid', 3, 'COMPLETE'))],
      /order paid: went back from FAILED to COMPLETE/,
    ],
    [
      'two contents under one id',
      [told('paid', ...hooksOf('paid'), hook('paid', 2, 'COMPLETE', { rawBody: '{}' }))],
      /order paid: webhook 2 came with two contents/,
    ],
    [
      'two numbers',
      [told('paid', hook('paid', 1, 'PROCESSING'), hook('paid', 2, 'COMPLETE', { id: '7_2' }))],
      /order paid: webhook-id 7_2 is no number of it/,
    ],
    [
      'another number than it is credited by',
      [told('paid', ...hooksOf('paid').map((one) => ({ ...one, id: `7_${one.sequence}` })))],
      /order paid is told as 7, and credited as 5000000000000000/,
    ],
    [
      'the number of another order',
      [told('under', ...hooksOf('under').map((one) => ({ ...one, id: `${numberOf('paid')}_${one.sequence}` })))],
      /orders under and paid are told under one number/,
    ],
    [
      'the event of a transaction',
      [told('paid', hook('paid', 1, 'PROCESSING'), hook('paid', 2, 'COMPLETE', { event: 'transaction.complete' }))],
      /order paid: x-vuka-event transaction.complete/,
    ],
    [
      'a signature of another partner',
      [told('paid', ...hooksOf('paid'), hook('paid', 2, 'COMPLETE', { partner: 2 }))],
      /a webhook tells of 2 order paid, which nobody sent/,
    ],
    [
      'a signature of nobody',
      [told('paid', ...hooksOf('paid').map((one) => ({ ...one, partner: null })))],
      /is signed by nobody/,
    ],
    ['one that nobody asked for', [asked('paid', { isTold: false })], /order paid was told, and nobody asked for it/],
    [
      "another word than its row's",
      [rows(row('paid', { message: 'other' }))],
      /order paid: its final webhook says something else/,
    ],
  ])('the webhooks: %s', (_, changes, fault) => {
    expect(faultsOf(changes)).toMatch(fault);
  });

  it('lets a non-final webhook be overtaken where it may be', () => {
    expect(faultsOf([told('paid', hook('paid', 2, 'COMPLETE'))], {})).toBe('');
  });

  describe('of what goes back', () => {
    const THEIRS = '0xAb5801a7D398351b8bE11C439e05C5B3259aeC9B';
    const back = (name: Name, amount: string, ...left: bigint[]): Partial<OutsideView> => {
      const request: AskedRefund = {
        partner: 1,
        chain: 'CELO',
        hash: hashOf(name),
        to: THEIRS,
        told: { address: THEIRS, asset: 'USDC', amount },
      };
      return {
        refunds: {
          asked: [request],
          outflows: left.map((value): Outflow => ({
            chain: 'CELO',
            hash: '0x2',
            to: THEIRS.toLowerCase(),
            symbol: 'USDC',
            value,
          })),
        },
      };
    };

    it('takes what was left over, and all of what was used for nothing', () => {
      expect(faultsOf([back('over', '1.190946', 1_190_946n)])).toBe('');
      expect(faultsOf([back('under', '7.799053', 7_799_053n)])).toBe('');
      expect(faultsOf([back('late', '7.809054')])).toBe('');
    });

    it.each<[string, Partial<OutsideView>, RegExp]>([
      [
        'with what was used',
        back('over', '9.000000', 9_000_000n),
        /9.000000 USDC of 0x1\w+ on CELO is told to go back, and did not come, or was used[^]*9000000 USDC to 0xab\w+ on CELO left a refund wallet 1 times, and 0 were/,
      ],
      ['of what was used', back('paid', '7.809054'), /7.809054 USDC of 0x1\w+ on CELO is told to go back/],
      ['twice', back('over', '1.190946', 1_190_946n, 1_190_946n), /2 times, and 1 were asked for/],
    ])('finds what goes back %s', (_, change, fault) => {
      expect(faultsOf([change])).toMatch(fault);
    });
  });
});
