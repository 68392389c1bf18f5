import { describe, expect, it } from '@jest/globals';
import type { ChainHeights } from '@vuka/domain';
import fc from 'fast-check';

import type { IncomingTransfer } from '../deposit-reader.js';

import {
  agreedHeights,
  blockVerdictOf,
  contradictions,
  digestOf,
  pageDigest,
  pageVerdictOf,
  verdictOf,
  wholeVerdictOf,
} from './agreement.js';
import type { BlockTestimony, PageTestimony, Testimony } from './endpoint.js';

const heights: ChainHeights = { latest: 130, safe: 120, finalized: 110 };

function seen(
  value: bigint,
  { hash = 'a', told = heights, succeeded = true }: { hash?: string; told?: ChainHeights; succeeded?: boolean } = {},
): Testimony {
  const facts = {
    succeeded,
    block: { number: 100, hash, timeMs: 1_000 },
    transfers: succeeded ? [{ token: 'T', from: 'F', value, ordinal: 0 }] : [],
  };
  return { kind: 'seen', ...facts, heights: told, digest: digestOf(facts) };
}

const absent: Testimony = { kind: 'absent' };
const nothing: Testimony = { kind: 'nothing', why: 'late' };

describe('the digest', () => {
  it('is of all that is judged by, and of nothing else', () => {
    const facts = {
      succeeded: true,
      block: { number: 1, hash: 'a', timeMs: 1_000 },
      transfers: [
        { token: 'T', from: 'F', value: 1n, ordinal: 0 },
        { token: 'T', from: 'F', value: 2n, ordinal: 1 },
      ],
    };
    const other = [
      { ...facts, succeeded: false },
      { ...facts, block: { ...facts.block, number: 2 } },
      { ...facts, block: { ...facts.block, hash: 'b' } },
      { ...facts, block: { ...facts.block, timeMs: 2_000 } },
      { ...facts, transfers: facts.transfers.slice(1) },
      ...(['token', 'from'] as const).map((field) => ({
        ...facts,
        transfers: facts.transfers.map((one) => ({ ...one, [field]: 'x' })),
      })),
      { ...facts, transfers: facts.transfers.map((one) => ({ ...one, value: 3n })) },
      { ...facts, transfers: facts.transfers.map((one) => ({ ...one, ordinal: one.ordinal + 1 })) },
      { ...facts, transfers: facts.transfers.map((one) => ({ ...one, alsoFrom: ['x'] })) },
      { ...facts, transactionId: 'x' },
    ];
    expect(new Set([facts, ...other].map(digestOf)).size).toBe(other.length + 1);
    expect(digestOf({ ...facts, transfers: [...facts.transfers].reverse() })).toBe(digestOf(facts));
    expect(digestOf(facts)).toMatch(/^[0-9a-f]{64}$/);
  });
});

describe('a verdict', () => {
  it('tells the name that a transaction has where it was asked for by another one', () => {
    const told = { ...(seen(1n) as Extract<Testimony, { kind: 'seen' }>), transactionId: 'outer' };
    expect(verdictOf([told, told], 2)).toMatchObject({ kind: 'found', transactionId: 'outer' });
    expect(verdictOf([seen(1n)], 1)).not.toHaveProperty('transactionId');
  });

  it.each<[string, (Testimony | undefined)[], number, unknown]>([
    ['of the only one', [seen(1n)], 1, { kind: 'found' }],
    ['of one that is out', [undefined], 1, undefined],
    ['of two while the third is out', [seen(1n), undefined, seen(1n)], 2, { kind: 'found' }],
    ['of one while two are out', [seen(1n), undefined, undefined], 2, undefined],
    ['of two that differ while the third is out', [seen(1n), seen(2n), undefined], 2, undefined],
    ['of three that differ', [seen(1n), seen(2n), seen(3n)], 2, { kind: 'trouble' }],
    ['of two who know nothing while the third is out', [absent, absent, undefined], 2, { kind: 'not_found' }],
    ['of two who know nothing against one', [absent, seen(1n), absent], 2, { kind: 'not_found' }],
    ['of two against one who knows nothing', [seen(1n), absent, seen(1n)], 2, { kind: 'found' }],
    ['of one who knows nothing, one who failed and one who is out', [absent, nothing, undefined], 2, undefined],
    ['of one who knows nothing and two who failed', [absent, nothing, nothing], 2, { kind: 'trouble' }],
    [
      'of two who reverted',
      [seen(0n, { succeeded: false }), seen(0n, { succeeded: false }), seen(1n)],
      2,
      { kind: 'failed' },
    ],
    ['of two pairs that differ', [seen(1n), seen(2n), seen(1n), seen(2n)], 2, { kind: 'trouble' }],
    ['of a pair while another may come', [seen(1n), seen(1n), undefined, undefined], 2, undefined],
    ['of two who know nothing while two others may have seen it', [absent, absent, seen(1n), undefined], 2, undefined],
  ])('%s', (_what, told, agree, verdict) => {
    if (verdict === undefined) expect(verdictOf(told, agree)).toBeUndefined();
    else expect(verdictOf(told, agree)).toMatchObject(verdict as object);
  });

  const testimony = fc.oneof(
    fc.constantFrom(absent, nothing),
    fc
      .record({ value: fc.bigInt(1n, 3n), hash: fc.constantFrom('a', 'b'), latest: fc.nat(200) })
      .map(({ value, hash, latest }) => seen(value, { hash, told: { ...heights, latest } })),
  );
  const bench = fc.integer({ min: 1, max: 5 }).chain((count) =>
    fc.record({
      told: fc.array(testimony, { minLength: count, maxLength: count }),
      agree: fc.integer({ min: 1, max: count }),
      order: fc.shuffledSubarray(
        Array.from({ length: count }, (_, n) => n),
        { minLength: count },
      ),
    }),
  );

  it('is the same whenever it is given, and is given at the latest when all have spoken', () => {
    fc.assert(
      fc.property(bench, ({ told, agree, order }) => {
        const last = verdictOf(told, agree);
        expect(last).toBeDefined();
        const soFar = new Array<Testimony | undefined>(told.length).fill(undefined);
        for (const index of order) {
          soFar[index] = told[index];
          const early = verdictOf(soFar, agree);
          if (early === undefined) continue;
          // Only the heights may grow with later answers.
          expect({ ...early, heights: undefined, reason: undefined }).toEqual({
            ...last,
            heights: undefined,
            reason: undefined,
          });
          if ('heights' in early && last !== undefined && 'heights' in last)
            expect(early.heights.latest).toBeLessThanOrEqual(last.heights.latest);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it('is never that of liars who are fewer than must agree, nor a height that no honest one has reached', () => {
    const fixture = fc
      .record({
        agree: fc.integer({ min: 1, max: 4 }),
        honest: fc.integer({ min: 1, max: 4 }),
        liars: fc.array(testimony, { maxLength: 3 }),
      })
      .filter(({ agree, liars }) => liars.length < agree);
    fc.assert(
      fc.property(fixture, ({ agree, honest, liars }) => {
        const told = [...liars, ...Array.from({ length: honest }, () => seen(7n))];
        const verdict = verdictOf(told, agree);
        if (verdict?.kind !== 'found') return verdict?.kind === 'trouble';
        return verdict.transfers[0]?.value === 7n && verdict.heights.latest <= heights.latest;
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('a verdict of all', () => {
  it.each<[string, Testimony[], unknown]>([
    ['is that of enough, where nobody sees it', [absent, absent, nothing], { kind: 'not_found' }],
    [
      'denies nothing that one of them has in a block',
      [absent, absent, seen(1n)],
      { kind: 'trouble', reason: '2 of 3 endpoints must agree: 1 absent, 2 absent, 3 seen' },
    ],
    [
      'nor a transfer that failed elsewhere alone',
      [seen(0n, { succeeded: false }), seen(0n, { succeeded: false }), seen(1n, { hash: 'b' })],
      { kind: 'trouble' },
    ],
    [
      'denies what failed for one, and is not there for the others',
      [absent, absent, seen(0n, { succeeded: false })],
      { kind: 'not_found' },
    ],
    ['tells what enough see', [seen(1n), seen(1n), absent], { kind: 'found' }],
    ['is none of too few', [absent, nothing, nothing], { kind: 'trouble' }],
  ])('%s', (_what, told, verdict) => expect(wholeVerdictOf(told, 2)).toMatchObject(verdict as object));
});

describe('the block at a height', () => {
  const block = (hash: string | null): BlockTestimony => ({ kind: 'block', hash, digest: String(hash) });
  const unknown: BlockTestimony = { kind: 'nothing', why: 'no such block' };
  it.each<[string, (BlockTestimony | undefined)[], unknown]>([
    ['is that of two, while the third is out', [block('a'), undefined, block('a')], { kind: 'block', hash: 'a' }],
    [
      'is none where two have gone past it without',
      [block(null), block('a'), block(null)],
      { kind: 'block', hash: null },
    ],
    ['is open while two differ', [block('a'), block('b'), undefined], undefined],
    [
      'is trouble where all differ',
      [block('a'), block('b'), block(null)],
      { kind: 'trouble', reason: '2 of 3 endpoints must agree: 1 block, 2 block, 3 block' },
    ],
    [
      'is trouble where two have pruned it',
      [block('a'), unknown, unknown],
      { kind: 'trouble', reason: '2 of 3 endpoints must agree: 1 block, 2 no such block, 3 no such block' },
    ],
  ])('%s', (_what, told, verdict) => expect(blockVerdictOf(told, 2)).toEqual(verdict));
});

describe('a page', () => {
  const incomingTransfer: IncomingTransfer = {
    transactionId: 't',
    address: 'A',
    block: { number: 1, hash: 'a', timeMs: 1_000 },
    token: 'T',
    from: 'F',
    value: 1n,
    ordinal: 0,
  };
  const page = (value: bigint, next = 'n'): PageTestimony => {
    const told = { incomingTransfers: [{ ...incomingTransfer, value }], next, isAtHead: true, scannedTo: 1 };
    return { kind: 'page', ...told, digest: pageDigest(told) };
  };
  const fork = { back: 'b', aboveBlock: 1, scannedTo: 1 };
  const back: PageTestimony = { kind: 'reorganised', ...fork, digest: pageDigest(fork) };
  const tooLarge: PageTestimony = { kind: 'too_large' };

  it('is told apart by all that is in it, in any order', () => {
    const facts = {
      incomingTransfers: [incomingTransfer, { ...incomingTransfer, ordinal: 1 }],
      next: 'n',
      isAtHead: true,
      scannedTo: 1 as number | null,
    };
    const others = [
      { ...facts, next: 'm' },
      { ...facts, isAtHead: false },
      { ...facts, scannedTo: 2 },
      { ...facts, scannedTo: null },
      { ...facts, incomingTransfers: [incomingTransfer] },
      ...(['transactionId', 'address', 'token', 'from'] as const).map((field) => ({
        ...facts,
        incomingTransfers: facts.incomingTransfers.map((one) => ({ ...one, [field]: 'x' })),
      })),
      { ...facts, incomingTransfers: facts.incomingTransfers.map((one) => ({ ...one, value: 2n })) },
      { ...facts, incomingTransfers: facts.incomingTransfers.map((one) => ({ ...one, alsoFrom: ['x'] })) },
      ...[{ hash: 'b' }, { number: 2 }, { timeMs: 2 }].map((block) => ({
        ...facts,
        incomingTransfers: facts.incomingTransfers.map((one) => ({ ...one, block: { ...one.block, ...block } })),
      })),
    ];
    expect(new Set([facts, ...others].map((one) => pageDigest(one))).size).toBe(others.length + 1);
    expect(pageDigest({ ...facts, incomingTransfers: [...facts.incomingTransfers].reverse() })).toBe(pageDigest(facts));
  });

  it.each<[string, (PageTestimony | undefined)[], unknown]>([
    [
      'two who agree while the third is out',
      [page(1n), undefined, page(1n)],
      { kind: 'page', next: 'n', incomingTransfers: [{ value: 1n }] },
    ],
    ['two who agree against one', [page(1n), page(2n), page(1n)], { kind: 'page', incomingTransfers: [{ value: 1n }] }],
    ['two who differ while the third is out', [page(1n), page(2n), undefined], undefined],
    ['three who differ', [page(1n), page(2n), page(1n, 'm')], { kind: 'trouble' }],
    ['two whose chain went back', [back, page(1n), back], { kind: 'reorganised', back: 'b', aboveBlock: 1 }],
    [
      'one whose chain went back',
      [back, page(1n), { kind: 'nothing', why: 'lags' }],
      { kind: 'trouble', reason: '2 of 3 endpoints must agree: 1 reorganised, 2 page, 3 lags' },
    ],
    ['one for whom it is too much, and two who agree', [tooLarge, page(1n), page(1n)], { kind: 'page' }],
    [
      'one for whom it is too much, and two who do not agree',
      [tooLarge, page(1n), { kind: 'nothing', why: 'late' }],
      { kind: 'too_large' },
    ],
    ['one for whom it is too much, while another is out', [tooLarge, page(1n), undefined], undefined],
  ])('of %s', (_what, told, verdict) => {
    if (verdict === undefined) expect(pageVerdictOf(told, 2)).toBeUndefined();
    else expect(pageVerdictOf(told, 2)).toMatchObject(verdict as object);
  });
});

describe('heights', () => {
  const told = (latest: number, safe: number | null, finalized: number | null): ChainHeights => ({
    latest,
    safe,
    finalized,
  });

  it('are those that enough have reached', () => {
    expect(agreedHeights([told(10, 8, 6), told(12, 9, 5), told(900, 800, 700)], 2)).toEqual(told(12, 9, 6));
    expect(agreedHeights([told(10, 8, 6), told(12, 9, 5), told(900, 800, 700)], 3)).toEqual(told(10, 8, 5));
    expect(agreedHeights([told(10, 8, 6)], 2)).toBeUndefined();
  });

  it('of a tag that nobody knows are none, and that one does not tell are not reached by it', () => {
    expect(agreedHeights([told(10, null, 6), told(12, null, null)], 2)).toEqual(told(10, null, 0));
    expect(agreedHeights([told(10, null, 6), told(12, null, null)], 1)).toEqual(told(12, null, 6));
  });
});

describe('a contradiction', () => {
  it('is another word on the same block than that of those who agree', () => {
    expect(contradictions([seen(2n), seen(1n), seen(1n)], 2)).toEqual([0]);
    expect(contradictions([seen(2n, { hash: 'b' }), seen(1n), seen(1n)], 2)).toEqual([]);
    expect(contradictions([seen(2n), seen(1n), absent], 2)).toEqual([]);
    expect(contradictions([seen(1n, { told: { ...heights, latest: 1 } }), seen(1n), nothing], 2)).toEqual([]);
  });
});
