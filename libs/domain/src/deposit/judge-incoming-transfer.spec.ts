import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { acceptedTokens } from '../chain/chain.js';
import { EVM_CHAINS } from '../chain/registry.js';
import { centsDue } from './amounts.js';
import {
  judgeIncomingTransfer,
  judgeDeposit,
  type IncomingTransferJudgement,
  type IncomingTransferToJudge,
} from './judge.js';
import {
  accepted,
  at,
  CLAIM,
  evm,
  FINAL,
  found,
  HOUR_MS,
  inBlock,
  look,
  minor,
  NOT_FINAL,
  OURS,
  STRANGER,
  transfer,
  UNKNOWN_CONTRACT,
} from './judge.spec-support.js';
import type { SightedTransfer, Sighting } from './sighting.js';
import { money } from '../money/money.js';

const CELO = evm('CELO');
const USDC = accepted(CELO, 'USDC').address;
const usdc = (text: string, from = STRANGER): SightedTransfer => transfer(USDC, minor(text, 6), from);

function incomingTransfer(sighting: Sighting, more: Partial<IncomingTransferToJudge> = {}): IncomingTransferToJudge {
  const { chain, ownAddresses, exposure, now, claim } = look(sighting);
  return {
    chain,
    sighting,
    ownAddresses,
    exposure,
    now,
    expectedCents: centsDue(claim.amount, claim.rate),
    deadline: claim.deadline,
    ...more,
  };
}

function text(judged: IncomingTransferJudgement): string {
  if (judged.kind === 'unusable') return judged.reason;
  const credits = judged.kind === 'wait' ? judged.seen : judged.credits;
  const what =
    credits === null ? '' : `: ${credits.map(({ received }) => `${received.minor} ${received.currency}`).join(', ')}`;
  return `${judged.kind}${judged.kind === 'wait' && judged.exposed ? ', exposed' : ''}${what}`;
}

describe('judgeIncomingTransfer', () => {
  it.each<[string, Sighting, string, string]>([
    ['trouble', { kind: 'trouble', reason: 'endpoints disagree' }, 'wait', 'wait'],
    ['not found', { kind: 'not_found' }, 'wait', 'no_matching_transfer'],
    ['failed and not final', { kind: 'failed', ...inBlock(NOT_FINAL) }, 'wait', 'transfer_not_final'],
    ['failed and final', { kind: 'failed', ...inBlock(FINAL) }, 'transfer_failed', 'transfer_failed'],
    ['nothing for us and not final', found([], NOT_FINAL), 'wait', 'transfer_not_final'],
    ['nothing for us and final', found([]), 'no_matching_transfer', 'no_matching_transfer'],
    ['of ours and final', found([usdc('10', OURS.toLowerCase())]), 'no_matching_transfer', 'no_matching_transfer'],
    ['of no listed token', found([transfer(UNKNOWN_CONTRACT, 10n)]), 'no_matching_transfer', 'no_matching_transfer'],
    ['value and not final', found([usdc('10')], NOT_FINAL), 'wait: 10000000 USDC@CELO', 'wait: 10000000 USDC@CELO'],
    ['value and final', found([usdc('10')]), 'arrived: 10000000 USDC@CELO', 'arrived: 10000000 USDC@CELO'],
    ['a millionth and final', found([usdc('0.000001')]), 'arrived: 1 USDC@CELO', 'arrived: 1 USDC@CELO'],
    [
      'beside what is ours',
      found([usdc('10', OURS), usdc('0.5')]),
      'arrived: 500000 USDC@CELO',
      'arrived: 500000 USDC@CELO',
    ],
    [
      'of a year ago',
      found([usdc('10')], FINAL, at(-8_760 * HOUR_MS).getTime()),
      'arrived: 10000000 USDC@CELO',
      'arrived: 10000000 USDC@CELO',
    ],
    ['more than there is', found([usdc('10000000000000000')]), 'no_matching_transfer', 'no_matching_transfer'],
  ])('%s', (_, sighting, before, atDeadline) => {
    expect(text(judgeIncomingTransfer(incomingTransfer(sighting, { now: at(HOUR_MS - 1) })))).toBe(before);
    expect(text(judgeIncomingTransfer(incomingTransfer(sighting, { now: at(HOUR_MS) })))).toBe(atDeadline);
  });

  it('waits as long as what arrived asks for, and not as long as what was due', () => {
    const chain = evm('ETHEREUM');
    const { address } = accepted(chain, 'USDC');
    const heights = { latest: 1_012, safe: null, finalized: null };
    const judged = (value: bigint, expectedCents: bigint): string =>
      text(
        judgeIncomingTransfer(incomingTransfer(found([transfer(address, value)], heights), { chain, expectedCents })),
      );
    expect(judged(100_000_000n, 1_000_000_00n)).toBe('arrived: 100000000 USDC@ETHEREUM');
    expect(judged(100_000_001n, 1n)).toBe('wait: 100000001 USDC@ETHEREUM');
  });

  it('believes that nothing arrived only where what was to arrive would be final', () => {
    const chain = evm('ETHEREUM');
    const heights = { latest: 1_012, safe: null, finalized: null };
    const judged = (expectedCents: bigint): string =>
      text(judgeIncomingTransfer(incomingTransfer(found([], heights), { chain, expectedCents })));
    expect(judged(100_00n)).toBe('no_matching_transfer');
    expect(judged(100_01n)).toBe('wait');
  });

  it.each([
    [90_00n, 12, -1, 'arrived: 10000000 USDC@CELO'],
    [90_01n, 12, -1, 'wait, exposed: 10000000 USDC@CELO'],
    [90_01n, 12, 0, 'arrived: 10000000 USDC@CELO'],
    [90_01n, 11, -1, 'wait: 10000000 USDC@CELO'],
  ])('%s cents open, %s on top, finalized %s: %s', (openCents, depth, finalized, verdict) => {
    const sighting = found([usdc('10')], {
      latest: 1_000 + depth,
      safe: 1_000 + finalized,
      finalized: 1_000 + finalized,
    });
    for (const now of [at(60_000), at(HOUR_MS)])
      expect(
        text(judgeIncomingTransfer(incomingTransfer(sighting, { now, exposure: { openCents, limitCents: 100_00n } }))),
      ).toBe(verdict);
  });

  it('finds the same value as a pay that asks for next to nothing, and waits for it as long', () => {
    const transfers = fc.constantFrom(...EVM_CHAINS).chain((chain) => {
      const tokens = [...acceptedTokens(chain), ...chain.lookalikes].map(({ address }) => address);
      const one = fc
        .tuple(
          fc.constantFrom(...tokens, UNKNOWN_CONTRACT),
          fc.constantFrom(STRANGER, STRANGER, OURS),
          fc.bigInt(0n, 10n ** 23n),
        )
        .map(([token, from, value]) => transfer(token, value, from));
      return fc.record({
        chain: fc.constant(chain),
        all: fc.array(one, { maxLength: 5 }),
        depth: fc.nat(2_000),
        openCents: fc.bigInt(0n, 20_000_00n),
      });
    });
    fc.assert(
      fc.property(transfers, ({ chain, all, depth, openCents }) => {
        const sighting = found(all, {
          latest: 1_000 + depth,
          safe: 1_000 + depth - 50,
          finalized: 1_000 + depth - 100,
        });
        const [now, exposure] = [at(60_000), { openCents, limitCents: 10_000_00n }];
        const pay = judgeDeposit(look(sighting, { chain, now, exposure, amount: money(1n, 'KES') }));
        const came = judgeIncomingTransfer(
          incomingTransfer(sighting, { chain, now, exposure, expectedCents: centsDue(money(1n, 'KES'), CLAIM.rate) }),
        );
        if (pay.kind === 'wait')
          expect(came).toMatchObject({ kind: 'wait', exposed: pay.exposed, ...(!pay.seen && { seen: null }) });
        else if (pay.kind === 'unusable') expect(came).toEqual({ kind: 'unusable', reason: pay.reason });
        else expect(came).toEqual({ kind: 'arrived', credits: pay.credits });
      }),
      { numRuns: 1_000 },
    );
  });
});
