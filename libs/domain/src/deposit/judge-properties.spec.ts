import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { acceptedTokens, tokenAt, type EvmChain } from '../chain/chain.js';
import { isFinalForGood } from '../chain/finality.js';
import { EVM_CHAINS } from '../chain/registry.js';
import { WALLET_CURRENCIES } from '../currency/registry.js';
import { formatDecimal, MAX_DIGITS } from '../money/decimal.js';
import { convertFloor } from '../money/rate.js';
import { assetAmountDue, tokenRate, tokenUnit } from './amounts.js';
import { shortfallTolerated } from './tolerance.js';
import { centsReceived, judgeDeposit, type DepositClaim, type Judgement } from './judge.js';
import {
  at,
  CLAIM,
  FINAL,
  found,
  HOUR_MS,
  look,
  NOT_FINAL,
  NOW,
  OURS,
  STRANGER,
  transfer,
  UNEXPOSED,
  UNKNOWN_CONTRACT,
} from './judge.spec-support.js';
import type { SightedTransfer } from './sighting.js';
import { add, compare, money, subtract, zero } from '../money/money.js';

type Final = Extract<Judgement, { credits: unknown }>;
const hasCredits = (judged: Judgement): judged is Final => judged.kind === 'verified' || judged.kind === 'unapplied';

const rates = fc
  .tuple(fc.bigInt(1n, 4_000n * 10n ** 6n), fc.constantFrom(6, 4, 18))
  .map(([scaled, decimals]) => formatDecimal(scaled * 10n ** BigInt(decimals - 4), decimals));

const values = (chain: EvmChain, due: (decimals: number) => bigint): fc.Arbitrary<SightedTransfer> => {
  const listed = [...chain.tokens, ...chain.lookalikes].map(({ address }) => address);
  const near = fc.bigInt(-20_000n, 20_000n);
  return fc
    .tuple(
      fc.constantFrom(...listed, ...listed.map((address) => address.toLowerCase()), UNKNOWN_CONTRACT),
      fc.constantFrom(STRANGER, STRANGER, STRANGER, OURS, OURS.toLowerCase()),
      fc.nat(6),
      near,
      fc.bigInt(0n, 2n ** 256n - 1n),
    )
    .map(([address, from, how, offset, any]) => {
      const decimals = tokenAt(chain, address)?.decimals ?? 6;
      const scale = decimals === 18 ? 10n ** 12n : 1n;
      const about =
        [
          due(decimals) + offset,
          due(decimals) / 2n + offset,
          due(decimals) - due(decimals) / 1_000n + offset,
          due(decimals) + offset * scale,
          any % (due(decimals) + 1n),
          0n,
          any,
        ][how] ?? any;
      return transfer(address, about < 0n ? 0n : about, from);
    });
};

interface Case {
  readonly chain: EvmChain;
  readonly claim: DepositClaim;
  readonly transfers: readonly SightedTransfer[];
}

const cases: fc.Arbitrary<Case> = fc
  .tuple(
    fc.constantFrom(...EVM_CHAINS),
    fc.constantFrom(...WALLET_CURRENCIES),
    fc.bigInt(1n, 10n ** 10n),
    rates,
    fc.option(fc.tuple(rates, fc.boolean())),
    fc.boolean(),
    fc.nat(2),
  )
  .chain(([chain, currency, amountMinor, rate, quoted, names, which]) => {
    const accepted = acceptedTokens(chain);
    const symbol = accepted[which % accepted.length]?.symbol ?? '';
    const quote = quoted && { asset: symbol, rate: quoted[0], expiresAt: quoted[1] ? at(HOUR_MS) : at(-HOUR_MS) };
    const amount = money(amountMinor, currency);
    const claim: DepositClaim = { ...CLAIM, amount, rate, quote, asset: names ? symbol : null };
    const transfers = fc.array(
      values(chain, (decimals) => assetAmountDue(amount, quote?.rate ?? rate, { currency: 'any', decimals }).minor),
      { maxLength: 6 },
    );
    return transfers.map((all) => ({ chain, claim, transfers: all }));
  });

const judge = ({ chain, claim, transfers }: Case, heights = FINAL): Judgement =>
  judgeDeposit(look(found(transfers, heights), { chain, ...claim }));

const counts = (chain: EvmChain, { token, from, value }: SightedTransfer): boolean => {
  const listed = tokenAt(chain, token);
  return (
    listed !== undefined &&
    acceptedTokens(chain).includes(listed) &&
    value > 0n &&
    from.toLowerCase() !== OURS.toLowerCase()
  );
};

const RUNS = { numRuns: 2_000 };

describe('whatever arrives', () => {
  it('is never verified for less than the amount less the tolerance, and is for all that is not less', () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(cases, (one) => {
        const judged = judge(one);
        seen.add(judged.kind);
        if (!hasCredits(judged) || (judged.kind === 'unapplied' && judged.reason !== 'underpaid')) return;
        const { claim } = one;
        const [{ token, received }] = judged.credits;
        const unit = tokenUnit(one.chain, token);
        const { to, from } = tokenRate(judged.rate, claim.amount.currency, unit);
        const tolerated = shortfallTolerated(assetAmountDue(claim.amount, judged.rate, unit), unit);
        // received × rate against amount − tolerance × rate, without a division.
        const short = add(received, tolerated).minor * to.minor < claim.amount.minor * from.minor;
        if (judged.kind === 'verified') expect(short).toBe(false);
        else expect(short).toBe(true);
      }),
      RUNS,
    );
    expect([...seen].sort()).toEqual(['unapplied', 'unusable', 'verified']);
  });

  it('is in exactly one credit, or does not count', () => {
    fc.assert(
      fc.property(cases, (one) => {
        const judged = judge(one);
        const counting = one.transfers.filter((each) => counts(one.chain, each));
        const sums = acceptedTokens(one.chain).map((token) => {
          const ours = counting.filter((each) => tokenAt(one.chain, each.token) === token);
          return [token, ours.reduce((total, { value }) => total + value, 0n)] as const;
        });
        // Values above any supply do not count.
        const possible = sums.filter(([token, sum]) => sum > 0n && sum <= 10n ** BigInt(15 + token.decimals));
        const credits = hasCredits(judged) ? judged.credits : [];
        const whole = credits.filter(({ isBeyondQuote }) => !isBeyondQuote);
        const beyond = credits.filter(({ isBeyondQuote }) => isBeyondQuote);
        expect(beyond).toEqual(beyond.length === 0 ? [] : [credits[1]]);
        expect(beyond.every(({ token, received }) => token === credits[0]?.token && received.minor > 0n)).toBe(true);
        const sumOf = (token: unknown): bigint =>
          credits
            .filter((credit) => credit.token === token)
            .reduce((total, { received }) => total + received.minor, 0n);
        expect(new Map(whole.map(({ token }) => [token, sumOf(token)]))).toEqual(new Map(possible));
        expect(whole).toHaveLength(possible.length);
      }),
      RUNS,
    );
  });

  it('is held in numbers that the ledger holds, and what is short makes it whole', () => {
    fc.assert(
      fc.property(cases, (one) => {
        const judged = judge(one);
        if (!hasCredits(judged)) return;
        for (const { token, received } of judged.credits) {
          expect(received.minor.toString().length).toBeLessThanOrEqual(MAX_DIGITS);
          expect(
            convertFloor(
              received,
              tokenRate(judged.rate, one.claim.amount.currency, tokenUnit(one.chain, token)),
            ).minor.toString().length,
          ).toBeLessThanOrEqual(MAX_DIGITS);
        }
        if (judged.kind !== 'verified') return;
        const [{ token, received }] = judged.credits;
        const { amount } = one.claim;
        const worth = convertFloor(received, tokenRate(judged.rate, amount.currency, tokenUnit(one.chain, token)));
        expect(judged.shortfall).toEqual(compare(worth, amount) < 0 ? subtract(amount, worth) : zero(amount.currency));
      }),
      RUNS,
    );
  });

  it('does no harm by being more', () => {
    const more = cases.chain((one) =>
      fc
        .tuple(fc.constant(one), fc.constantFrom(...acceptedTokens(one.chain)), fc.bigInt(1n, 10n ** 20n))
        .map(([each, token, value]) => [each, transfer(token.address, value)] as const),
    );
    fc.assert(
      fc.property(more, ([one, further]) => {
        const before = judge(one);
        if (before.kind !== 'verified') return;
        const after = judge({ ...one, transfers: [...one.transfers, further] });
        expect(after.kind).toBe('verified');
        // More of the paying token never increases the shortfall.
        if (after.kind === 'verified' && after.credits[0].token === before.credits[0].token)
          expect(after.shortfall.minor).toBeLessThanOrEqual(before.shortfall.minor);
      }),
      RUNS,
    );
  });

  it('is no verdict before it is final, and none by the order of its transfers', () => {
    fc.assert(
      fc.property(cases, (one) => {
        const waiting = judge(one, NOT_FINAL);
        expect(waiting).toEqual({ kind: 'wait', seen: hasCredits(judge(one)), exposed: false });
        expect(judge({ ...one, transfers: one.transfers.toReversed() })).toEqual(judge(one));
      }),
      RUNS,
    );
  });

  it('is paid on blocks that may vanish up to the limit of exposure and never beyond, and on those that stay whatever is open', () => {
    const cents = fc.bigInt(0n, 10n ** 7n);
    const depth = fc.nat(400);
    const outcomes = new Set<string>();
    fc.assert(
      fc.property(
        cases,
        cents,
        cents,
        depth,
        depth,
        ({ chain, claim, transfers }, openCents, limitCents, latest, finalized) => {
          const heights = {
            latest: 1_000 + Math.max(latest, finalized),
            safe: 1_000 + finalized,
            finalized: 700 + finalized,
          };
          const input = look(found(transfers, heights), { chain, ...claim, exposure: { openCents, limitCents } });
          const [judged, free] = [judgeDeposit(input), judgeDeposit({ ...input, exposure: UNEXPOSED })];
          const stays = isFinalForGood(chain.finality, heights, 1_000);
          if (judged.kind === 'wait' && judged.exposed) {
            outcomes.add('held back');
            expect(stays).toBe(false);
            expect(hasCredits(free) && openCents + centsReceived(free.credits) > limitCents).toBe(true);
          } else {
            expect(judged).toEqual(free);
            if (!hasCredits(judged)) return;
            outcomes.add(stays ? 'stays' : 'within the limit');
            if (!stays) expect(openCents + centsReceived(judged.credits)).toBeLessThanOrEqual(limitCents);
          }
        },
      ),
      RUNS,
    );
    expect([...outcomes].sort()).toEqual(['held back', 'stays', 'within the limit']);
  });

  it('is never lost to trouble with the endpoints, whenever that is', () => {
    fc.assert(
      fc.property(cases, fc.integer({ min: -1_000 * HOUR_MS, max: 1_000 * HOUR_MS }), ({ chain, claim }, ms) => {
        const trouble = { kind: 'trouble', reason: 'silent' } as const;
        expect(judgeDeposit(look(trouble, { chain, ...claim, now: new Date(NOW.getTime() + ms) }))).toEqual({
          kind: 'wait',
          seen: false,
          exposed: false,
        });
      }),
    );
  });
});
