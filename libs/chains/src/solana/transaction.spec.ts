import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { MalformedAnswerError } from '../reader/json-values.js';

import { encodeBase58 } from './base58.js';
import { readTransaction } from './transaction.js';

type Json = Record<string, unknown>;

const address = (number: number): string => encodeBase58(new Uint8Array(32).fill(number + 1));
const SIGNATURE = encodeBase58(new Uint8Array(64).fill(9));
const [OURS, MINT, OTHER_MINT] = [address(200), address(201), address(202)] as const;
const ACCOUNTS = new Map([[OURS, MINT]]);

interface Held {
  readonly index: number;
  readonly mint?: string;
  readonly owner?: string;
  readonly amount: bigint;
}

const balance = ({ index, mint = MINT, owner = address(100), amount }: Held): Json => ({
  accountIndex: index,
  mint,
  owner,
  programId: 'any',
  uiTokenAmount: { amount: String(amount), decimals: 6, uiAmount: null, uiAmountString: '' },
});
const answerOf = (
  keys: readonly string[],
  pre: readonly Held[],
  post: readonly Held[],
  more: { meta?: Json; told?: Json; message?: Json; signatures?: unknown } = {},
): Json => ({
  slot: 77,
  blockTime: 1,
  version: 0,
  ...more.told,
  transaction: { signatures: more.signatures ?? [SIGNATURE], message: { accountKeys: keys, ...more.message } },
  meta: {
    err: null,
    preTokenBalances: pre.map(balance),
    postTokenBalances: post.map(balance),
    loadedAddresses: { writable: [], readonly: [] },
    ...more.meta,
  },
});
const read = (answer: unknown): ReturnType<typeof readTransaction> =>
  readTransaction(answer, { signature: SIGNATURE, accounts: ACCOUNTS });

const KEYS = [address(1), address(2), OURS, MINT];
const GOOD = answerOf(
  KEYS,
  [{ index: 1, amount: 100n }],
  [
    { index: 1, amount: 60n },
    { index: 2, amount: 40n, owner: address(50) },
  ],
);
const TRANSFER = { token: MINT, from: address(100), value: 40n, ordinal: 2 };

describe('readTransaction', () => {
  it('tells what our account holds more than before', () => {
    expect(read(GOOD)).toEqual({ slot: 77, succeeded: true, transfers: [TRANSFER] });
    expect(read(null)).toBeUndefined();
  });

  it('is of the balances alone, wherever the account stands and whatever else is told', () => {
    const amount = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
    const holder = fc.record({
      owner: fc.integer({ min: 100, max: 103 }),
      pre: fc.option(amount),
      post: fc.option(amount),
      isOfMint: fc.boolean(),
    });
    const fixture = fc.record({
      holders: fc.array(holder, { maxLength: 6 }),
      at: fc.nat(6),
      pre: fc.option(amount),
      post: fc.option(amount),
      tables: fc.tuple(fc.nat(3), fc.nat(3)),
      isMixed: fc.boolean(),
      more: fc.dictionary(
        fc
          .string()
          .filter(
            (name) => !['err', 'preTokenBalances', 'postTokenBalances', 'loadedAddresses', '__proto__'].includes(name),
          ),
        fc.jsonValue(),
      ),
    });
    fc.assert(
      fc.property(fixture, ({ holders, at, pre, post, tables: [writable, readonly], isMixed, more }) => {
        const all = holders.map((one, index) => ({
          key: address(index),
          mint: one.isOfMint ? MINT : OTHER_MINT,
          owner: address(one.owner),
          pre: one.pre,
          post: one.post,
        }));
        all.splice(Math.min(at, all.length), 0, { key: OURS, mint: MINT, owner: address(150), pre, post });
        const keys = [address(90), ...all.map(({ key }) => key)];
        const listed = (when: 'pre' | 'post'): Held[] => {
          const held = all.flatMap((one, index) =>
            one[when] === null ? [] : [{ index: index + 1, mint: one.mint, owner: one.owner, amount: one[when] }],
          );
          return isMixed ? held.reverse() : held;
        };
        const own = Math.max(1, keys.length - writable - readonly);
        const loaded = { writable: keys.slice(own, own + writable), readonly: keys.slice(own + writable) };
        const answer = answerOf(keys.slice(0, own), listed('pre'), listed('post'), {
          meta: { ...more, loadedAddresses: loaded },
        });

        const value = (post ?? 0n) - (pre ?? 0n);
        const changes = new Map<string, bigint>();
        for (const one of all)
          if (one.key !== OURS && one.mint === MINT)
            changes.set(one.owner, (changes.get(one.owner) ?? 0n) + (one.post ?? 0n) - (one.pre ?? 0n));
        const senders = [...changes].filter(([, change]) => change < 0n).map(([owner]) => owner);
        const { transfers } = read(answer)!;
        if (value <= 0n) return expect(transfers).toEqual([]);
        const [{ from, alsoFrom = [], ...rest }] = transfers as [(typeof transfers)[0]];
        expect(rest).toEqual({ token: MINT, value, ordinal: keys.indexOf(OURS) });
        expect([from, ...alsoFrom].sort()).toEqual(senders.length === 0 ? [address(90)] : senders.sort());
        for (const other of alsoFrom) expect(changes.get(from)! <= changes.get(other)!).toBe(true);
      }),
    );
  });

  it('knows no sender where tokens were minted: who paid the fee', () => {
    expect(read(answerOf(KEYS, [], [{ index: 2, amount: 5n }]))!.transfers).toEqual([
      { ...TRANSFER, from: address(1), value: 5n },
    ]);
  });

  it('does not ask for tables where there can be none', () => {
    for (const version of ['legacy', 1, undefined])
      expect(
        read(
          answerOf(KEYS, [], [{ index: 2, amount: 5n }], { told: { version }, meta: { loadedAddresses: undefined } }),
        )!.transfers,
      ).toHaveLength(1);
    expect(() =>
      read(answerOf(KEYS, [], [{ index: 2, amount: 5n }], { meta: { loadedAddresses: undefined } })),
    ).toThrow(MalformedAnswerError);
  });

  it.each([{ InstructionError: [0, { Custom: 1 }] }, 'AccountInUse', {}, 0, false, ''])(
    'is failed by error %j, whatever balances say',
    (err) => {
      expect(read({ ...GOOD, meta: { ...(GOOD['meta'] as Json), err } })).toEqual({
        slot: 77,
        succeeded: false,
        transfers: [],
      });
    },
  );

  it.each<[string, unknown]>([
    ['no object', 'transaction'],
    ['undefined', undefined],
    [
      'another signature',
      answerOf(KEYS, [], [], { signatures: [encodeBase58(new Uint8Array(64).fill(8)), SIGNATURE] }),
    ],
    ['no signature', answerOf(KEYS, [], [], { signatures: [] })],
    ['no word about success', { ...GOOD, meta: { ...(GOOD['meta'] as Json), err: undefined } }],
    ['no meta', { ...GOOD, meta: null }],
    ['no slot', { ...GOOD, slot: '77' }],
    ['no balances before', { ...GOOD, meta: { ...(GOOD['meta'] as Json), preTokenBalances: null } }],
    ['no balances after', { ...GOOD, meta: { ...(GOOD['meta'] as Json), postTokenBalances: undefined } }],
    ['a balance of an account that is not there', answerOf(KEYS, [], [{ index: 4, amount: 1n }])],
    [
      'two balances of one account',
      answerOf(
        KEYS,
        [],
        [
          { index: 2, amount: 1n },
          { index: 2, amount: 1n },
        ],
      ),
    ],
    ['our account with another mint', answerOf(KEYS, [], [{ index: 2, amount: 1n, mint: OTHER_MINT }])],
    [
      'an amount that is no number',
      {
        ...GOOD,
        meta: {
          ...(GOOD['meta'] as Json),
          postTokenBalances: [{ ...balance({ index: 2, amount: 1n }), uiTokenAmount: { amount: '1e9' } }],
        },
      },
    ],
    [
      'an amount below zero',
      {
        ...GOOD,
        meta: {
          ...(GOOD['meta'] as Json),
          postTokenBalances: [{ ...balance({ index: 2, amount: 1n }), uiTokenAmount: { amount: '-1' } }],
        },
      },
    ],
    [
      'an amount that is a number',
      {
        ...GOOD,
        meta: {
          ...(GOOD['meta'] as Json),
          postTokenBalances: [{ ...balance({ index: 2, amount: 1n }), uiTokenAmount: { amount: 1 } }],
        },
      },
    ],
    [
      'a balance of nobody',
      {
        ...GOOD,
        meta: {
          ...(GOOD['meta'] as Json),
          postTokenBalances: [{ ...balance({ index: 2, amount: 1n }), owner: undefined }],
        },
      },
    ],
    [
      'keys as objects (jsonParsed)',
      answerOf(KEYS, [], [], { message: { accountKeys: KEYS.map((pubkey) => ({ pubkey })) } }),
    ],
    ['one key twice', answerOf([...KEYS, OURS], [], [])],
    ['no keys', answerOf([], [], [])],
  ])('believes nothing of an answer with %s', (_what, answer) => {
    expect(() => read(answer)).toThrow(MalformedAnswerError);
  });
});
