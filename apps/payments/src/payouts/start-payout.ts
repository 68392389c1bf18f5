import { Injectable } from '@nestjs/common';
import { crashPoint } from '@vuka/runtime';

import { PayoutStops } from '../controls/index.js';
import { RecordReversal } from '../deposits/index.js';
import { PayoutWake } from '../due-work/index.js';
import { type TransactionTrigger, TransactionMachine } from '../machine/index.js';
import type { TransactionSnapshot } from '../transactions/index.js';
import { CONTRADICTED, NextAttempt } from './next-attempt.js';

/**
 * Starts the next attempt of a transaction that is due. The attempt's id and SUBMITTING are committed here, before anybody calls the provider.
 * Without a provider the transaction is parked, and fails when its deadline has passed. It waits without a deadline while its partner is frozen,
 * and while a provider contradicts that an earlier attempt was not paid; until that is resolved it does not fail either. What its own deposit no longer pays for fails. Nothing starts on a
 * deposit that is known to be gone, whether or not the ledger has taken it back yet.
 */
@Injectable()
export class StartPayout {
  constructor(
    private readonly machine: TransactionMachine,
    private readonly next: NextAttempt,
    private readonly stops: PayoutStops,
    /** Takes back what has vanished, where that was told and not carried out yet. */
    private readonly reversals: RecordReversal,
    private readonly wake: PayoutWake,
  ) {}

  async run(due: TransactionSnapshot): Promise<void> {
    let happened: TransactionTrigger | null = null;
    let vanished: number[] = [];
    const decision = await this.machine.apply(due, async (snapshot) => {
      vanished = vanishedOf(snapshot);
      return (happened = vanished.length > 0 ? null : await this.next.of(snapshot));
    });
    // Its value came into the ledger after the word that it is gone, and nobody has carried that out yet.
    if (vanished.length > 0) return this.reversals.takeBackAmong(vanished);
    await this.wakeIfLetGo(due, happened);
    if (decision.kind !== 'move') return;
    crashPoint('payments.after-start');
    const provider = providerOf(happened);
    if (provider !== undefined) this.wake.submits.notify(provider);
  }

  private async wakeIfLetGo({ details }: TransactionSnapshot, happened: TransactionTrigger | null): Promise<void> {
    if (happened?.change.parkDeadline !== null) return;
    if (happened.change.detail === CONTRADICTED) await this.stops.wakeIfResolved(details.id);
    else await this.stops.wakeIfLetGo(details.partnerId);
  }
}

/** Its deposit where that has vanished and is in the ledger as if it had not. */
function vanishedOf({ deposit }: TransactionSnapshot): number[] {
  return deposit?.vanished && deposit.state !== 'reverted' ? [deposit.depositId] : [];
}

function providerOf(happened: TransactionTrigger | null): string | undefined {
  return happened?.change.newAttempt?.provider;
}
