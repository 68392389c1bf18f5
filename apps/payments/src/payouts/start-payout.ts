import { Injectable } from '@nestjs/common';
import { crashPoint } from '@vuka/runtime';

import { PayoutStops } from '../controls/index.js';
import { RecordReversal } from '../deposits/index.js';
import { PayoutWake } from '../due-work/index.js';
import { type TransactionTrigger, TransactionMachine } from '../machine/index.js';
import type { TransactionSnapshot } from '../transactions/index.js';
import { Routes } from './choose-route.js';
import { CONTRADICTED, CORRIDOR_CLOSED, NextAttempt } from './next-attempt.js';

/**
 * The attempt's id and SUBMITTING are committed before any call. Without a provider the transaction is parked, and
 * fails after its deadline. While its partner is frozen, or a provider contradicts an earlier "not paid", it waits
 * without one. Nothing starts on a vanished deposit, even if the ledger has not taken it back yet.
 */
@Injectable()
export class StartPayout {
  constructor(
    private readonly machine: TransactionMachine,
    private readonly next: NextAttempt,
    private readonly stops: PayoutStops,
    private readonly reversals: RecordReversal,
    private readonly wake: PayoutWake,
    private readonly routes: Routes,
  ) {}

  async run(due: TransactionSnapshot): Promise<void> {
    let happened: TransactionTrigger | null = null;
    let vanished: number[] = [];
    const decision = await this.machine.apply(due, async (snapshot) => {
      vanished = vanishedOf(snapshot);
      return (happened = vanished.length > 0 ? null : await this.next.of(snapshot));
    });
    // Reported gone, but not taken back yet.
    if (vanished.length > 0) return this.reversals.takeBackAmong(vanished);
    await this.wakeIfLetGo(due, happened);
    if (decision.kind !== 'move') return;
    crashPoint('payments.after-start');
    const provider = providerOf(happened);
    if (provider !== undefined) this.wake.submits.notify(provider);
  }

  private async wakeIfLetGo(due: TransactionSnapshot, happened: TransactionTrigger | null): Promise<void> {
    const { details } = due;
    if (happened?.change.detail === CORRIDOR_CLOSED) return this.routes.wakeIfOpened(due);
    if (happened?.change.parkDeadline !== null) return;
    if (happened.change.detail === CONTRADICTED) await this.stops.wakeIfResolved(details.id);
    else await this.stops.wakeIfLetGo(details.partnerId);
  }
}

function vanishedOf({ deposit }: TransactionSnapshot): number[] {
  return deposit?.vanished && deposit.state !== 'reverted' ? [deposit.depositId] : [];
}

function providerOf(happened: TransactionTrigger | null): string | undefined {
  return happened?.change.newAttempt?.provider;
}
