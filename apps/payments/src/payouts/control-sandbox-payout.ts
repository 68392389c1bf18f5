import { setTimeout as pauseFor } from 'node:timers/promises';

import { Inject, Injectable } from '@nestjs/common';
import type { paymentsApi, SandboxPayoutControlled } from '@vuka/contracts';
import { fail, isTerminal, ok, publicStatusOf, type Result, type TransactionState } from '@vuka/domain';
import type { Clock } from '@vuka/runtime';
import { CLOCK } from '@vuka/service-host';
import type { z } from 'zod';

import { PayoutWake } from '../due-work/index.js';
import {
  type AttemptRecord,
  AttemptStore,
  DestinationVault,
  type TransactionSnapshot,
  TransactionStore,
} from '../transactions/index.js';
import { SandboxProviders } from './sandbox-providers.js';

export type ControlSandboxPayoutInput = z.output<(typeof paymentsApi)['operations']['controlSandboxPayout']['input']>;

/** Below the 2 s of an internal call. */
const WAIT_MS = 1_500;
const CHECK_EVERY_MS = 50;

const ON_THE_WAY: ReadonlySet<TransactionState> = new Set(['ACCEPTED', 'QUEUED', 'SUBMITTING'] as const);

type Steering = 'release' | 'pay' | 'reverse';

/**
 * Acts on a partner's own sandbox payout, and polls at once. Waits, within bounds, until the provider has it.
 * Error: not_found, also for another partner's transaction and outside the sandbox.
 */
@Injectable()
export class ControlSandboxPayout {
  /** Tests move their clock instead. */
  pause: (ms: number) => Promise<unknown> = pauseFor;

  constructor(
    private readonly transactions: TransactionStore,
    @Inject(AttemptStore) private readonly attempts: Pick<AttemptStore, 'historyOf' | 'checkAtOnce'>,
    private readonly vault: DestinationVault,
    private readonly providers: SandboxProviders,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly wake: PayoutWake,
  ) {}

  async run({
    partner_id,
    transaction_code,
    action,
  }: ControlSandboxPayoutInput): Promise<Result<SandboxPayoutControlled>> {
    const snapshot = this.providers.areThere && (await this.transactions.byCode(partner_id, transaction_code));
    if (!snapshot) return fail({ code: 'not_found', message: 'No such transaction' });
    // Float releases a payout that waits for it.
    const toppedUp = (action === 'top_up' || action === 'release') && (await this.topUp(snapshot));
    const done = toppedUp || (action !== 'top_up' && (await this.steer(snapshot, action)));
    return ok({ transaction_code, status: publicStatusOf((await this.again(snapshot)).life.state), done });
  }

  /** At any time before the end; early float waits at the provider. */
  private async topUp(snapshot: TransactionSnapshot): Promise<boolean> {
    const { details, life } = snapshot;
    if (isTerminal(life.state)) return false;
    const destination = this.vault.open(details.id, details.amount.currency, snapshot.destination);
    if (!(await this.providers.topUp(snapshot, destination))) return false;
    const now = await this.again(snapshot);
    if (now.life.state === 'QUEUED') {
      await this.transactions.postpone(now, this.clock.now());
      this.wake.starts.notify();
    }
    return true;
  }

  private async steer(snapshot: TransactionSnapshot, action: Steering): Promise<boolean> {
    const giveUpAt = this.clock.now().getTime() + WAIT_MS;
    for (let now = snapshot; ; now = await this.again(snapshot)) {
      const attempt = await this.target(now, action);
      if (attempt && (await this.tell(now.details.id, attempt, action))) return true;
      // If the provider has it, its answer is final. A reversal needs a payment that exists.
      if (action === 'reverse' || !ON_THE_WAY.has(now.life.state) || this.clock.now().getTime() >= giveUpAt)
        return false;
      await this.pause(CHECK_EVERY_MS);
    }
  }

  /** The paid attempt, else the newest sent one. An unsent one is waited for. */
  private async target({ details, life }: TransactionSnapshot, action: Steering): Promise<AttemptRecord | undefined> {
    const { attempts } = await this.attempts.historyOf(details.id);
    const paid = attempts.find(({ attemptNo }) => attemptNo === life.paidAttemptNo);
    if (paid || action === 'reverse') return paid ?? attempts.findLast(({ state }) => state !== 'INTENT');
    const newest = attempts.at(-1);
    return newest?.state === 'INTENT' ? undefined : newest;
  }

  private async tell(
    transactionId: number,
    { provider, providerReference, attemptNo }: AttemptRecord,
    action: Steering,
  ): Promise<boolean> {
    const control = this.providers.controlOf(provider);
    if (!control) return false;
    let isAsBefore = false;
    try {
      const done = await control[action](providerReference);
      isAsBefore = !done;
      return done;
    } finally {
      // No answer may still mean done. Otherwise a poll may only find that the payout is unknown.
      if (!isAsBefore) {
        await this.attempts.checkAtOnce(transactionId, attemptNo, this.clock.now());
        this.wake.polls.notify();
      }
    }
  }

  private async again(snapshot: TransactionSnapshot): Promise<TransactionSnapshot> {
    return (await this.transactions.byId(snapshot.details.id)) ?? snapshot;
  }
}
