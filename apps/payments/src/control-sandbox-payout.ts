import type { paymentsApi, SandboxPayoutControlled } from '@vuka/contracts';
import { fail, ok, publicStatusOf, type Result } from '@vuka/domain';
import { routesFor, type PayoutProvider, type SandboxPayoutControl } from '@vuka/payouts';
import { uuidv7, type Clock } from '@vuka/platform';
import type { z } from 'zod';

import type { DestinationVault } from './destination-vault.js';
import type { AttemptStore } from './store/attempt.store.js';
import type { TransactionSnapshot, TransactionStore } from './store/transaction.store.js';

export type ControlSandboxPayoutInput = z.output<(typeof paymentsApi)['operations']['controlSandboxPayout']['input']>;

/** What of the stores this use case needs. */
export interface ControlledPayouts {
  readonly transactions: Pick<TransactionStore, 'byCode' | 'byId' | 'postpone'>;
  readonly attempts: Pick<AttemptStore, 'latestAttempt' | 'lookAtOnce'>;
}

/** The sandbox's rails as their user controls them, by provider id; there are none in live. */
export interface SandboxRails {
  readonly providers: readonly PayoutProvider[];
  readonly controls: ReadonlyMap<string, SandboxPayoutControl> | undefined;
}

/**
 * Has a sandbox rail do what a partner asks with one of its own payouts, and looks at once at what became of it.
 * Error: not_found, the same for another partner's transaction, none at all, and outside the sandbox.
 */
export class ControlSandboxPayout {
  constructor(
    private readonly stores: ControlledPayouts,
    private readonly vault: DestinationVault,
    private readonly rails: SandboxRails,
    private readonly clock: Clock,
    private readonly wake: Readonly<Record<'starts' | 'polls', { notify(): void }>>,
  ) {}

  async run({ partner_id, transaction_code, action }: ControlSandboxPayoutInput): Promise<Result<SandboxPayoutControlled>> {
    const snapshot = this.rails.controls && (await this.stores.transactions.byCode(partner_id, transaction_code));
    if (!snapshot) return fail({ code: 'not_found', message: 'No such transaction' });
    // What waits for a rail has nothing there to be released: float is what it waits for.
    const waits = action === 'release' && snapshot.life.state === 'QUEUED';
    const done = action === 'top_up' || waits ? await this.topUp(snapshot) : await this.decide(snapshot, action);
    const now = (await this.stores.transactions.byId(snapshot.terms.id)) ?? snapshot;
    return ok({ transaction_code, status: publicStatusOf(now.life.state), done });
  }

  private async topUp(snapshot: TransactionSnapshot): Promise<boolean> {
    const { terms } = snapshot;
    const destination = this.vault.open(terms.id, snapshot.destination);
    const amountMinor = terms.amountMinor - terms.feeMinor;
    const [route] = routesFor(destination, terms.currency, amountMinor, this.rails.providers);
    const control = route && this.rails.controls?.get(route.id);
    // Float is given for a recipient and an amount: the id of an attempt is no part of it, and none may have been made.
    const instruction = { attemptId: uuidv7(), amountMinor, currency: terms.currency, destination, traceparent: terms.traceparent };
    const done = (await control?.topUp(instruction)) ?? false;
    if (done && snapshot.life.state === 'QUEUED') {
      await this.stores.transactions.postpone(snapshot, this.clock.now());
      this.wake.starts.notify();
    }
    return done;
  }

  private async decide(snapshot: TransactionSnapshot, action: 'release' | 'pay' | 'reverse'): Promise<boolean> {
    const attempt = await this.stores.attempts.latestAttempt(snapshot.terms.id);
    const control = attempt && this.rails.controls?.get(attempt.rail);
    if (!attempt || !control) return false;
    const done = await control[action](attempt.railReference);
    await this.stores.attempts.lookAtOnce(snapshot.terms.id, attempt.attemptNo, this.clock.now());
    this.wake.polls.notify();
    return done;
  }
}
