import { describe, expect, it } from '@jest/globals';

import type { Arrival, ChainBook } from '../books/chain-book.js';
import { blocksOnTop, CHAIN_FACTS, SCREENED_SENDER, tokenNamed } from '../books/chain-facts.js';
import { checkAnytime, checkOutside } from './check-outside.js';
import { toleratedOf } from './deposit-fate.js';
import type { HeldQuote, NamedDeposit } from '../partner/named-deposit.js';
import type { OutsideRules, OutsideView } from './outside-view.js';
import type { BookEntry } from '../books/rail-book.js';
import { always, type RateInForce, type RatesInForce } from '../books/rates-in-force.js';
import { key, type PayBody, type SentPayout } from '../partner/sent-payout.js';
import type { StatusRow } from '../partner/status-row.js';

const ADDRESS = '0x00000000000000000000000000000000000000a1';
const CREATED = '2026-01-02T12:00:00.000Z';
const PAID_AT = '2026-01-02T12:01:00.000Z';
const MINUTE_MS = 60_000;
const [RATE, QUOTED] = ['128.0565', '130.5'];
const NAMES = [
  'paid',
  'quoted',
  'short',
  'failed',
  'refunded',
  'underpaid',
  'wrong',
  'late',
  'nothing',
  'reverted',
  'held',
  'screened',
] as const;
type Name = (typeof NAMES)[number];

/** The quote was given a minute before the pays came, when it was in force. */
const RATES: RatesInForce = new Map([
  [
    'KES',
    [
      { rate: QUOTED, from: -Infinity, until: Date.parse('2026-01-02T11:58:30.000Z') },
      { rate: RATE, from: Date.parse('2026-01-02T11:58:30.000Z'), until: Infinity },
    ],
  ],
]);

const hashOf = (name: Name): string => `0x${(NAMES.indexOf(name) + 1).toString(16).padStart(64, '0')}`;
const quote: HeldQuote = {
  quote_id: '0190a0b0-0000-7000-8000-000000000001',
  rate: QUOTED,
  amount: '1000.00',
  asset_amount: '7.662836',
  amount_in_usd: '7.67',
  settlement_wallet_address: ADDRESS,
  memo_address: '',
  memo: '',
  expires_in: 300,
  expires_at: '2026-01-02T12:04:00.000Z',
  chain: 'CELO',
  asset: 'USDC',
};

const shortcodeOf = (name: Name): string => {
  const { body } = SENT[name];
  return 'shortcode' in body ? String(body.shortcode) : '';
};

/** A pay of KES 1,000.00 with a markup of 25, by USDC on CELO. */
function sent(
  name: Name,
  { number = '7890', ...deposit }: Partial<NamedDeposit> & { number?: string } = {},
): SentPayout {
  const body: PayBody = {
    amount: '1000',
    fee: '25',
    type: 'MOBILE',
    shortcode: `071234${number}`,
    mobile_network: 'Safaricom',
    transaction_hash: hashOf(name),
  };
  const named: NamedDeposit = {
    chain: 'CELO',
    hash: hashOf(name),
    asset: 'USDC',
    quote: null,
    refundTo: null,
    ...deposit,
  };
  return {
    partner: 1,
    operation: 'pay',
    currency: 'KES',
    code: name,
    body,
    outcome: 'accepted',
    controls: [],
    deposit: named,
  };
}

const SENT: Readonly<Record<Name, SentPayout>> = {
  paid: sent('paid'),
  quoted: sent('quoted', { quote }),
  short: sent('short'),
  failed: sent('failed', { number: '0001' }),
  refunded: sent('refunded', { number: '0001', refundTo: ADDRESS }),
  underpaid: sent('underpaid'),
  wrong: sent('wrong'),
  late: sent('late'),
  nothing: sent('nothing'),
  reverted: sent('reverted'),
  held: sent('held'),
  screened: sent('screened'),
};

function arrival(name: Name, received: bigint, fields: Partial<Arrival> = {}): Arrival {
  return {
    chain: 'CELO',
    hash: hashOf(name),
    otherHashes: [],
    address: ADDRESS,
    token: tokenNamed('CELO', 'USDC')!,
    received,
    senders: ['0xb0'],
    block: 10,
    at: new Date(CREATED),
    finalAt: new Date(Date.parse(PAID_AT) - MINUTE_MS / 2),
    ...fields,
  };
}

/** 1,000.00 is 7.809053 USDC of the day, and 7.662836 of the quote. */
const ARRIVALS: Readonly<Record<Exclude<Name, 'nothing' | 'reverted'>, Arrival>> = {
  paid: arrival('paid', 8_000_000n),
  quoted: arrival('quoted', 7_662_836n),
  short: arrival('short', 7_800_000n),
  failed: arrival('failed', 8_000_000n),
  refunded: arrival('refunded', 8_000_000n),
  underpaid: arrival('underpaid', 7_000_000n),
  wrong: arrival('wrong', 8_000_000n, { token: tokenNamed('CELO', 'USDT')! }),
  late: arrival('late', 8_000_000n, { at: new Date(Date.parse(CREATED) - 25 * 60 * MINUTE_MS) }),
  held: arrival('held', 8_000_000n, { finalAt: null }),
  screened: arrival('screened', 8_000_000n, { senders: [SCREENED_SENDER.toLowerCase()] }),
};
/** 8 USDC are 1,024.45; 975.00 went out. Short: 7.8 USDC are 998.84, and the markup pays for what is missing. Failed: all of it, but for what goes back on the chain. */
const BROUGHT = 102_445n - 97_500n + (100_000n - 97_500n) + (99_884n - 97_500n) + 102_445n;

const END: Readonly<Record<Name, readonly [status: string, code: string, asset: string, rate: string]>> = {
  paid: ['COMPLETE', '', 'USDC', RATE],
  quoted: ['COMPLETE', '', 'USDC', QUOTED],
  short: ['COMPLETE', '', 'USDC', RATE],
  failed: ['FAILED', 'rail_rejected', 'USDC', RATE],
  refunded: ['FAILED', 'rail_rejected', 'USDC', RATE],
  underpaid: ['FAILED', 'underpaid', 'USDC', RATE],
  wrong: ['FAILED', 'wrong_asset', 'USDT', RATE],
  late: ['FAILED', 'deposit_late', 'USDC', RATE],
  nothing: ['FAILED', 'no_matching_transfer', 'USDC', ''],
  reverted: ['FAILED', 'transfer_failed', 'USDC', ''],
  held: ['PROCESSING', '', 'USDC', ''],
  screened: ['PROCESSING', '', 'USDC', RATE],
};

function row(name: Name, fields: Partial<StatusRow> = {}): StatusRow {
  const [status, failure_code, asset, rate] = END[name];
  const isPaid = status === 'COMPLETE';
  const dollars: Record<string, string> = { [RATE]: '7.81', [QUOTED]: '7.66', '': '0.00' };
  return {
    id: NAMES.indexOf(name) + 1,
    transaction_code: name,
    status,
    amount: '1000.00',
    type: 'MOBILE',
    shortcode: shortcodeOf(name),
    account_number: null,
    bank_code: '',
    mobile_network: 'Safaricom',
    public_name: isPaid ? 'TEST 7890' : null,
    receipt_number: isPaid ? `R-${name}` : null,
    currency_code: 'KES',
    fee: '25.00',
    service_fee: '0.00',
    failure_code,
    message: 'm',
    chain: 'CELO',
    asset,
    rate,
    transaction_hash: hashOf(name),
    quote_id: name === 'quoted' ? quote.quote_id : '',
    amount_in_usd: dollars[rate],
    refund: name === 'refunded' ? 'COMPLETE' : '',
    created_at: CREATED,
    updated_at: PAID_AT,
    ...fields,
  };
}

const entry = (name: Name, fields: Partial<BookEntry> = {}): BookEntry => ({
  sequence: 1,
  at: PAID_AT,
  id: 'x',
  status: 'PAID',
  amount: '975.00',
  currency: 'KES',
  recipient: { shortcode: shortcodeOf(name) },
  receipt: `R-${name}`,
  ...fields,
});
const ENTRIES = (['paid', 'quoted', 'short'] as const).map((name) => entry(name));

const book = (arrivals: readonly Arrival[], fields: Partial<ChainBook> = {}): ChainBook => ({
  chain: 'CELO',
  height: 100,
  arrivals,
  reverted: new Set([hashOf('reverted')]),
  ...fields,
});
const viewOf = (...books: ChainBook[]): Partial<OutsideView> => ({
  deposits: { books, addresses: new Map([[1, { evm: ADDRESS }]]), rates: RATES },
});

function sound(...changes: Partial<OutsideView>[]): OutsideView {
  const whole: OutsideView = {
    sent: NAMES.map((name) => SENT[name]),
    rows: new Map(NAMES.map((name) => [key(SENT[name]), row(name)])),
    webhooks: [],
    books: ENTRIES,
    wallets: [{ partner: 1, currency: 'KES', before: 5n, after: 5n + BROUGHT }],
    ...viewOf(book(Object.values(ARRIVALS))),
  };
  return Object.assign({}, whole, ...changes) as OutsideView;
}

const rows = (...changed: StatusRow[]): Partial<OutsideView> => ({
  rows: new Map([
    ...sound().rows,
    ...changed.map((one) => [key({ partner: 1, code: one.transaction_code }), one] as const),
  ]),
});
const chain = (changed: Partial<Record<Name, Arrival | null>>, ...more: Arrival[]): Partial<OutsideView> =>
  viewOf(book([...Object.values({ ...ARRIVALS, ...changed }).filter((one) => one !== null), ...more]));
const brought = (by: bigint): Partial<OutsideView> => ({
  wallets: [{ partner: 1, currency: 'KES', before: 5n, after: 5n + BROUGHT + by }],
});
const faultsOf = (changes: Partial<OutsideView>[], rules: OutsideRules = {}): string =>
  checkOutside(sound(...changes), rules).join('\n');

describe('what may be missing of what is due', () => {
  it.each([
    [7_809_053n, 10_000n],
    [20_000_000n, 20_000n],
    [1_000_000n, 10_000n],
    [500_000n, 5_000n],
    [154_618n, 1_546n],
    [99n, 0n],
  ])('of %d with six decimals is %d', (due, tolerated) => {
    expect(toleratedOf(due, { decimals: 6 })).toBe(tolerated);
  });
});

describe('the check of deposits from outside', () => {
  it('finds nothing where each transfer is in one place, also one that nobody claims', () => {
    expect(checkOutside(sound())).toEqual([]);
    expect(checkAnytime(sound())).toEqual([]);
    expect(faultsOf([chain({}, arrival('paid', 1n, { hash: `0x${'f'.repeat(64)}` }))])).toBe('');
    expect(faultsOf([chain({}, arrival('paid', 1n, { address: '0xb2', token: tokenNamed('CELO', 'USDT')! }))])).toBe(
      '',
    );
  });

  describe('of what a chain took back after it had been told', () => {
    const gone = (name: keyof typeof ARRIVALS): OutsideRules => ({
      vanished: new Map([[key(SENT[name]), ARRIVALS[name]]]),
    });
    const without = (name: keyof typeof ARRIVALS): Partial<OutsideView> => chain({ [name]: null });

    it('holds its partner to what it was worth where it had been paid or credited, and to nothing where it had not', () => {
      expect(faultsOf([without('paid'), brought(-102_445n)], gone('paid'))).toBe('');
      expect(faultsOf([without('failed'), brought(-102_445n)], gone('failed'))).toBe('');
      const ended = row('screened', { status: 'FAILED', failure_code: 'deposit_reverted' });
      expect(faultsOf([without('screened'), rows(ended)], gone('screened'))).toBe('');
    });

    it('finds a debt that was not collected, one that nobody owes, and a payout that nothing pays for any more', () => {
      expect(faultsOf([without('paid')], gone('paid'))).toMatch(/wallet KES of partner 1/);
      expect(faultsOf([without('paid'), brought(-102_445n)])).toMatch(/paid is COMPLETE , and no transfer paid for it/);
      expect(
        faultsOf([
          rows(
            row('paid', {
              status: 'FAILED',
              failure_code: 'deposit_reverted',
              receipt_number: null,
              public_name: null,
            }),
          ),
        ]),
      ).toMatch(/paid ended FAILED, and should have ended COMPLETE/);
    });
  });

  it.each<[string, Partial<OutsideView>[], RegExp]>([
    [
      'was paid for by nothing',
      [chain({ paid: null })],
      /paid ended COMPLETE, and should have ended FAILED[^]*paid is COMPLETE , and no transfer paid for it/,
    ],
    [
      'failed at the rail without a deposit',
      [chain({ failed: null })],
      /failed is FAILED rail_rejected, and no transfer paid for it/,
    ],
    [
      'was paid for by a failed transaction',
      [viewOf(book(Object.values(ARRIVALS), { reverted: new Set([hashOf('paid'), hashOf('reverted')]) }))],
      /paid is COMPLETE , and no transfer/,
    ],
    [
      'was paid for by money that came to another address',
      [chain({ paid: arrival('paid', 8_000_000n, { address: '0xb2' }) })],
      /paid is COMPLETE , and no transfer/,
    ],
    [
      'was paid for by a transfer on another chain',
      [
        viewOf(
          book(Object.values({ ...ARRIVALS, paid: arrival('late', 1n) })),
          book([arrival('paid', 8_000_000n)], { chain: 'BASE' }),
        ),
      ],
      /paid is COMPLETE , and no transfer/,
    ],
    [
      'was paid with less than it takes',
      [chain({ paid: arrival('paid', 7_700_000n) })],
      /paid ended COMPLETE, and should have ended FAILED/,
    ],
    [
      'was paid by another token than was named',
      [chain({ paid: { ...ARRIVALS.wrong, hash: hashOf('paid') } })],
      /paid ended COMPLETE, and should have ended FAILED/,
    ],
    [
      'was paid by a transfer of the day before yesterday',
      [chain({ paid: { ...ARRIVALS.late, hash: hashOf('paid') } })],
      /paid ended COMPLETE, and should have ended FAILED/,
    ],
    [
      'was paid before it was final',
      [chain({ paid: arrival('paid', 8_000_000n, { finalAt: new Date(Date.parse(PAID_AT) + 5_000) }) })],
      /paid was paid at [^]*its transfer was final at/,
    ],
    [
      'was paid and is not final to this day',
      [chain({ paid: arrival('paid', 8_000_000n, { finalAt: null }) })],
      /should have ended PROCESSING[^]*its transfer was final never/,
    ],
    [
      'was paid though its sender is on the list',
      [chain({ paid: arrival('paid', 8_000_000n, { senders: [SCREENED_SENDER.toLowerCase()] }) })],
      /paid ended COMPLETE, and should have ended PROCESSING/,
    ],
    [
      'is at another rate',
      [rows(row('paid', { rate: QUOTED, amount_in_usd: '7.66' }))],
      /paid has the rate 130.5, and not 128.0565/,
    ],
    [
      'is at the rate of a quote that came too late',
      [
        chain({
          quoted: arrival('quoted', 7_900_000n, {
            at: new Date(Date.parse(quote.expires_at) + 31_000),
            finalAt: new Date(PAID_AT),
          }),
        }),
      ],
      /quoted has the rate 130.5/,
    ],
    [
      'is at the rate of a quote that was picked for it later',
      [
        chain({ quoted: arrival('quoted', 7_900_000n, { at: new Date(Date.parse(quote.expires_at) - 331_000) }) }),
        rows(row('quoted', { created_at: new Date(Date.parse(quote.expires_at) + 31_000).toISOString() })),
      ],
      /quoted has the rate 130.5, and not 128.0565/,
    ],
    ['tells other dollars', [rows(row('paid', { amount_in_usd: '7.80' }))], /paid is said to be 7.80 dollars/],
    [
      'names another transfer',
      [rows(row('paid', { transaction_hash: hashOf('late') }))],
      /paid names the deposit CELO 0x/,
    ],
    ['names another chain', [rows(row('paid', { chain: 'BASE' }))], /paid names the deposit BASE/],
    ['names another asset', [rows(row('paid', { asset: 'USDT' }))], /paid has the asset USDT, and not USDC/],
    [
      'is at the rate of a quote that could not be used any more when it came',
      [rows(row('quoted', { created_at: new Date(Date.parse(quote.expires_at) + 1_800_001).toISOString() }))],
      /quoted has the rate 130.5, and not 128.0565/,
    ],
    ['lost its quote', [rows(row('quoted', { quote_id: '' }))], /quoted has the quote/],
    [
      'failed though its value was there',
      [
        rows(
          row('paid', {
            status: 'FAILED',
            failure_code: 'no_matching_transfer',
            receipt_number: null,
            public_name: null,
          }),
        ),
      ],
      /paid ended FAILED, and should have ended COMPLETE/,
    ],
    [
      'was kept for too little though it is enough',
      [chain({ underpaid: arrival('underpaid', 8_000_000n) })],
      /underpaid ended FAILED, and should have ended COMPLETE/,
    ],
    [
      'failed for another reason',
      [rows(row('underpaid', { failure_code: 'wrong_asset' }))],
      /underpaid has the failure code wrong_asset, and not underpaid/,
    ],
    [
      'was not found though it had failed on the chain',
      [rows(row('reverted', { failure_code: 'no_matching_transfer' }))],
      /reverted has the failure code no_matching_transfer/,
    ],
    [
      'moved though its transfer may still vanish',
      [rows(row('held', { status: 'COMPLETE', receipt_number: 'R-paid' }))],
      /held ended COMPLETE, and should have ended PROCESSING/,
    ],
  ])('the deposit: a pay that %s', (_, changes, fault) => {
    expect(faultsOf(changes)).toMatch(fault);
  });

  it.each<[string, Name]>([
    ['two that were paid', 'quoted'],
    ['one that was paid and one that keeps it', 'underpaid'],
    ['one that was paid and one whose payout failed', 'failed'],
  ])('the deposit: one transfer for %s', (_, other) => {
    const same = { ...SENT[other], deposit: { ...SENT[other].deposit!, hash: hashOf('paid') } };
    const change = {
      sent: NAMES.map((name) => (name === other ? same : SENT[name])),
      ...rows(row(other, { transaction_hash: hashOf('paid') })),
    };
    expect(faultsOf([change])).toMatch(
      new RegExp(`the transfer of USDC ${hashOf('paid')} on CELO pays for 2: paid, ${other}`),
    );
  });

  it('takes one that was claimed by another name of its transaction for what it is, where somebody has it', () => {
    const [inner, outer] = ['b', 'c'].map((digit) => `0x${digit.repeat(64)}`) as [string, string];
    const processed = { ...SENT.nothing, deposit: { ...SENT.nothing.deposit!, hash: inner } };
    const told = row('nothing', { failure_code: 'hash_already_processed', transaction_hash: inner });
    const change = (arrived: Arrival, ...others: SentPayout[]): Partial<OutsideView>[] => [
      {
        sent: [
          ...NAMES.filter((name) => name !== 'nothing' && name !== 'paid').map((name) => SENT[name]),
          processed,
          ...others,
        ],
      },
      chain({ paid: arrived }),
    ];
    const bumped = arrival('paid', 8_000_000n, { hash: outer, otherHashes: [inner] });
    const paid = { ...SENT.paid, deposit: { ...SENT.paid.deposit!, hash: outer } };
    expect(faultsOf([...change(bumped, paid), rows(told, row('paid', { transaction_hash: outer }))])).toBe('');
    expect(faultsOf([...change(bumped), rows(told), { books: ENTRIES.slice(1) }, brought(-4_945n)])).toMatch(
      /^nothing is told that the transfer of USDC 0xc+ on CELO was processed, and nobody has it$/,
    );
    expect(
      faultsOf([
        ...change(bumped, paid),
        rows(row('nothing', { status: 'COMPLETE', transaction_hash: inner }), row('paid', { transaction_hash: outer })),
      ]),
    ).toMatch(/pays for 2: /);
  });

  it.each<[string, bigint]>([
    ['a surplus that is kept from it', -2_445n],
    ['a markup that is kept from it', -2_500n],
    ['what failed and did not come', -102_445n],
    ['what it lacked, taken back', -115n],
    ['value that could not be used', 89_639n],
    ['value that goes back on the chain', 102_445n],
    ['value that is not final', 102_445n],
    ['one unit too many', 1n],
  ])('the wallet: %s', (_, by) => {
    expect(faultsOf([brought(by)])).toMatch(/^wallet KES of partner 1 is \d+, and should be \d+$/);
  });

  it("takes what could not be used for the wallet's, where that is the policy", () => {
    const unapplied = 89_639n + 102_445n + 102_445n;
    expect(faultsOf([brought(unapplied)], { unapplied: 'wallet' })).toBe('');
    expect(faultsOf([brought(unapplied)])).toMatch(/^wallet KES/);
    const beside = [chain({}, arrival('paid', 2_000_000n, { token: tokenNamed('CELO', 'USDT')! }))];
    expect(faultsOf([...beside, brought(unapplied + 25_611n)], { unapplied: 'wallet' })).toBe('');
    expect(faultsOf(beside)).toBe('');
  });

  it('prices no more by a quote than its amount and the tolerance: what came beyond that waits, or is credited at the rate of the day', () => {
    const overpaid = chain({ quoted: arrival('quoted', 50_000_000n) });
    // 0.01 USDC more than it asks for, at its rate.
    expect(faultsOf([overpaid, brought(130n)])).toBe('');
    expect(faultsOf([overpaid, brought(130n + 552_366n)])).toMatch(/^wallet KES of partner 1/);
    expect(
      faultsOf([overpaid, brought(130n + 542_026n + 89_639n + 102_445n + 102_445n)], { unapplied: 'wallet' }),
    ).toBe('');
    const failed = row('quoted', {
      status: 'FAILED',
      failure_code: 'rail_rejected',
      receipt_number: null,
      public_name: null,
    });
    const refusedRail = {
      sent: [
        ...NAMES.filter((name) => name !== 'quoted').map((name) => SENT[name]),
        sent('quoted', { quote, number: '0001' }),
      ],
      books: ENTRIES.filter(({ receipt }) => receipt !== 'R-quoted'),
    };
    expect(
      faultsOf([refusedRail, overpaid, rows({ ...failed, shortcode: '0712340001' }), brought(130n + 97_500n)]),
    ).toBe('');
  });

  it('takes a claim that was given up in time for what it is, and not one that was given up too early', () => {
    const givenUp = row('paid', {
      status: 'FAILED',
      failure_code: 'transfer_not_final',
      receipt_number: null,
      public_name: null,
      rate: '',
      amount_in_usd: '0.00',
    });
    const rest = [rows(givenUp), brought(-4_945n), { books: ENTRIES.slice(1) }];
    expect(
      faultsOf([
        ...rest,
        chain({ paid: arrival('paid', 8_000_000n, { finalAt: new Date(Date.parse(PAID_AT) + 10_000) }) }),
      ]),
    ).toBe('');
    expect(faultsOf([...rest, chain({ paid: arrival('paid', 8_000_000n, { finalAt: null }) })])).toBe('');
    expect(faultsOf(rest)).toMatch(/paid ended FAILED, and should have ended COMPLETE/);
  });

  it('takes what people cleared for what it is', () => {
    const change = [
      rows(row('screened', { status: 'COMPLETE', public_name: 'TEST 7890', receipt_number: 'R-screened' })),
      { books: [...ENTRIES, entry('screened')] },
      brought(4_945n),
    ];
    expect(faultsOf(change, { cleared: new Set([key(SENT.screened)]) })).toBe('');
    expect(faultsOf(change)).toMatch(/screened ended COMPLETE, and should have ended PROCESSING/);
  });

  it('does not go by a clock that the suite has moved', () => {
    const change = chain({ paid: arrival('paid', 8_000_000n, { finalAt: new Date(Date.parse(PAID_AT) + 5_000) }) });
    expect(faultsOf([change], { movedClocks: new Set(['CELO']) })).toBe('');
    expect(faultsOf([change], { movedClocks: new Set(['BASE']) })).toMatch(/was final at/);
  });

  describe("by the checker's own record of the rates", () => {
    const MOVED_AT = Date.parse(CREATED) + 30_000;
    const inForce = (...rates: readonly RateInForce[]): Partial<OutsideView> => ({
      deposits: { ...sound().deposits!, rates: new Map([['KES', [...RATES.get('KES')!.slice(0, 1), ...rates]]]) },
    });
    const before = { rate: RATE, from: Date.parse('2026-01-02T11:58:30.000Z'), until: MOVED_AT };
    const at140 = rows(row('paid', { rate: '140', amount_in_usd: '7.14' }));

    it('takes a rate that came in force while the claim was judged', () => {
      expect(faultsOf([at140, inForce(before, { rate: '140', from: MOVED_AT, until: Infinity })])).not.toMatch(
        /has the rate/,
      );
    });

    it.each<[string, Partial<OutsideView>[], RegExp]>([
      [
        'came in force after its end',
        [
          at140,
          inForce({ ...before, until: Infinity }, { rate: '140', from: Date.parse(PAID_AT) + 1_000, until: Infinity }),
        ],
        /paid has the rate 140, and not 128.0565/,
      ],
      [
        'was over a minute before it came',
        [rows(row('paid', { rate: QUOTED, amount_in_usd: '7.66' }))],
        /paid has the rate 130.5, and not 128.0565/,
      ],
      ['nobody was ever told', [at140], /paid has the rate 140, and not 128.0565/],
    ])('finds a pay at a rate that %s, whatever its row names', (_what, changes, fault) => {
      expect(faultsOf(changes)).toMatch(fault);
    });

    it('finds a quote of a rate that was not in force when it was given', () => {
      const rates = new Map([['KES', always(RATE)]]);
      expect(faultsOf([{ deposits: { ...sound().deposits!, rates } }])).toMatch(
        /^quoted was quoted 130.5, and 128.0565 was in force$/,
      );
    });
  });

  describe('of a partner that owes', () => {
    /** Failed, went back on chain, and was paid after all. */
    const late = { ...SENT.refunded, controls: ['pay'] as const };
    const lateEntry = entry('refunded');
    const LATE = { reason: 'paid_after_failure', receipt_number: 'R-refunded', amount: '975.00', at: PAID_AT };
    const OWED = 97_500n;
    const scene = (
      after: bigint,
      { before = 5n, sent: one = late, refund = 'COMPLETE', books = [lateEntry] as BookEntry[] } = {},
    ): string =>
      checkOutside(
        Object.assign({}, sound(), {
          sent: [one],
          rows: new Map([
            [key(one), row('refunded', { refund, correction: books.length > 0 && 'controls' in one ? LATE : '' })],
          ]),
          books,
          wallets: [{ partner: 1, currency: 'KES', before, after }],
        }) as OutsideView,
      ).join('\n');

    it('has the payment taken from its wallet, and no more than there is', () => {
      expect(scene(200_000n - OWED, { before: 200_000n })).toBe('');
      expect(scene(0n, { before: 50_000n })).toBe('');
    });

    it.each<[string, string]>([
      ['nothing was collected', scene(200_000n, { before: 200_000n })],
      ['its wallet has more than nothing left, and it owes', scene(1n, { before: 50_000n })],
      ['an empty wallet is below nothing', scene(-1n, { before: 50_000n })],
    ])('is found where %s', (_what, faults) => {
      expect(faults).toMatch(/^wallet KES of partner 1 is -?\d+, and should be -?\d+$/);
    });

    it('is no excuse for a wallet that is empty and owes nothing', () => {
      expect(scene(0n, { before: 50_000n, sent: SENT.refunded as typeof late, books: [] })).toMatch(
        /wallet KES of partner 1 is 0, and should be 50000/,
      );
    });

    it('is found where it was paid and sent back, and owes nothing', () => {
      expect(scene(5n, { sent: SENT.refunded as typeof late })).toMatch(
        /the rails paid 97500; its transactions account for nothing/,
      );
    });

    it('has its value in the wallet where nothing goes back, and it may owe', () => {
      expect(scene(5n + 102_445n - OWED, { refund: '' })).toBe('');
      expect(scene(5n + 102_445n - OWED, { refund: 'FAILED' })).toBe('');
      expect(scene(5n + 102_445n - OWED)).toMatch(/^wallet KES/);
    });
  });

  it("has no view of pays without the chain's book", () => {
    const { deposits: _, ...without } = sound();
    expect(() => checkOutside(without)).toThrow(/no chain was read/);
  });
});

describe('what is known of chains', () => {
  it.each(Object.keys(CHAIN_FACTS))('%s: tokens are told apart by address, and more value needs no less', (name) => {
    const { tokens, blocksOnTop: blocks } = CHAIN_FACTS[name]!;
    expect(new Set(tokens.map(({ address }) => address.toLowerCase())).size).toBe(tokens.length);
    expect([...blocks].sort((one, other) => one - other)).toEqual(blocks);
  });

  it('counts dollars up, to the cent', () => {
    expect(
      [100_000_000n, 100_000_001n, 2_000_000_000n, 2_000_000_001n].map((minor) => blocksOnTop('POLYGON', minor, 6)),
    ).toEqual([2, 16, 16, 128]);
  });
});
