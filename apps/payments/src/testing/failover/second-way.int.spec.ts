import { afterEach, describe, expect, it } from '@jest/globals';
import { drawn } from '@vuka/testing';

import { HONEST, TwoProviders, type Way } from './two-providers.spec-support.js';

/**
 * A payout whose first way is pawaPay and whose second one is Paystack, and the other way round. The books of both
 * simulators are the judge: `round` throws where a transaction has two payments, or was sent again without proof.
 */
const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const LIMIT_MS = 120_000;

/** pawaPay's numbers whose first call says nothing of what became of it, or says what is not so. */
const DOUBTFUL: Readonly<Record<string, string>> = {
  '0001': 'COMPLETE by pawapay',
  '0002': 'COMPLETE by pawapay',
  '0003': 'COMPLETE by pawapay',
  '0004': 'COMPLETE by pawapay',
  '0005': 'COMPLETE by pawapay',
  '0006': 'COMPLETE by pawapay',
  '0007': 'COMPLETE by pawapay',
  '0008': 'COMPLETE by pawapay',
  '0010': 'COMPLETE by pawapay',
  '0011': 'COMPLETE by pawapay',
  '0012': 'COMPLETE by pawapay',
  '0013': 'COMPLETE by pawapay',
  '0014': 'COMPLETE by pawapay',
  // Taken, and not paid for a reason of the recipient's.
  '0015': 'FAILED',
  '0016': 'COMPLETE by pawapay',
  '0018': 'COMPLETE by pawapay',
  '0113': 'COMPLETE by pawapay',
  // Taken, and not known to the status for fourteen minutes.
  '0206': 'COMPLETE by pawapay',
  '0207': 'COMPLETE by pawapay',
};
/** Always called a duplicate, and never found: people must look. */
const NEVER_KNOWN = '0017';
const FOR_EVER = '0105';
/** Every call is refused with a code of no table, so each one stays unknown. */
const NEW_CODE = '0418';

let two: TwoProviders;
afterEach(() => two.stop());

const transfers = (): number => two.paystack.book().transfers.length;
const payouts = (): number => two.pawapay.book().payouts.length;

async function expectBooksOfOurs(corridor: 'GHS' | 'KES'): Promise<void> {
  const { booked, posted } = await two.sums(corridor);
  expect(posted).toEqual(booked);
}

/** Both have the same two ways. */
const CORRIDORS = drawn('corridors of two ways', ['GHS', 'KES'] as const, 1);

describe.each(CORRIDORS)('a payout to a phone in %s, by pawaPay and then Paystack', (corridor) => {
  it(
    'is paid by the second as soon as the first has provably not taken it',
    async () => {
      two = await TwoProviders.start('pawapay', 'paystack');
      // Refused for no float, and because the network is down.
      const refused = await two.accept(corridor, ['0416', '0417']);
      await two.round(5 * SECOND_MS);
      await two.lines.pawapay.stop();
      const unreachable = await two.accept(corridor, [HONEST, HONEST]);
      await two.rounds(2, 5 * SECOND_MS);
      await two.lines.pawapay.start();
      two.lines.pawapay.trouble = 'refused';
      const turnedDown = await two.accept(corridor, [HONEST]);
      await two.rounds(3, 5 * SECOND_MS);
      const all = [...refused, ...unreachable, ...turnedDown];
      expect(await two.ends(all)).toEqual(all.map(() => 'COMPLETE by paystack'));
      expect([payouts(), transfers()]).toEqual([0, all.length]);
      await expectBooksOfOurs(corridor);
    },
    LIMIT_MS,
  );

  it(
    'never goes the second way while nobody knows what became of it on the first',
    async () => {
      two = await TwoProviders.start('pawapay', 'paystack');
      const doubtful = await two.accept(corridor, Object.keys(DOUBTFUL));
      const open = await two.accept(corridor, [NEVER_KNOWN, FOR_EVER]);
      const [refused = 0] = await two.accept(corridor, [NEW_CODE]);
      // "not found" proves nothing before fifteen minutes after the last of its repeats.
      for (const [count, ms] of [
        [12, 10 * SECOND_MS],
        [42, MINUTE_MS],
      ] as const)
        // prettier-ignore
        for (let round = 0; round < count; round += 1) {
          await two.round(ms);
          expect([round, transfers()]).toEqual([round, 0]);
        }
      expect(await two.ends(doubtful)).toEqual(Object.values(DOUBTFUL));
      await two.rounds(6, 5 * MINUTE_MS);
      expect(await two.ends([refused])).toEqual(['COMPLETE by paystack']);
      expect(await two.ends(open)).toEqual(['IN_DOUBT', 'SUBMITTED']);
      expect(transfers()).toBe(1);
      await expectBooksOfOurs(corridor);
    },
    LIMIT_MS,
  );
});

describe('a payout for which Paystack wants a one-time password', () => {
  /** Abandoned after half an hour without. */
  const WANTS_OTP = '0101';

  async function waiting(): Promise<number> {
    two = await TwoProviders.start('paystack', 'pawapay');
    const [id = 0] = await two.accept('GHS', [WANTS_OTP]);
    for (let minute = 0; minute < 28; minute += 1) {
      await two.round(MINUTE_MS);
      expect([minute, payouts(), await two.ends([id])]).toEqual([minute, 0, ['SUBMITTED']]);
    }
    expect(two.told('payout_waits_for_us', 'paystack')).toBeGreaterThan(0);
    return id;
  }
  const referenceOf = (): string => (two.paystack.book().transfers[0] as { reference: string }).reference;

  it(
    'waits and pages people, and nobody else pays it meanwhile nor when they have given it',
    async () => {
      const id = await waiting();
      expect(await two.paystack.steer(referenceOf(), 'pay')).toBe(true);
      await two.rounds(4, 5 * MINUTE_MS);
      expect([await two.ends([id]), payouts()]).toEqual([['COMPLETE by paystack'], 0]);
    },
    LIMIT_MS,
  );

  it(
    'goes the second way when Paystack has given it up',
    async () => {
      const id = await waiting();
      await two.rounds(20, 3 * MINUTE_MS);
      expect([await two.ends([id]), payouts()]).toEqual([['COMPLETE by pawapay'], 1]);
      await expectBooksOfOurs('GHS');
    },
    LIMIT_MS,
  );
});

it.each<[string, string, Way]>([
  ['abandoned', '0109', 'pawapay'],
  ['blocked', '0110', 'pawapay'],
])(
  'a transfer that Paystack has %s for a fault of ours is paid by pawaPay, once',
  async (_, digits, payer) => {
    two = await TwoProviders.start('paystack', 'pawapay');
    const ids = await two.accept('KES', [digits]);
    await two.rounds(8, 30 * SECOND_MS);
    expect([await two.ends(ids), transfers(), payouts()]).toEqual([[`COMPLETE by ${payer}`], 1, 1]);
  },
  LIMIT_MS,
);
