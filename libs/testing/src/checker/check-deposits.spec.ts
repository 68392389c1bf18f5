import { describe, expect, it } from '@jest/globals';

import type { IncomingTransfer } from '../books/chain-book.js';
import { SCREENED_SENDER, tokenNamed } from '../books/chain-facts.js';
import { key, type SentPayout } from '../partner/sent-payout.js';
import {
  incomingTransfer,
  INCOMING_TRANSFERS,
  book,
  brought,
  chain,
  ENTRIES,
  entry,
  faultsOf,
  hashOf,
  type Name,
  NAMES,
  PAID_AT,
  quote,
  QUOTED,
  row,
  rows,
  SENT,
  sound,
  viewOf,
} from './check-deposits.spec-support.js';
import { checkAnytime, checkOutside } from './check-outside.js';
import { toleratedOf } from './deposit-fate.js';
import type { OutsideView } from './outside-view.js';

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
    expect(faultsOf([chain({}, incomingTransfer('paid', 1n, { hash: `0x${'f'.repeat(64)}` }))])).toBe('');
    expect(
      faultsOf([chain({}, incomingTransfer('paid', 1n, { address: '0xb2', token: tokenNamed('CELO', 'USDT')! }))]),
    ).toBe('');
  });

  it.each<[string, Partial<OutsideView>[], RegExp]>([
    [
      'was paid for by nothing',
      [chain({ paid: null })],
      /paid ended COMPLETE, and should have ended FAILED[^]*paid is COMPLETE , and no transfer paid for it/,
    ],
    [
      'failed at the provider without a deposit',
      [chain({ failed: null })],
      /failed is FAILED rail_rejected, and no transfer paid for it/,
    ],
    [
      'was paid for by a failed transaction',
      [viewOf(book(Object.values(INCOMING_TRANSFERS), { reverted: new Set([hashOf('paid'), hashOf('reverted')]) }))],
      /paid is COMPLETE , and no transfer/,
    ],
    [
      'was paid for by money that came to another address',
      [chain({ paid: incomingTransfer('paid', 8_000_000n, { address: '0xb2' }) })],
      /paid is COMPLETE , and no transfer/,
    ],
    [
      'was paid for by a transfer on another chain',
      [
        viewOf(
          book(Object.values({ ...INCOMING_TRANSFERS, paid: incomingTransfer('late', 1n) })),
          book([incomingTransfer('paid', 8_000_000n)], { chain: 'BASE' }),
        ),
      ],
      /paid is COMPLETE , and no transfer/,
    ],
    [
      'was paid with less than it takes',
      [chain({ paid: incomingTransfer('paid', 7_700_000n) })],
      /paid ended COMPLETE, and should have ended FAILED/,
    ],
    [
      'was paid by another token than was named',
      [chain({ paid: { ...INCOMING_TRANSFERS.wrong, hash: hashOf('paid') } })],
      /paid ended COMPLETE, and should have ended FAILED/,
    ],
    [
      'was paid by a transfer of the day before yesterday',
      [chain({ paid: { ...INCOMING_TRANSFERS.late, hash: hashOf('paid') } })],
      /paid ended COMPLETE, and should have ended FAILED/,
    ],
    [
      'was paid before it was final',
      [chain({ paid: incomingTransfer('paid', 8_000_000n, { finalAt: new Date(Date.parse(PAID_AT) + 5_000) }) })],
      /paid was paid at [^]*its transfer was final at/,
    ],
    [
      'was paid and is not final to this day',
      [chain({ paid: incomingTransfer('paid', 8_000_000n, { finalAt: null }) })],
      /should have ended PROCESSING[^]*its transfer was final never/,
    ],
    [
      'was paid though its sender is on the list',
      [chain({ paid: incomingTransfer('paid', 8_000_000n, { senders: [SCREENED_SENDER.toLowerCase()] }) })],
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
          quoted: incomingTransfer('quoted', 7_900_000n, {
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
        chain({
          quoted: incomingTransfer('quoted', 7_900_000n, { at: new Date(Date.parse(quote.expires_at) - 331_000) }),
        }),
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
      [chain({ underpaid: incomingTransfer('underpaid', 8_000_000n) })],
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
    const change = (arrived: IncomingTransfer, ...others: SentPayout[]): Partial<OutsideView>[] => [
      {
        sent: [
          ...NAMES.filter((name) => name !== 'nothing' && name !== 'paid').map((name) => SENT[name]),
          processed,
          ...others,
        ],
      },
      chain({ paid: arrived }),
    ];
    const bumped = incomingTransfer('paid', 8_000_000n, { hash: outer, otherHashes: [inner] });
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
        chain({ paid: incomingTransfer('paid', 8_000_000n, { finalAt: new Date(Date.parse(PAID_AT) + 10_000) }) }),
      ]),
    ).toBe('');
    expect(faultsOf([...rest, chain({ paid: incomingTransfer('paid', 8_000_000n, { finalAt: null }) })])).toBe('');
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
    const change = chain({
      paid: incomingTransfer('paid', 8_000_000n, { finalAt: new Date(Date.parse(PAID_AT) + 5_000) }),
    });
    expect(faultsOf([change], { movedClocks: new Set(['CELO']) })).toBe('');
    expect(faultsOf([change], { movedClocks: new Set(['BASE']) })).toMatch(/was final at/);
  });

  it("has no view of pays without the chain's book", () => {
    const { deposits: _, ...without } = sound();
    expect(() => checkOutside(without)).toThrow(/no chain was read/);
  });
});
