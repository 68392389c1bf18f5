import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { money, type Money } from '../money/money.js';
import { assetAmountDue, tokenRate, tokenUnit } from './amounts.js';
import { judgeDeposit, type DepositClaim, type Judgement } from './judge.js';
import { shortfallTolerated } from './tolerance.js';
import { accepted, at, CLAIM, evm, FINAL, found, look, NOW, transfer } from './judge.spec-support.js';

const USDC = accepted(evm('CELO'), 'USDC');
const [SECOND, MINUTE] = [1_000, 60_000];
const DAY_RATE = '129.35';
const { currency } = CLAIM.amount;
const UNIT = tokenUnit(evm('CELO'), USDC);
const kes = (minor: bigint): Money => money(minor, currency);
const dueOf = ({ amountMinor, quoteRate }: Pick<Choice, 'amountMinor' | 'quoteRate'>): bigint =>
  assetAmountDue(kes(amountMinor), quoteRate, UNIT).minor;
const mostOf = (due: bigint): bigint => due + shortfallTolerated(money(due, UNIT.currency), UNIT).minor;

/** Milliseconds after NOW, when the quote was given. */
interface Choice {
  readonly openedMs: number;
  readonly blockMs: number;
  readonly receivedMinor: bigint;
  readonly amountMinor: bigint;
  readonly quoteRate: string;
}

const LIVES_MS = 5 * MINUTE;
const judge = ({ openedMs, blockMs, receivedMinor, amountMinor, quoteRate }: Choice): Judgement => {
  const quote: DepositClaim['quote'] = { asset: 'USDC', rate: quoteRate, expiresAt: at(LIVES_MS) };
  return judgeDeposit(
    look(found([transfer(USDC.address, receivedMinor)], FINAL, NOW.getTime() + blockMs), {
      amount: kes(amountMinor),
      rate: DAY_RATE,
      quote,
      openedAt: at(openedMs),
    }),
  );
};

/** An independent copy of the rules of decisions.md section 2. */
function isPricedByQuote({ openedMs, blockMs }: Choice): boolean {
  if (openedMs > LIVES_MS + 30 * MINUTE) return false;
  if (blockMs > LIVES_MS + 30 * SECOND) return false;
  const isMadeBefore = blockMs < -30 * SECOND;
  return !isMadeBefore || openedMs <= LIVES_MS + 30 * SECOND;
}

const AROUND = [-1, 0, 1];
const EDGES = [
  -24 * 60 * MINUTE,
  -30 * SECOND,
  0,
  LIVES_MS,
  LIVES_MS + 30 * SECOND,
  LIVES_MS + 30 * MINUTE,
  24 * 60 * MINUTE,
].flatMap((edge) => AROUND.map((offset) => edge + offset));

describe('a quote, by when it was given, claimed and paid', () => {
  it('prices its transfer exactly within its times, at every edge of them, and else the rate of the day does', () => {
    const seen = new Set<boolean>();
    for (const openedMs of EDGES) {
      for (const blockMs of EDGES) {
        if (blockMs < openedMs - 24 * 60 * MINUTE) continue;
        const choice = { openedMs, blockMs, receivedMinor: 10_000_000n, amountMinor: 1_000_00n, quoteRate: '140' };
        const quoted = isPricedByQuote(choice);
        seen.add(quoted);
        expect({ openedMs, blockMs, ...judge(choice) }).toMatchObject({
          openedMs,
          blockMs,
          kind: 'verified',
          rate: quoted ? '140' : DAY_RATE,
          quoteNotApplied: quoted ? null : 'expired',
        });
      }
    }
    expect(seen).toEqual(new Set([true, false]));
  });

  const moments = fc.oneof(fc.constantFrom(...EDGES), fc.integer({ min: -24 * 60 * MINUTE, max: 25 * 60 * MINUTE }));
  const choices: fc.Arbitrary<Choice> = fc
    .record({
      openedMs: moments,
      blockMs: moments,
      amountMinor: fc.oneof(fc.constant(20_00n), fc.bigInt(20_00n, 250_000_00n)),
      quoteRate: fc.constantFrom('60', '120', '129.35', '140', '260'),
    })
    .chain((choice) => {
      const due = dueOf(choice);
      const about = fc.bigInt(-20_000n, 20_000n).map((offset) => (due + offset > 0n ? due + offset : 1n));
      return fc.oneof(about, fc.bigInt(1n, 50_000n * 10n ** 6n)).map((receivedMinor) => ({ ...choice, receivedMinor }));
    });

  it('is never worth more than its amount and the tolerance, whatever was sent and whenever it was claimed', () => {
    const outcomes = new Set<string>();
    fc.assert(
      fc.property(choices, (choice) => {
        const judged = judge(choice);
        if (judged.kind !== 'verified' || judged.quoteNotApplied !== null) return;
        const [{ received }, ...others] = judged.credits;
        const due = dueOf(choice);
        const most = mostOf(due);
        outcomes.add(others.length === 0 ? 'all of it' : 'a part');
        expect(isPricedByQuote(choice)).toBe(true);
        expect(received.minor).toBe(choice.receivedMinor < most ? choice.receivedMinor : most);
        expect(others.map((credit) => [credit.received.minor, credit.isBeyondQuote])).toEqual(
          choice.receivedMinor > most ? [[choice.receivedMinor - most, true]] : [],
        );
      }),
      { numRuns: 5_000 },
    );
    expect([...outcomes].sort()).toEqual(['a part', 'all of it']);
  });

  it('gives who waits to see how the rate goes nothing beyond the worth of its amount and the tolerance, by any choice of claim, block and value', () => {
    fc.assert(
      fc.property(choices, (choice) => {
        const judged = judge(choice);
        if (judged.kind !== 'verified') return;
        const [{ received }] = judged.credits;
        const valueAt = (rate: string): bigint => {
          const { to, from } = tokenRate(rate, currency, UNIT);
          return (received.minor * to.minor) / from.minor;
        };
        const gained = valueAt(judged.rate) - valueAt(DAY_RATE);
        if (judged.quoteNotApplied !== null) expect(gained).toBe(0n);
        const due = dueOf(choice);
        const { to, from } = tokenRate(choice.quoteRate, currency, UNIT);
        expect(gained).toBeLessThanOrEqual((mostOf(due) * to.minor) / from.minor);
      }),
      { numRuns: 2_000 },
    );
  });
});
