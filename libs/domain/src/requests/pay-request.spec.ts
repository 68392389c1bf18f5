import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import type { ChainFamily } from '../chain/chain.js';
import { CHAINS, DEFAULT_CHAIN } from '../chain/registry.js';
import { CURRENCIES } from '../currency/registry.js';
import { PAY_FIELDS, parsePay } from './pay-request.js';
import { DISBURSE_FIELDS, parseDisburse } from './payout-request.js';
import {
  namesIn,
  PAYOUT_CASES,
  recipientFields,
  refusalOf as refusalIn,
  spellings,
  valueOf,
} from './requests.spec-support.js';

const { KES, CDF } = CURRENCIES;
const HASHES: Readonly<Record<ChainFamily, string>> = {
  evm: `0x${'ab'.repeat(32)}`,
  stellar: 'c4'.repeat(32),
  solana: '5'.repeat(88),
};
const QUOTE_ID = '0193b7a4-7d1f-7c3a-9b1e-3f2a1c4d5e6f';
const ADDRESS = `0x${'aB'.repeat(20)}`;
const TILL = { type: 'TILL', amount: '500', shortcode: '54321' };
const PAY = { ...TILL, transaction_hash: HASHES.evm };

const refusalOf = (fields: object, currency = KES): ReturnType<typeof refusalIn> =>
  refusalIn(parsePay(currency, { ...fields }));
const paid = (fields: object): ReturnType<typeof valueOf<unknown>> => valueOf(parsePay(KES, { ...fields }));

describe('parsePay', () => {
  it('answers the payout of the same fields, and the deposit', () => {
    const common = { ...TILL, fee: '5', reference: 'r-1', callback_url: 'https://x/y' };
    const deposit = {
      transaction_hash: HASHES.evm,
      chain: 'base',
      asset: 'USDC',
      quote_id: QUOTE_ID,
      refund_address: ADDRESS,
    };
    expect(paid({ ...common, ...deposit })).toEqual({
      ...valueOf(parseDisburse(KES, common)),
      chain: 'BASE',
      transactionHash: HASHES.evm,
      asset: 'USDC',
      quoteId: QUOTE_ID,
      refundAddress: ADDRESS,
    });
    expect(paid(PAY)).toEqual({
      ...valueOf(parseDisburse(KES, TILL)),
      chain: 'CELO',
      transactionHash: HASHES.evm,
      asset: null,
      quoteId: null,
      refundAddress: null,
    });
    expect(paid({ ...PAY, chain: '', asset: null, quote_id: '', refund_address: null })).toEqual(paid(PAY));
  });

  it.each(PAYOUT_CASES)('pays %s by the rules of disburse', (_, one) => {
    const fields = { ...recipientFields(one), amount: '400', account_name: 'Jane Doe' };
    const { currency } = one;
    const disbursed = parseDisburse(currency, fields);
    const pay = parsePay(currency, { ...fields, transaction_hash: HASHES.evm });
    // 400 is below some limits: both must be refused alike.
    expect(pay.ok).toBe(disbursed.ok);
    if (disbursed.ok) expect(valueOf(pay)).toMatchObject(disbursed.value);
    else expect(refusalIn(pay)).toEqual(refusalIn(disbursed));
  });

  // By hand: interface.md, `chain`; aliases: decisions.md section 1.
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
      code: 'unsupported_network',
      pointers: ['/chain'],
      message: 'chain must be one of BASE, CELO, STELLAR, POLYGON, SOLANA, ETHEREUM, BNB, AVALANCHE, ARBITRUM',
    });
    expect(refusalOf({ ...PAY, chain: 8453 }).pointers).toEqual(['/chain']);
  });

  it('reads a chain as anybody may misspell it', () => {
    const named = fc
      .constantFrom(...namesIn(CHAINS))
      .chain(([name, { name: chain, family }]) => fc.tuple(spellings(name), fc.constant({ chain, family })));
    fc.assert(
      fc.property(named, ([chain, meant]) => {
        expect(paid({ ...PAY, chain, transaction_hash: HASHES[meant.family] })).toMatchObject({ chain: meant.chain });
      }),
    );
  });

  // chains.md section 3.1.
  it.each([
    ['CELO', HASHES.evm, [HASHES.evm.slice(2), `0x${'AB'.repeat(32)}`, `0X${'aB'.repeat(32)}`, 'AB'.repeat(32)]],
    ['STELLAR', HASHES.stellar, ['C4'.repeat(32)]],
  ])('on %s each spelling of a hash names one transaction', (chain, transactionHash, others) => {
    for (const transaction_hash of [transactionHash, ...others])
      expect(paid({ ...PAY, chain, transaction_hash })).toMatchObject({ transactionHash });
  });

  it.each([
    [
      'evm',
      'CELO',
      [HASHES.evm, `0x${'0'.repeat(64)}`],
      ['0x', `${HASHES.evm}0`, HASHES.evm.slice(0, -1), `0x${'g'.repeat(64)}`, HASHES.solana, ` ${HASHES.evm}`],
      '64 hexadecimal digits, with or without 0x',
    ],
    [
      'stellar',
      'STELLAR',
      [HASHES.stellar, 'ab'.repeat(32)],
      [HASHES.evm, 'c4'.repeat(31), HASHES.solana],
      '64 hexadecimal digits',
    ],
    [
      'solana',
      'SOLANA',
      [HASHES.solana, '1'.repeat(64), `${'1'.repeat(63)}z`],
      [
        '5'.repeat(63),
        '5'.repeat(89),
        `1${HASHES.solana.slice(1)}1`,
        'z'.repeat(64),
        'z'.repeat(88),
        `1${HASHES.solana}`.slice(0, 88),
        '0'.repeat(88),
        'O'.repeat(88),
        'I'.repeat(88),
        'l'.repeat(88),
        HASHES.solana.toLowerCase() + ' ',
        HASHES.evm,
      ],
      'a signature of 64 bytes in base58',
    ],
  ] as const)('takes hashes of %s in their form alone', (_, chain, good, bad, rule) => {
    for (const transaction_hash of good)
      expect(paid({ ...PAY, chain, transaction_hash })).toMatchObject({ transactionHash: transaction_hash });
    for (const transaction_hash of bad) {
      expect(refusalOf({ ...PAY, chain, transaction_hash })).toEqual({
        code: 'invalid_request',
        message: `transaction_hash must be ${rule}`,
        pointers: ['/transaction_hash'],
      });
    }
  });

  // decisions.md section 1: letter case counts; only tokens accepted on that chain.
  it.each([
    ['CELO', 'USDC', 'USDC'],
    ['CELO', 'USDT', 'USDT'],
    ['CELO', 'USD₮', 'USDT'],
    ['CELO', 'CUSD', 'CUSD'],
    ['CELO', 'cUSD', 'CUSD'],
    ['CELO', 'USDm', 'CUSD'],
    ['AVALANCHE', 'USDt', 'USDT'],
    ['ARBITRUM', 'USD₮0', 'USDT'],
    ['ARBITRUM', 'USDT0', 'USDT'],
    ['POLYGON', 'USDT0', 'USDT'],
    ['BNB', 'USDT', 'USDT'],
    ['BASE', 'USDC', 'USDC'],
  ])('on %s %s means %s', (chain, asset, meant) => {
    expect(paid({ ...PAY, chain, asset })).toMatchObject({ asset: meant });
  });

  it.each([
    ['CELO', 'USDM'],
    ['CELO', 'USDt'],
    ['CELO', 'usdc'],
    ['CELO', 'USDC '],
    ['CELO', 'CuSD'],
    ['CELO', 'USA₮'],
    ['CELO', 'KESM'],
    ['CELO', 'KESm'],
    ['CELO', 'DAI'],
    ['CELO', '0xcebA9300f2b948710d2653dD7B07f33A8B32118C'.slice(0, 20)],
    ['CELO', 'toString'],
    ['BASE', 'USDT'],
    ['BASE', 'USDbC'],
    ['BASE', 'EURC'],
    ['BASE', 'USDm'],
    ['POLYGON', 'USDC.e'],
    ['ETHEREUM', 'PYUSD'],
    ['ETHEREUM', 'EURC'],
    ['BNB', 'CUSD'],
  ])('on %s no %s is accepted', (chain, asset) => {
    expect(refusalOf({ ...PAY, chain, asset })).toMatchObject({ code: 'unsupported_network', pointers: ['/asset'] });
  });

  it('says which tokens are accepted', () => {
    expect(refusalOf({ ...PAY, asset: 'DAI' }).message).toBe('asset must be one of USDC, USDT, CUSD on CELO');
    expect(refusalOf({ ...PAY, asset: 5 })).toMatchObject({
      code: 'invalid_request',
      message: 'asset must be a string, not a number',
    });
  });

  it('reads a quote_id in any letter case, and nothing that is no UUID', () => {
    expect(paid({ ...PAY, quote_id: QUOTE_ID.toUpperCase() })).toMatchObject({ quoteId: QUOTE_ID });
    for (const quote_id of [
      'q-1',
      `${QUOTE_ID}0`,
      ` ${QUOTE_ID}`,
      QUOTE_ID.replaceAll('-', ''),
      `{${QUOTE_ID}}`,
      '00000000-0000-0000-0000-000000000000',
      'x'.repeat(5_000),
    ]) {
      expect(refusalOf({ ...PAY, quote_id })).toMatchObject({
        code: 'invalid_request',
        pointers: ['/quote_id'],
        message: 'quote_id must be the quote_id of a quote: a UUID',
      });
    }
  });

  it.each([
    [
      'CELO',
      [ADDRESS, ADDRESS.toLowerCase()],
      [
        ADDRESS.slice(2),
        `${ADDRESS}0`,
        ADDRESS.slice(0, -1),
        `0X${ADDRESS.slice(2)}`,
        ` ${ADDRESS}`,
        HASHES.evm,
        `G${'A'.repeat(55)}`,
      ],
      '0x and 40 hexadecimal digits',
    ],
    [
      'STELLAR',
      [`G${'A'.repeat(55)}`, `M${'7'.repeat(68)}`],
      [`G${'A'.repeat(54)}`, `G${'0'.repeat(55)}`, `S${'A'.repeat(55)}`, `g${'a'.repeat(55)}`, ADDRESS],
      'an address of Stellar: G and 55 characters, or M and 68',
    ],
    [
      'SOLANA',
      ['EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', '1'.repeat(32)],
      ['1'.repeat(33), 'z'.repeat(44), 'l'.repeat(32), HASHES.solana, ADDRESS],
      'an address of Solana: 32 bytes in base58',
    ],
  ])('on %s a refund address looks like one', (chain, good, bad, rule) => {
    const transaction_hash = chain === 'SOLANA' ? HASHES.solana : HASHES.stellar;
    for (const refund_address of good)
      expect(paid({ ...PAY, chain, transaction_hash, refund_address })).toMatchObject({
        refundAddress: refund_address,
      });
    for (const refund_address of bad) {
      expect(refusalOf({ ...PAY, chain, transaction_hash, refund_address })).toEqual({
        code: 'invalid_request',
        message: `refund_address must be ${rule}`,
        pointers: ['/refund_address'],
      });
    }
  });

  it('does not judge a hash by a chain that was not meant', () => {
    expect(refusalOf({ ...PAY, chain: 'SOLANNA', transaction_hash: HASHES.solana }).pointers).toEqual(['/chain']);
    expect(refusalOf({ ...PAY, chain: 'SOLANNA', transaction_hash: '' }).pointers).toEqual([
      '/transaction_hash',
      '/chain',
    ]);
    expect(refusalOf({ ...PAY, chain: 'SOLANNA', transaction_hash: 5 }).pointers).toEqual([
      '/transaction_hash',
      '/chain',
    ]);
  });

  it("lists every fault, the deposit's first", () => {
    expect(
      refusalOf({
        transaction_hash: 'x',
        chain: 'CELO',
        amount: '5',
        fee: 'x',
        type: 'MOBILE',
        shortcode: 'x',
        mobile_network: 'x',
        reference: 'a b',
        callback_url: 5,
        account_name: 5,
        asset: 5,
        quote_id: 'x'.repeat(101),
        refund_address: 'x\n',
      }).pointers,
    ).toEqual([
      '/transaction_hash',
      '/amount',
      '/fee',
      '/shortcode',
      '/mobile_network',
      '/reference',
      '/callback_url',
      '/account_name',
      '/asset',
      '/quote_id',
      '/refund_address',
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
        asset: fc.oneof(fc.anything(), fc.constant('USDC')),
        quote_id: fc.oneof(fc.anything(), fc.uuid()),
        refund_address: fc.oneof(fc.anything(), fc.constant(ADDRESS)),
        reference: fc.anything(),
        type: fc.constant('TILL'),
        amount: fc.constant('500'),
        shortcode: fc.constant('54321'),
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
