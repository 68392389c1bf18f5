import { randomUUID } from 'node:crypto';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { currencyDecimals, type PayoutDestination } from '@vuka/domain';
import {
  type CallbackReading,
  describeHonestSimulator,
  type HonestHarness,
  type HonestSimulator,
  pawapayProvider,
  type PawapayProvider,
  payoutIdOf,
  type PayoutInstruction,
  type ProviderAnswer,
  type ProviderCallback,
} from '@vuka/payouts';
import fc from 'fast-check';

import { NUMBERS } from './behaviour/numbers.js';
import type { Payment } from './book/payout.js';
import { type Heard, MINUTE_MS, RunningPawapay, TOKEN } from './simulator.spec-support.js';

const SECOND_MS = 1_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Longer than any course that a suite waits for, the five minutes until money comes back included. */
const A_STEP_ON_MS = 6 * MINUTE_MS;
const WALLET = { country: 'MWI', currency: 'MWK', provider: '' };

type Network = Extract<PayoutDestination, { kind: 'mobile' }>['mobile_network'];

function instruction(phone: string, mobile_network: Network, currency: string, cents = 0n): PayoutInstruction {
  const minor = 1_500n * 10n ** BigInt(currencyDecimals(currency)) + cents;
  const destination = { kind: 'mobile', phone, mobile_network } as const;
  return { attemptId: randomUUID(), orderId: randomUUID(), amount: { minor, currency }, destination };
}

/** To the number of these four digits. */
const to = (digits: string): PayoutInstruction => instruction(`+26599345${digits}`, 'Airtel Money', 'MWK');

/** Each network that the adapter pays, in each of its currencies; cents where it carries them. */
const payables = (): PayoutInstruction[] => [
  instruction('+254712345678', 'Safaricom', 'KES'),
  instruction('+256772345678', 'MTN', 'UGX'),
  instruction('+256702345678', 'Airtel', 'UGX'),
  instruction('+233241234567', 'MTN', 'GHS', 5n),
  instruction('+233271234567', 'AirtelTigo', 'GHS', 50n),
  instruction('+233201234567', 'Telecel', 'GHS', 99n),
  instruction('+265991234567', 'Airtel Money', 'MWK', 10n),
  instruction('+265881234567', 'TNM Mpamba', 'MWK'),
  instruction('+243991234567', 'Airtel Money', 'CDF', 1n),
  instruction('+243811234567', 'Mpesa', 'CDF'),
  instruction('+243991234567', 'Airtel Money', 'USD', 5n),
  instruction('+243811234567', 'Mpesa', 'USD', 50n),
  instruction('+251711234567', 'MPESA', 'ETB', 50n),
];

const idOf = ({ attemptId }: PayoutInstruction): string => payoutIdOf(attemptId, 'version_4');
const standing = (payments: readonly Payment[]): readonly Payment[] => payments.filter(({ reversed }) => !reversed);

function connect(pawapay: RunningPawapay, callTimeoutMs = 5_000): PawapayProvider {
  const { baseUrl, clock, listener } = pawapay;
  return pawapayProvider({
    baseUrl,
    credential: TOKEN,
    callTimeoutMs,
    callbackHost: new URL(listener.url).host,
    clock,
  });
}

async function startProvider(): Promise<HonestSimulator> {
  const pawapay = await RunningPawapay.start();
  const steer = (action: 'release' | 'pay' | 'fail') => (attemptId: string) =>
    pawapay.control.steer(payoutIdOf(attemptId, 'version_4'), action);
  return {
    baseUrl: pawapay.baseUrl,
    credential: TOKEN,
    settle: () => pawapay.clock.advance(A_STEP_ON_MS),
    timesPaid: (attemptId) =>
      Promise.resolve(
        pawapay.control.payments(payoutIdOf(attemptId, 'version_4')).filter((one) => !one.reversed).length,
      ),
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

describeHonestSimulator('the adapter of pawaPay', { describe, it }, harness);

describe('the adapter of pawaPay with its simulator', () => {
  let pawapay: RunningPawapay;
  let provider: PawapayProvider;
  beforeEach(async () => {
    pawapay = await RunningPawapay.start();
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
    expect(standing(pawapay.control.payments(idOf(payout)))).toEqual([]);
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

  it('tells the balances by the rules that it says they follow', async () => {
    const balance = async (): Promise<bigint | undefined> => {
      const told = await provider.balances();
      return told.outcome === 'told' ? told.balances.find(({ currency }) => currency === 'MWK')?.minor : undefined;
    };
    expect(provider.balanceRules.debitsOnAcceptance).toBe(true);
    expect(await balance()).toBe(10_000_000_000n);
    for (const digits of ['1234', '6089']) await provider.submit(to(digits));
    expect(await balance()).toBe(9_999_700_000n);
    await pawapay.control.moveClock(MINUTE_MS);
    expect(await balance()).toBe(9_999_850_000n);
  });

  /** Ends each with an outcome by what is told at the call. */
  it.each(
    Object.entries(NUMBERS).flatMap(([digits, { rejects, sentence }]) =>
      rejects === undefined ? [] : [[digits, sentence]],
    ),
  )('takes nothing for paid or accepted where every call is refused: %s, %s', async (digits) => {
    const payout = to(digits);
    const { outcome } = await provider.submit(payout);
    expect(digits === '0418' ? ['unknown'] : ['deferred', 'not_paid']).toContain(outcome);
    expect(await provider.query(payout)).toMatchObject({ outcome: 'unknown', notFound: true });
  });
});

/** What the property pays to: answers lost and unreadable, duplicates, late ends, records that are not there yet. */
const FAULTS = [
  ...Object.keys(NUMBERS).filter((digits) => digits.startsWith('00')),
  ...['0101', '0103', '0104', '0107', '0108', '0111', '0112', '0113', '0206', '0207', '0208', '0211', '1234', '6089'],
];
const AT_ONCE = 12;
const CALL_TIMEOUT_MS = 400;
/** What has no end by then is left to people. */
const GIVEN_UP_AFTER_MS = 2 * HOUR_MS;

interface Plan {
  readonly digits: string;
  /** We went down with the first answer. */
  readonly forgets: boolean;
  /** We do nothing for so long after it. */
  readonly pauseMs: number;
  readonly slowMs: number;
}

const plan: fc.Arbitrary<Plan> = fc.record({
  digits: fc.constantFrom(...FAULTS),
  forgets: fc.integer({ min: 0, max: 3 }).map((n) => n === 0),
  pauseMs: fc.constantFrom(0, 0, 0, 10 * MINUTE_MS, 16 * MINUTE_MS, 40 * MINUTE_MS),
  slowMs: fc.constantFrom(0, 0, 5 * SECOND_MS),
});

type State =
  | 'open'
  | 'given up'
  | 'never taken'
  | Extract<ProviderAnswer['outcome'], 'succeeded' | 'not_paid' | 'deferred' | 'mismatch'>;

/** One attempt as payments leads it (apps/payments, CallProvider). */
class Attempt {
  readonly payout: PayoutInstruction;
  state: State = 'open';
  receipt = '';
  repeats = 0;
  dueMs = 0;
  private polls = 0;
  private isAcknowledged = false;
  private firstSentMs = 0;
  private lastSentMs = 0;
  private endedMs = Infinity;

  constructor(
    readonly plan: Plan,
    private readonly pawapay: RunningPawapay,
    private readonly provider: PawapayProvider,
  ) {
    this.payout = to(plan.digits);
  }

  async begin(): Promise<void> {
    this.firstSentMs = this.lastSentMs = this.nowMs;
    const answer = await this.provider.submit(this.payout);
    if (!this.plan.forgets) this.record(answer);
    this.wait(this.plan.pauseMs);
  }

  async poll(): Promise<void> {
    const answer = await this.provider.query(this.payout);
    const isUnknown = answer.outcome === 'unknown' && this.state === 'open';
    if (isUnknown && answer.notFound === true && this.notFoundProves()) this.end('never taken');
    else if (isUnknown && this.mayRepeat()) await this.repeat();
    else this.record(answer);
    if (this.state === 'open' && this.nowMs - this.firstSentMs > GIVEN_UP_AFTER_MS) this.end('given up');
    this.wait(0);
  }

  /** Refunded by then, where it is not paid. */
  get isRefunded(): boolean {
    const { refundSafeAfterMs = 0 } = this.provider.capabilities;
    return this.state === 'not_paid' && this.nowMs >= this.endedMs + refundSafeAfterMs;
  }

  private async repeat(): Promise<void> {
    this.repeats += 1;
    this.lastSentMs = this.nowMs;
    const answer = await this.provider.submit(this.payout);
    if (answer.outcome !== 'deferred' && answer.outcome !== 'not_paid') this.record(answer);
  }

  private record(answer: ProviderAnswer): void {
    const { outcome } = answer;
    if (outcome === 'submitted') this.isAcknowledged = true;
    if (outcome === 'succeeded') this.receipt = answer.receipt;
    if (outcome === 'deferred' && this.state !== 'open') return;
    if (outcome === 'succeeded' || outcome === 'not_paid' || outcome === 'mismatch' || outcome === 'deferred')
      this.end(outcome);
  }

  private end(state: State): void {
    if (this.state === state) return;
    this.state = state;
    this.endedMs = this.nowMs;
    this.polls = 0;
  }

  private wait(moreMs: number): void {
    const { pollScheduleMs, latePollScheduleMs, lateWindowMs } = this.provider.capabilities;
    const schedule = this.state === 'open' ? pollScheduleMs : latePollScheduleMs;
    const isOver = this.nowMs > this.endedMs + lateWindowMs;
    this.dueMs = isOver
      ? Infinity
      : this.nowMs + moreMs + this.plan.slowMs + Number(schedule[this.polls] ?? schedule.at(-1));
    this.polls += 1;
  }

  private notFoundProves(): boolean {
    const { notFoundProvesAfterMs, callTimeoutMs } = this.provider.capabilities;
    if (notFoundProvesAfterMs === null || this.isAcknowledged) return false;
    return this.nowMs >= this.lastSentMs + callTimeoutMs + notFoundProvesAfterMs;
  }

  private mayRepeat(): boolean {
    const { dedupesForMs, callTimeoutMs } = this.provider.capabilities;
    if (dedupesForMs === null || this.isAcknowledged) return false;
    return this.nowMs - this.firstSentMs + callTimeoutMs < dedupesForMs;
  }

  private get nowMs(): number {
    return this.pawapay.clock.now().getTime();
  }
}

async function inTurns<T>(items: readonly T[], act: (item: T) => Promise<void>): Promise<void> {
  const left = [...items];
  const work = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) await act(next);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

function expectTrue({ state, receipt, plan: { digits }, payout }: Attempt, pawapay: RunningPawapay): void {
  const payments = pawapay.control.payments(idOf(payout));
  const stands = standing(payments).map((one) => one.receipt);
  expect([digits, payments.length <= 1]).toEqual([digits, true]);
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
    await fc.assert(fc.asyncProperty(fc.array(plan, { minLength: 60, maxLength: 60 }), run), {
      seed: 20_261_128,
      numRuns: 4,
      endOnFailure: true,
    });
    // Each kind of end was met.
    for (const end of ['succeeded', 'not_paid', 'never taken', 'deferred', 'repeated', 'given up'])
      expect([end, ends[end] ?? 0]).not.toEqual([end, 0]);
  }, 60_000);
});
