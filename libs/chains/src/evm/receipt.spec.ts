import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import {
  amount,
  FAKE_USDC,
  OURS,
  PAYER,
  receiptOf,
  transferLog,
  TRANSFER_TOPIC,
  TX,
  USDC,
  word,
  type Json,
} from './fake-rpc.spec-support.js';
import { readReceipt } from './receipt.js';

const question = { transactionHash: TX, address: OURS, tokens: new Set([USDC.toLowerCase()]) };
const creditedBy = (...logs: Json[]): [string, bigint, number][] =>
  (readReceipt(receiptOf({ logs }), question)?.transfers ?? []).map(({ token, value, ordinal }) => [
    token,
    value,
    ordinal,
  ]);
const OTHER_TOPIC = `0x${'12'.repeat(32)}`;

describe('a log of a receipt', () => {
  it('is a transfer to us by its contract, its three topics and its one word', () => {
    expect(readReceipt(receiptOf(), question)?.transfers).toEqual([
      { token: USDC, from: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266', value: 12_500_000n, ordinal: 0 },
    ]);
  });

  it('counts by its place in the receipt, whatever place in the block it tells', () => {
    expect(
      creditedBy(
        { address: USDC, topics: [], data: '0x', logIndex: '0x9' },
        transferLog({ logIndex: '0x0' }),
        transferLog({ value: 3n, logIndex: '0xff' }),
      ),
    ).toEqual([
      [USDC, 12_500_000n, 1],
      [USDC, 3n, 2],
    ]);
  });

  it.each([
    ['was removed by a reorganisation', transferLog({ removed: true })],
    ['goes to somebody else', transferLog({ to: PAYER })],
    [
      'has our address with more before it',
      transferLog({ topics: [TRANSFER_TOPIC, word(PAYER), `0x01${word(OURS).slice(4)}`] }),
    ],
    [
      'has our address with more right before it',
      transferLog({
        topics: [TRANSFER_TOPIC, word(PAYER), word(OURS).replace(`0${OURS.slice(2)}`, `1${OURS.slice(2)}`)],
      }),
    ],
    ['is another event', transferLog({ topics: [OTHER_TOPIC, word(PAYER), word(OURS)] })],
    [
      'is of a collectible: four topics',
      transferLog({ topics: [TRANSFER_TOPIC, word(PAYER), word(OURS), amount(5n)] }),
    ],
    [
      'indexes nothing',
      transferLog({ topics: [TRANSFER_TOPIC], data: `${word(PAYER)}${word(OURS).slice(2)}${amount(5n).slice(2)}` }),
    ],
    ['moves nothing', transferLog({ value: 0n })],
    ['has no data', transferLog({ data: '0x' })],
    ['has half a word', transferLog({ data: '0x01' })],
    ['has two words', transferLog({ data: `${amount(5n)}${amount(5n).slice(2)}` })],
    ['has data that is no text', transferLog({ data: 5 })],
    ['has topics that are no list', transferLog({ topics: 'abc' })],
    ['has topics that are no text', transferLog({ topics: [1, 2, 3] })],
    ['has a sender that is none', transferLog({ topics: [TRANSFER_TOPIC, amount(2n ** 255n), word(OURS)] })],
  ])('that %s is none to us', (_what, log) => {
    expect(creditedBy(log)).toEqual([]);
    expect(creditedBy(log, transferLog())).toEqual([[USDC, 12_500_000n, 1]]);
  });

  it('counts less what the same transaction took away of its token: a fee that is given back is no deposit', () => {
    const zero = `0x${'00'.repeat(20)}`;
    const leaves = (value: bigint): Json => transferLog({ topics: [TRANSFER_TOPIC, word(OURS), word(PAYER)], value });
    const comesBack = transferLog({ topics: [TRANSFER_TOPIC, word(zero), word(OURS)], value: 40n });
    expect(creditedBy(leaves(100n), comesBack)).toEqual([]);
    expect(creditedBy(comesBack, leaves(40n))).toEqual([]);
    expect(creditedBy(comesBack, transferLog({ value: 5n }), leaves(42n))).toEqual([[USDC, 3n, 1]]);
    expect(
      creditedBy(transferLog({ address: FAKE_USDC, topics: [TRANSFER_TOPIC, word(OURS), word(PAYER)] }), comesBack),
    ).toEqual([[USDC, 40n, 1]]);
    expect(creditedBy(transferLog({ topics: [TRANSFER_TOPIC, word(OURS), word(OURS)] }))).toEqual([]);
  });

  it('is told with its contract, known or not: a perfect log of a foreign one is a foreign one', () => {
    expect(creditedBy(transferLog({ address: FAKE_USDC }), transferLog())).toEqual([
      ['0x59D9356E565Ab3A36dD77763Fc0d87fEaf85508C', 12_500_000n, 0],
      [USDC, 12_500_000n, 1],
    ]);
  });

  it('carries the largest value that there is', () => {
    expect(creditedBy(transferLog({ value: 2n ** 256n - 1n }))).toEqual([[USDC, 2n ** 256n - 1n, 0]]);
  });

  it('of a foreign contract does not hide ours by being many', () => {
    const credited = creditedBy(
      ...Array.from({ length: 15_000 }, () => transferLog({ address: FAKE_USDC })),
      transferLog(),
      transferLog({ value: 1n }),
    );
    expect(credited).toHaveLength(22);
    expect(credited.slice(-2)).toEqual([
      [USDC, 12_500_000n, 15_000],
      [USDC, 1n, 15_001],
    ]);
  });

  it('of a transaction that reverted is not believed', () => {
    expect(readReceipt(receiptOf({ status: '0x0' }), question)).toMatchObject({ succeeded: false, transfers: [] });
  });

  it('says the same in any letter case', () => {
    const upper = (text: string): string => `0x${text.slice(2).toUpperCase()}`;
    const log = transferLog({
      address: upper(USDC),
      topics: [TRANSFER_TOPIC, word(PAYER), word(OURS)].map(upper),
      transactionHash: upper(TX),
    });
    expect(readReceipt(receiptOf({ transactionHash: upper(TX), logs: [log] }), question)).toEqual(
      readReceipt(receiptOf(), question),
    );
  });
});

it('whatever an endpoint sends as a receipt is facts or malformed, and never anything else', () => {
  const odd = fc.oneof(fc.jsonValue(), fc.constantFrom('0x1', '0x0', TX, OURS, USDC, null));
  const logs = fc.array(
    fc.oneof(
      odd,
      fc.record(
        {
          address: odd,
          topics: fc.oneof(
            odd,
            fc.array(fc.oneof(odd, fc.constantFrom(TRANSFER_TOPIC, word(OURS), word(PAYER))), { maxLength: 5 }),
          ),
          data: odd,
          removed: odd,
        },
        { requiredKeys: [] },
      ),
    ),
    { maxLength: 4 },
  );
  const receipts = fc
    .record(
      {
        transactionHash: fc.oneof(odd, fc.constant(TX)),
        status: odd,
        blockHash: odd,
        blockNumber: odd,
        logs: fc.oneof(odd, logs),
      },
      { requiredKeys: [] },
    )
    .map((parts) => ({ ...receiptOf(), ...parts }));
  fc.assert(
    fc.property(fc.oneof(odd, receipts), (answer) => {
      try {
        const facts = readReceipt(answer, question);
        if (facts !== undefined) expect(facts.transfers.every(({ value }) => value > 0n)).toBe(true);
      } catch (error) {
        expect(error).toMatchObject({ name: 'MalformedAnswerError' });
      }
    }),
    { numRuns: 2_000 },
  );
});
