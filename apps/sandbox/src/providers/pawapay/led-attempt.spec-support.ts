import type { PawapayProvider, PayoutInstruction, ProviderAnswer, TooLate } from '@vuka/payouts';
import fc from 'fast-check';

import { to } from './adapter.spec-support.js';
import { NUMBERS } from './behaviour/numbers.js';
import { MINUTE_MS, type RunningPawapay } from './simulator.spec-support.js';

const SECOND_MS = 1_000;
const HOUR_MS = 60 * MINUTE_MS;
/** For numbers that hold their answer. */
export const CALL_TIMEOUT_MS = 400;
/** What the property pays to: answers lost and unreadable, duplicates, late ends, records that are not there yet. */
const FAULTS = [
  ...Object.keys(NUMBERS).filter((digits) => digits.startsWith('00')),
  ...['0101', '0103', '0104', '0107', '0108', '0111', '0112', '0113', '0206', '0207', '0208', '0211', '1234', '6089'],
];
/** What has no end by then is left to people. */
const GIVEN_UP_AFTER_MS = 2 * HOUR_MS;

export interface Plan {
  readonly digits: string;
  /** We went down with the first answer. */
  readonly forgets: boolean;
  /** We do nothing for so long after it. */
  readonly pauseMs: number;
  readonly slowMs: number;
}

export const plan: fc.Arbitrary<Plan> = fc.record({
  digits: fc.constantFrom(...FAULTS),
  forgets: fc.integer({ min: 0, max: 3 }).map((n) => n === 0),
  pauseMs: fc.constantFrom(0, 0, 0, 10 * MINUTE_MS, 13.5 * MINUTE_MS, 16 * MINUTE_MS, 40 * MINUTE_MS),
  slowMs: fc.constantFrom(0, 0, 5 * SECOND_MS),
});

type State =
  | 'open'
  | 'given up'
  | 'never taken'
  | Extract<ProviderAnswer['outcome'], 'succeeded' | 'not_paid' | 'deferred' | 'mismatch'>;

/** One attempt as payments leads it (apps/payments, CallProvider). */
export class Attempt {
  readonly payout: PayoutInstruction;
  state: State = 'open';
  receipt = '';
  /** Why it was paid otherwise, under another id or by another provider; '' where it was not. */
  leftFor = '';
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

  private record(answer: ProviderAnswer | TooLate): void {
    const { outcome } = answer;
    if (outcome === 'submitted') this.isAcknowledged = true;
    if (outcome === 'not_paid' && answer.routeLeft) this.leftFor ||= answer.code;
    if (outcome === 'succeeded') this.receipt = answer.receipt;
    if (outcome === 'deferred' && this.state !== 'open') return;
    if (outcome === 'succeeded' || outcome === 'not_paid' || outcome === 'mismatch' || outcome === 'deferred')
      this.end(outcome);
  }

  private end(state: State): void {
    if (this.state === state) return;
    this.state = state;
    if (state === 'deferred' || state === 'never taken') this.leftFor ||= state;
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
