import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { currencyDecimals } from '@vuka/domain';
import {
  type CallbackReading,
  describeHonestSimulator,
  type HonestHarness,
  type HonestSimulator,
  pawapayProvider,
  type PawapayProvider,
  payoutIdOf,
  type PayoutInstruction,
} from '@vuka/payouts';
import { atDepth, drawn } from '@vuka/testing';
import fc from 'fast-check';

import type { Heard } from '../simulation/listener.spec-support.js';
import { asReceived, connect, payables, payoutIdFor, standing, to } from './adapter.spec-support.js';
import type { Behaviour } from './behaviour/behaviour.js';
import { NUMBERS } from './behaviour/numbers.js';
import { CHANGES } from './changed-callbacks.spec-support.js';
import { findProvider } from './data/provider-table.js';
import { Attempt, CALL_TIMEOUT_MS, plan, type Plan } from './led-attempt.spec-support.js';
import { MINUTE_MS, RunningPawapay, TOKEN } from './simulator.spec-support.js';

const SECOND_MS = 1_000;
const AT_ONCE = 12;
/** Longer than any course that a suite waits for, the five minutes until money comes back included. */
const A_STEP_ON_MS = 6 * MINUTE_MS;
const WALLET = { country: 'MWI', currency: 'MWK', provider: '' };

async function startProvider(): Promise<HonestSimulator> {
  const pawapay = await RunningPawapay.start();
  const steer = (action: 'release' | 'pay' | 'fail') => (attemptId: string) =>
    pawapay.control.steer(payoutIdOf(attemptId), action);
  return {
    baseUrl: pawapay.baseUrl,
    credential: TOKEN,
    settle: () => pawapay.clock.advance(A_STEP_ON_MS),
    timesPaid: (attemptId) =>
      Promise.resolve(pawapay.control.payments(payoutIdOf(attemptId)).filter((one) => !one.reversed).length),
    control: {
      release: steer('release'),
      pay: steer('pay'),
      reverse: steer('fail'),
      // A wallet is no order's.
      topUp: () => Promise.resolve(false),
    },
    stop: () => pawapay.remove(),
  };
}

/**
 * Left out is what pawaPay has no words for: a payout that expired, a payment that came back (its record is FAILED, without the
 * receipt), a second payment, and float for one order alone. They are below, as far as there are any.
 */
const harness: HonestHarness = {
  connect: (options) => pawapayProvider(options),
  startProvider,
  payable: () => to('1234'),
  payables,
  recipientNotFound: () => to('6089'),
  rejected: () => to('6119'),
  troubles: {
    nameless: () => to('1234'),
    unansweredPaid: () => to('0003'),
    held: () => to('0106'),
    anotherAmount: () => to('0202'),
    routeLeft: () => to('0112'),
  },
};

/** All others are our configuration. */
const REFUSED_AS: Readonly<Record<string, string>> = {
  AMOUNT_OUT_OF_BOUNDS: 'amount_not_accepted',
  INVALID_AMOUNT: 'amount_not_accepted',
  INVALID_PHONE_NUMBER: 'recipient_invalid',
  PROVIDER_TEMPORARILY_UNAVAILABLE: 'corridor_off',
  PAWAPAY_WALLET_OUT_OF_FUNDS: 'float',
  SOMETHING_NEW: 'unknown',
};

const FORGERIES: readonly unknown[] = ['forged', 'altered_body', 'altered_digest', 'unsigned', 'expired'];
const isTaken = ([, { rejects, answer }]: [string, Behaviour]): boolean =>
  rejects === undefined && answer?.taken !== false;
const NOT_SIGNED = Object.entries(NUMBERS)
  .filter(([, { callbacks = [] }]) => callbacks.some(({ signing }) => FORGERIES.includes(signing)))
  .map(([digits]) => digits);
/** FAILED with UNKNOWN_ERROR. */
const UNKNOWN_FAILURE = '0506';
/** Signed, and not what the record says. */
const SAYING_OTHERWISE = ['0317', '0319', UNKNOWN_FAILURE];
/** Not called back: lost, or without an end of their own. */
const NOT_CALLED_BACK = ['0102', '0105', '0106', '0301', '6129'];
const HONESTLY_SIGNED = Object.entries(NUMBERS)
  .filter(isTaken)
  .map(([digits]) => digits)
  .filter((digits) => !NOT_SIGNED.includes(digits) && !SAYING_OTHERWISE.includes(digits));

describeHonestSimulator('the adapter of pawaPay', { describe, it }, harness);

describe('the adapter of pawaPay with its simulator', () => {
  let pawapay: RunningPawapay;
  let provider: PawapayProvider;
  beforeEach(async () => {
    pawapay = await RunningPawapay.start({ holdMs: 100 });
    provider = connect(pawapay);
  });
  afterEach(async () => {
    await provider.close();
    await pawapay.remove();
  });

  it('says of money that came back that it is not paid', async () => {
    const payout = to('0108');
    await provider.submit(payout);
    await pawapay.control.moveClock(MINUTE_MS);
    expect(await provider.query(payout)).toMatchObject({ outcome: 'succeeded' });
    await pawapay.control.moveClock(5 * MINUTE_MS);
    expect(await provider.query(payout)).toMatchObject({
      outcome: 'not_paid',
      code: 'rail_rejected',
      routeLeft: false,
    });
    expect(standing(pawapay.control.payments(payoutIdFor(payout)))).toEqual([]);
  });

  it('defers without float, and is taken under the same id once there is some', async () => {
    const payout = to('1234');
    await pawapay.control.topUp(WALLET, -10_000_000_000n);
    expect(await provider.submit(payout)).toMatchObject({ outcome: 'deferred', reason: 'float' });
    expect(await provider.query(payout)).toMatchObject({ outcome: 'unknown', notFound: true });
    await pawapay.control.topUp(WALLET, 150_000n);
    expect(await provider.submit(payout)).toMatchObject({ outcome: 'submitted' });
    expect(await provider.submit(to('1234'))).toMatchObject({ outcome: 'deferred', reason: 'float' });
  });

  it('refuses the cents that pawaPay does not take, and no others', async () => {
    for (const payout of payables()) {
      const { minor, currency } = payout.amount;
      const unit = 10n ** BigInt(currencyDecimals(currency));
      if (unit === 1n) continue;
      await provider.submit(payout);
      const payouts = pawapay.control.book().payouts as readonly { payoutId: string; provider: string }[];
      const name = payouts.find(({ payoutId }) => payoutId === payoutIdFor(payout))?.provider ?? '';
      const rules = findProvider(name)?.currencies.find((one) => one.currency === currency);
      const { attemptId } = to('1234');
      const { outcome } = await provider.submit({
        ...payout,
        attemptId,
        amount: { minor: minor - (minor % unit) + 1n, currency },
      });
      expect([name, currency, outcome]).toEqual([name, currency, rules?.decimals === 0 ? 'not_paid' : 'submitted']);
    }
  });

  it.each([401, 403] as const)('defers where pawaPay does not know the token, told by %s', async (wrongTokenStatus) => {
    const other = await RunningPawapay.start({ wrongTokenStatus });
    const stranger = pawapayProvider({ baseUrl: other.baseUrl, credential: 'another-token-than-that' });
    expect(await stranger.submit(to('1234'))).toMatchObject({ outcome: 'deferred', reason: 'config' });
    expect(await stranger.query(to('1234'))).toMatchObject({ outcome: 'query_failed' });
    await stranger.close();
    await other.remove();
  });

  it('waits for a network that is delayed, is deferred by one that is closed, and ends what is cancelled', async () => {
    const [late, closed] = [to('1234'), to('1234')];
    await pawapay.control.setProviderStatus('AIRTEL_MWI', 'CLOSED');
    expect(await provider.submit(closed)).toMatchObject({ outcome: 'deferred', reason: 'corridor_off' });
    await pawapay.control.setProviderStatus('AIRTEL_MWI', 'DELAYED');
    expect(await provider.submit(late)).toMatchObject({ outcome: 'submitted' });
    await pawapay.control.moveClock(20 * MINUTE_MS);
    expect(await provider.query(late)).toMatchObject({ outcome: 'submitted' });
    await pawapay.call('POST', `/v2/payouts/fail-enqueued/${payoutIdFor(late)}`);
    expect(await provider.query(late)).toMatchObject({ outcome: 'not_paid', code: 'cancelled', routeLeft: false });
  });

  it('tells the balances by the rules that it says they follow', async () => {
    const balance = async (): Promise<bigint | undefined> => {
      const told = await provider.balances();
      return told.outcome === 'told' ? told.balances.find(({ wallet }) => wallet === 'mw')?.amount.minor : undefined;
    };
    expect(provider.capabilities.debitsAt).toBe('acceptance');
    expect(await balance()).toBe(10_000_000_000n);
    for (const digits of ['1234', '6089']) await provider.submit(to(digits));
    expect(await balance()).toBe(9_999_700_000n);
    await pawapay.control.moveClock(MINUTE_MS);
    expect(await balance()).toBe(9_999_850_000n);
  });

  it('ends a call that is refused by whose fault it is, and nothing is taken', async () => {
    const refused = Object.entries(NUMBERS).flatMap(([digits, { rejects }]) =>
      rejects === undefined ? [] : [{ digits, rejects }],
    );
    for (const { digits, rejects } of refused) {
      const payout = to(digits);
      const answer = await provider.submit(payout);
      const said = 'reason' in answer ? answer.reason : 'code' in answer ? answer.code : answer.outcome;
      expect([rejects, said]).toEqual([rejects, REFUSED_AS[rejects] ?? 'config']);
      expect(await provider.query(payout)).toMatchObject({ outcome: 'unknown', notFound: true });
    }
  });

  describe('called back', () => {
    /** Submits, and reads what is heard within an hour when it is heard. */
    async function readOf(payout: PayoutInstruction): Promise<{ heard: Heard; reading: CallbackReading }[]> {
      const { listener, control } = pawapay;
      const readings: { heard: Heard; reading: CallbackReading }[] = [];
      let read = listener.heard.length;
      await provider.submit(payout);
      // A new key is asked for once a minute at most.
      for (const stepMs of [2 * SECOND_MS, 2 * MINUTE_MS, 4 * MINUTE_MS, 10 * MINUTE_MS, 50 * MINUTE_MS]) {
        await control.moveClock(stepMs);
        for (const heard of listener.heard.slice(read))
          readings.push({ heard, reading: await provider.parseCallback(asReceived(heard)) });
        read = listener.heard.length;
      }
      return readings;
    }

    it('takes as signed what pawaPay signed, and reads it as it reads the record', async () => {
      for (const digits of [...HONESTLY_SIGNED, '1234']) {
        const payout = to(digits);
        const readings = await readOf(payout);
        expect([digits, readings.map(({ reading }) => reading.detail)]).toEqual([digits, readings.map(() => '')]);
        for (const { reading } of readings) {
          expect([digits, reading.signed]).toEqual([digits, true]);
          expect(reading.attemptIds).toContain(payout.attemptId);
        }
        const said = readings.at(-1)?.reading.answerFor(payout);
        expect([digits, said]).toEqual([digits, said && (await provider.query(payout))]);
        expect([digits, said === undefined]).toEqual([digits, NOT_CALLED_BACK.includes(digits)]);
      }
    });

    it.each(['raw', 'der'] as const)('reads both digests in %s', async (encoding) => {
      for (const digest of ['sha-256', 'sha-512'] as const) {
        const other = await RunningPawapay.start({ callbacks: { encoding, digest } });
        const adapter = connect(other);
        const payout = to('1234');
        await adapter.submit(payout);
        await other.control.moveClock(MINUTE_MS);
        const reading = await adapter.parseCallback(asReceived(other.listener.heard[0] as Heard));
        expect(reading.signed && reading.answerFor(payout)).toEqual(await adapter.query(payout));
        await adapter.close();
        await other.remove();
      }
    });

    it('never takes as signed what is forged, altered, expired or not signed', async () => {
      for (const digits of NOT_SIGNED) {
        const payout = to(digits);
        const readings = await readOf(payout);
        expect([digits, readings.length]).toEqual([digits, 1]);
        for (const { reading } of readings) {
          expect([digits, reading.signed]).toEqual([digits, false]);
          expect(reading.attemptIds).toContain(payout.attemptId);
          expect(reading.answerFor(payout)).toMatchObject({ outcome: 'query_failed' });
        }
      }
    });

    it('takes a signed one about another payout or amount for no payment of this', async () => {
      const stranger = to('0317');
      const [first, second] = await readOf(stranger);
      expect(first?.reading.attemptIds).not.toContain(stranger.attemptId);
      expect(first?.reading.answerFor(stranger)).toMatchObject({ outcome: 'query_failed' });
      expect(second?.reading.answerFor(stranger)).toMatchObject({ outcome: 'succeeded' });
      const dearer = to('0319');
      expect((await readOf(dearer))[0]?.reading.answerFor(dearer)).toMatchObject({ outcome: 'mismatch' });
    });

    it('asks for the record where a callback says that the failure is unknown', async () => {
      const payout = to(UNKNOWN_FAILURE);
      const [only] = await readOf(payout);
      expect(only?.reading.answerFor(payout)).toMatchObject({ outcome: 'query_failed' });
      expect(await provider.query(payout)).toMatchObject({ outcome: 'not_paid' });
    });

    it('takes no genuine one as signed that was changed anywhere, or is of another time', async () => {
      const payout = to('1234');
      await provider.submit(payout);
      await pawapay.control.moveClock(MINUTE_MS);
      const genuine = asReceived(pawapay.listener.heard[0] as Heard);
      expect(await provider.parseCallback(genuine)).toMatchObject({ signed: true });
      const changed = fc.tuple(fc.constantFrom(...CHANGES), fc.nat(), fc.integer({ min: 0, max: 7 }));
      await fc.assert(
        fc.asyncProperty(changed, async ([change, at, bit]) => {
          const reading = await provider.parseCallback(change(genuine, at, bit));
          expect(reading.signed).toBe(false);
          expect(reading.answerFor(payout)).toMatchObject({ outcome: 'query_failed' });
        }),
        { seed: 20_261_128, numRuns: atDepth({ commit: 100, whole: 400 }) },
      );
      await pawapay.control.moveClock(6 * MINUTE_MS);
      expect(await provider.parseCallback(genuine)).toMatchObject({ signed: false });
    });
  });
});

async function inTurns<T>(items: readonly T[], act: (item: T) => Promise<void>): Promise<void> {
  const left = [...items];
  const work = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) await act(next);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

function expectTrue({ state, receipt, leftFor, plan: { digits }, payout }: Attempt, pawapay: RunningPawapay): void {
  const payments = pawapay.control.payments(payoutIdFor(payout));
  const stands = standing(payments).map((one) => one.receipt);
  expect([digits, payments.length <= 1]).toEqual([digits, true]);
  if (leftFor !== '') expect([digits, leftFor, payments]).toEqual([digits, leftFor, []]);
  if (state === 'succeeded') expect([digits, stands]).toEqual([digits, [receipt]]);
  else if (state !== 'given up') expect([digits, state, stands]).toEqual([digits, state, []]);
}

describe('payouts to the numbers that are at fault', () => {
  it('are paid once at most, and none that is paid ends as not paid', async () => {
    const ends: Record<string, number> = {};
    const run = async (plans: readonly Plan[]): Promise<void> => {
      const pawapay = await RunningPawapay.start({ callbacks: { url: null } });
      const provider = connect(pawapay, CALL_TIMEOUT_MS);
      try {
        const attempts = plans.map((one) => new Attempt(one, pawapay, provider));
        await inTurns(attempts, (one) => one.begin());
        for (;;) {
          const nextMs = Math.min(...attempts.map(({ dueMs }) => dueMs));
          if (nextMs === Infinity) break;
          pawapay.clock.advance(Math.max(0, nextMs - pawapay.clock.now().getTime()));
          await inTurns(
            attempts.filter(({ dueMs }) => dueMs <= nextMs),
            (one) => one.poll(),
          );
          for (const one of attempts) if (one.isRefunded) expectTrue(one, pawapay);
        }
        for (const one of attempts) {
          expectTrue(one, pawapay);
          for (const end of [one.state, ...(one.repeats > 0 ? ['repeated'] : [])]) ends[end] = (ends[end] ?? 0) + 1;
        }
      } finally {
        await provider.close();
        await pawapay.remove();
      }
    };
    const crowds = fc.sample(fc.array(plan, { minLength: 52, maxLength: 52 }), { seed: 20_261_128, numRuns: 4 });
    for (const crowd of drawn('crowds of payouts', crowds, 1)) await run(crowd);
    // Each kind of end was met, the rare ones by all crowds together.
    const met = ['succeeded', 'not_paid', 'repeated'];
    for (const end of atDepth({ commit: met, whole: [...met, 'never taken', 'deferred', 'given up'] }))
      expect([end, ends[end] ?? 0]).not.toEqual([end, 0]);
  }, 60_000);
});
