import type { CallContext } from '@vuka/contracts';
import { fullCoverage } from '@vuka/domain';
import type { Database } from '@vuka/persistence';
import type { ManualClock } from '@vuka/runtime';
import { CALLBACK_TOKENS, COVERAGE } from '@vuka/service-host';
import { eachOf } from '@vuka/testing';

import { HandleCallback } from '../../callbacks/handle-callback.js';
import { TakeCallback, type TakeCallbackInput } from '../../callbacks/take-callback.js';
import { leaseFor } from '../../due-work/lease.js';
import { AcceptPayout, type AcceptPayoutInput } from '../../payouts/accept/accept-payout.js';
import { AnswerApproval, type AnswerApprovalInput } from '../../payouts/approvals/answer-approval.js';
import { CallProvider } from '../../payouts/call-provider.js';
import { StartPayout } from '../../payouts/start-payout.js';
import { ExecuteSettlement } from '../../settlements/execute-settlement.js';
import { AttemptClaims, TransactionStore, type ClaimedAttempt, type ClaimPurpose } from '../../transactions/index.js';
import { CollectReceivables } from '../../wallets/collect-receivables.js';
import { type Part, type Parts, partsOn } from '../parts.spec-support.js';
import { CallbackDoor } from './callback-door.spec-support.js';
import type { SimulatedProvider } from './simulator-row.spec-support.js';

/** The process is gone: nothing of what it was doing goes on. */
class Died extends Error {}

const PURPOSES = ['submit', 'poll', 'watch'] as const;
/** Claimed together. */
const CLAIMED = 200;
/** Two for each connection of the suite's database: where more wait for one, a busy machine lets them wait too long. */
const AT_ONCE = 8;
const MARGIN_MS = 1_000;
/** By either clock. */
const PATIENCE_MS = 3_600_000;

/** How often, of 1. */
export interface Troubles {
  /** Between the claim and the call. */
  readonly diesClaimed: number;
  /** Behind the call, before its answer is recorded. */
  readonly diesAnswered: number;
  /** Between the claim of a callback and its end. */
  readonly diesCalledBack: number;
  /** It stops for so long that its lease is over. */
  readonly pauses: number;
  readonly restarts: number;
}

export const CALM: Troubles = { diesClaimed: 0, diesAnswered: 0, diesCalledBack: 0, pauses: 0, restarts: 0 };

/** One process of payments, by rounds: what its loops would claim is claimed here, on the suite's clock. */
export class PaymentsProcess {
  troubles: Troubles = CALM;
  private parts: Parts;
  private paused: (() => Promise<void>)[] = [];
  private readonly provider: SimulatedProvider;

  constructor(
    private readonly db: Database,
    provider: SimulatedProvider,
    private readonly clock: ManualClock,
    private readonly random: () => number,
    /** Replace defaults or classes. */
    private readonly more: readonly Part[] = [],
  ) {
    this.provider = {
      ...provider,
      submit: async (...call) => {
        const answer = await provider.submit(...call);
        if (this.chance('diesAnswered')) throw new Died();
        return answer;
      },
      query: async (...call) => {
        const answer = await provider.query(...call);
        if (this.chance('diesAnswered')) throw new Died();
        return answer;
      },
    };
    this.parts = this.begin();
  }

  get<T>(token: Parameters<Parts['get']>[0] & (abstract new (...args: never[]) => T)): T {
    return this.parts.get(token) as T;
  }

  async accept(payout: AcceptPayoutInput): Promise<number> {
    const deadline = Math.max(Date.now(), this.clock.now().getTime()) + PATIENCE_MS;
    const context: CallContext = { requestId: 'r-1', traceparent: '00-1', deadline };
    const accepted = await this.get(AcceptPayout).run(payout, context);
    if (!accepted.ok) throw new Error(accepted.error.message);
    return accepted.value.transaction_id;
  }

  async takeCallback(callback: TakeCallbackInput): Promise<void> {
    const taken = await this.get(TakeCallback).run(callback);
    if (!taken.ok) throw new Error(taken.error.message);
  }

  /** The status that the provider is answered. */
  async answerApproval(question: AnswerApprovalInput): Promise<number> {
    const answered = await this.get(AnswerApproval).run(question);
    if (!answered.ok) throw new Error(answered.error.message);
    return answered.value.status;
  }

  /** All that is due now, once. */
  async round(): Promise<void> {
    if (this.chance('restarts')) this.parts = this.begin();
    const late = this.paused;
    this.paused = [];
    await eachOf(late, AT_ONCE, unlessDead);
    const starter = this.get(StartPayout);
    const due = await this.get(TransactionStore).dueForStart(this.clock.now(), CLAIMED);
    await eachOf(due, AT_ONCE, (snapshot) => starter.run(snapshot));
    for (const purpose of PURPOSES) await this.makeCalls(purpose);
    await this.handleCallbacks();
    await this.get(ExecuteSettlement).runDue();
    await this.get(CollectReceivables).run();
  }

  private begin(): Parts {
    const { id } = this.provider;
    this.paused = [];
    return partsOn(
      this.db,
      this.clock,
      [this.provider],
      [COVERAGE, fullCoverage([id])],
      [CALLBACK_TOKENS, new Map([[id, [CallbackDoor.TOKEN]]])],
      ...this.more,
    );
  }

  private async makeCalls(purpose: ClaimPurpose): Promise<void> {
    const { id, capabilities } = this.provider;
    const leaseMs = 3 * capabilities.callTimeoutMs + MARGIN_MS;
    const [store, caller] = [this.get(AttemptClaims), this.get(CallProvider)];
    for (let claimed: ClaimedAttempt[] | null = null; claimed === null || claimed.length === CLAIMED;) {
      claimed = await store.claim(purpose, id, leaseFor(leaseMs, this.clock), CLAIMED);
      const calls = claimed
        .filter(() => !this.chance('diesClaimed'))
        .map((attempt) => () => caller.run(purpose, attempt));
      const isPaused = calls.map(() => this.chance('pauses'));
      this.paused.push(...calls.filter((_, at) => isPaused[at]));
      await eachOf(
        calls.filter((_, at) => !isPaused[at]),
        AT_ONCE,
        unlessDead,
      );
    }
  }

  private async handleCallbacks(): Promise<void> {
    const handler = this.get(HandleCallback);
    for (let claimed = AT_ONCE; claimed === AT_ONCE;) {
      const callbacks = await handler.claim(this.provider, AT_ONCE);
      claimed = callbacks.length;
      const handled = callbacks.filter(() => !this.chance('diesCalledBack'));
      await eachOf(handled, AT_ONCE, (callback) => handler.run(callback, this.provider));
    }
  }

  private chance(of: keyof Troubles): boolean {
    return this.random() < this.troubles[of];
  }
}

async function unlessDead(call: () => Promise<void>): Promise<void> {
  try {
    await call();
  } catch (error) {
    if (!(error instanceof Died)) throw error;
  }
}
