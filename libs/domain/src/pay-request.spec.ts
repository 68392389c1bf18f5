import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import type { ChainFamily } from './chain/chain.js';
import { CHAINS, DEFAULT_CHAIN } from './chain/registry.js';
import { CURRENCIES } from './currency/registry.js';
import { PAY_FIELDS, parsePay } from './pay-request.js';
import { DISBURSE_FIELDS, parseDisburse } from './payout-request.js';
import { namesIn, PAYOUT_CASES, recipientFields, refusalOf as refusalIn, spellings, valueOf } from './requests.spec-support.js';

const { KES, CDF } = CURRENCIES;
const HASHES: Readonly<Record<ChainFamily, string>> = { evm: `0x${'aB'.repeat(32)}`, stellar: 'c4'.repeat(32), solana: '5'.repeat(88) };
const TILL = { type: 'TILL', amount: '500', shortcode: '54321' };
const PAY = { ...TILL, transaction_hash: HASHES.evm };

const refusalOf = (fields: object, currency = KES): ReturnType<typeof refusalIn> => refusalIn(parsePay(currency, { ...fields }));
const paid = (fields: object): ReturnType<typeof valueOf<unknown>> => valueOf(parsePay(KES, { ...fields }));

describe('parsePay', () => {
  it('answers the payout of the same fields, and the deposit', () => {
    const common = { ...TILL, fee: '5', reference: 'r-1', callback_url: 'https://x/y' };
    const deposit = { transaction_hash: HASHES.evm, chain: 'base', asset: 'USDm', quote_id: 'q-1', refund_address: '0x1' };
    expect(paid({ ...common, ...deposit })).toEqual({
      ...valueOf(parseDisburse(KES, common)),
      chain: 'BASE', transactionHash: HASHES.evm, asset: 'USDm', quoteId: 'q-1', refundAddress: '0x1',
    });
    expect(paid(PAY)).toEqual({
      ...valueOf(parseDisburse(KES, TILL)), chain: 'CELO', transactionHash: HASHES.evm, asset: null, quoteId: null, refundAddress: null,
    });
    expect(paid({ ...PAY, chain: '', asset: null, quote_id: '', refund_address: null })).toEqual(paid(PAY));
  });

  it.each(PAYOUT_CASES)('pays %s by the rules of disburse', (_, one) => {
    const fields = { ...recipientFields(one), amount: '400', account_name: 'Jane Doe' };
    const { currency } = one;
    const disbursed = parseDisburse(currency, fields);
    const pay = parsePay(currency, { ...fields, transaction_hash: HASHES.evm });
    // 400 is below some limits: then both are refused alike.
    expect(pay.ok).toBe(disbursed.ok);
    if (disbursed.ok) expect(valueOf(pay)).toMatchObject(disbursed.value);
    else expect(refusalIn(pay)).toEqual(refusalIn(disbursed));
  });

  // interface.md, `chain`; aliases of decisions.md section 1: by hand.
  it.each([
    ['BASE', 'evm', []],
    ['CELO', 'evm', []],
    ['STELLAR', 'stellar', []],
    ['POLYGON', 'evm', ['MATIC']],
    ['SOLANA', 'solana', []],
    ['ETHEREUM', 'evm', ['ETH']],
    ['BNB', 'evm', ['BSC', 'BINANCE']],
    ['AVALANCHE', 'evm', ['AVAX']],
    ['ARBITRUM', 'evm', ['ARB']],
  ] as const)('knows the chain %s, of %s, also as %j', (chain, family, aliases) => {
    expect(CHAINS.find(({ name }) => name === chain)).toMatchObject({ name: chain, family, aliases });
    for (const name of [chain, chain.toLowerCase(), ...aliases]) {
      expect(paid({ ...PAY, chain: name, transaction_hash: HASHES[family] })).toMatchObject({ chain });
    }
  });

  it('knows nine chains and no other, and means CELO where none is said', () => {
    expect(CHAINS).toHaveLength(9);
    expect(DEFAULT_CHAIN).toBe('CELO');
    expect(refusalOf({ ...PAY, chain: 'TRON' })).toEqual({
      code: 'unsupported_network', pointers: ['/chain'],
      message: 'chain must be one of BASE, CELO, STELLAR, POLYGON, SOLANA, ETHEREUM, BNB, AVALANCHE, ARBITRUM',
    });
    expect(refusalOf({ ...PAY, chain: 8453 }).pointers).toEqual(['/chain']);
  });

  it('reads a chain as anybody may misspell it', () => {
    const named = fc.constantFrom(...namesIn(CHAINS)).chain(([name, { name: chain, family }]) => fc.tuple(spellings(name), fc.constant({ chain, family })));
    fc.assert(
      fc.property(named, ([chain, meant]) => {
        expect(paid({ ...PAY, chain, transaction_hash: HASHES[meant.family] })).toMatchObject({ chain: meant.chain });
      }),
    );
  });

  it.each([
    ['evm', 'CELO', [HASHES.evm, HASHES.evm.slice(2), `0X${'0'.repeat(64)}`], ['0x', `${HASHES.evm}0`, HASHES.evm.slice(0, -1), `0x${'g'.repeat(64)}`, HASHES.solana, ` ${HASHES.evm}`], '64 hexadecimal digits, with or without 0x'],
    ['stellar', 'STELLAR', [HASHES.stellar, 'AB'.repeat(32)], [HASHES.evm, 'c4'.repeat(31), HASHES.solana], '64 hexadecimal digits'],
    ['solana', 'SOLANA', [HASHES.solana, 'z'.repeat(64), 'A1'.repeat(43)], ['5'.repeat(63), '5'.repeat(89), '0'.repeat(88), 'O'.repeat(88), 'I'.repeat(88), 'l'.repeat(88), HASHES.evm], '64 to 88 characters of base58'],
  ] as const)('takes hashes of %s as they are', (_, chain, good, bad, rule) => {
    for (const transaction_hash of good) expect(paid({ ...PAY, chain, transaction_hash })).toMatchObject({ transactionHash: transaction_hash });
    for (const transaction_hash of bad) {
      expect(refusalOf({ ...PAY, chain, transaction_hash })).toEqual({
        code: 'invalid_request', message: `transaction_hash must be ${rule}`, pointers: ['/transaction_hash'],
      });
    }
  });

  it('does not judge a hash by a chain that was not meant', () => {
    expect(refusalOf({ ...PAY, chain: 'SOLANNA', transaction_hash: HASHES.solana }).pointers).toEqual(['/chain']);
    expect(refusalOf({ ...PAY, chain: 'SOLANNA', transaction_hash: '' }).pointers).toEqual(['/transaction_hash', '/chain']);
    expect(refusalOf({ ...PAY, chain: 'SOLANNA', transaction_hash: 5 }).pointers).toEqual(['/transaction_hash', '/chain']);
  });

  it('lists every fault, the deposit\'s first', () => {
    expect(
      refusalOf({
        transaction_hash: 'x', chain: 'CELO', amount: '5', fee: 'x', type: 'MOBILE', shortcode: 'x', mobile_network: 'x',
        reference: 'a b', callback_url: 5, account_name: 5, asset: 5, quote_id: 'x'.repeat(101), refund_address: 'x\n',
      }).pointers,
    ).toEqual([
      '/transaction_hash', '/amount', '/fee', '/shortcode', '/mobile_network',
      '/reference', '/callback_url', '/account_name', '/asset', '/quote_id', '/refund_address',
    ]);
    expect(refusalOf({}).pointers).toEqual(['/transaction_hash', '/type', '/amount']);
    expect(refusalOf({}, CDF).pointers).toEqual(['/transaction_hash', '/amount', '/shortcode', '/mobile_network']);
  });

  it('takes what disburse takes, and the fields of a deposit', () => {
    const more = Object.keys(PAY_FIELDS).filter((field) => !(field in DISBURSE_FIELDS));
    expect(more).toEqual(['asset', 'quote_id', 'refund_address']);
  });

  it('never throws, whatever is sent', () => {
    const fields = fc.record(
      {
        transaction_hash: fc.oneof(fc.anything(), fc.constantFrom(...Object.values(HASHES))),
        chain: fc.oneof(fc.anything(), fc.constantFrom('CELO', 'sol ana', 'Stellar')),
        asset: fc.anything(), quote_id: fc.anything(), refund_address: fc.anything(), reference: fc.anything(),
        type: fc.constant('TILL'), amount: fc.constant('500'), shortcode: fc.constant('54321'),
      },
      { requiredKeys: ['type', 'amount', 'shortcode'] },
    );
    fc.assert(
      fc.property(fields, (sent) => {
        const parsed = parsePay(KES, sent);
        if (!parsed.ok) expect(parsed.error.message).toBe(parsed.error.faults?.[0]?.detail);
        else expect(CHAINS.map(({ name }) => name)).toContain(parsed.value.chain);
      }),
      { numRuns: 500 },
    );
  });
});
