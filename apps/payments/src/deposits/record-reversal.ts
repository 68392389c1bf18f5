import { Injectable } from '@nestjs/common';
import { type Envelope, decodeDeposit } from '@vuka/contracts';
import { isSame, type Deposit } from '@vuka/domain';
import { PermanentEventError } from '@vuka/messaging';

import type { InboxMark } from '../commit/index.js';
import { PayoutWake } from '../due-work/index.js';
import { type TransactionTrigger, TransactionMachine } from '../machine/index.js';
import { AttemptStore, NO_HISTORY, TransactionStore, unsentCurrent } from '../transactions/index.js';
import { DepositStore, type KeptDeposit, type VanishedDeposit } from '../value/index.js';
import { CONSUMER_GROUP } from './consumer-group.js';

/**
 * Takes value back: from the hold if no provider has the payout, from where unused value waits, else as the
 * partner's debt. Once per deposit, whatever the order or repetition of events.
 */
@Injectable()
export class RecordReversal {
  constructor(
    private readonly machine: TransactionMachine,
    private readonly transactions: TransactionStore,
    private readonly deposits: DepositStore,
    private readonly attempts: AttemptStore,
    private readonly wake: PayoutWake,
  ) {}

  /** Resolves when durable. Throws PermanentEventError if the deposit cannot belong to the claim. */
  async run(event: Envelope<'deposit.reverted'>): Promise<void> {
    const { claim_id: transactionId, partner_id: partnerId } = event.data;
    const told = decodeDeposit(event.data.deposit);
    const snapshot = await this.transactions.byId(transactionId);
    if (!snapshot?.pay) throw new PermanentEventError('claim_id: no transaction that waits for a deposit');
    if (snapshot.details.partnerId !== partnerId)
      throw new PermanentEventError("partner_id: the claim is another partner's");
    const mark: InboxMark = { group: CONSUMER_GROUP, eventId: event.id, occurredAt: event.occurredAt };
    const vanished = { depositId: told.depositId, transactionId, mark };
    const kept = await this.deposits.byId(vanished.depositId);
    if (kept && !isOfClaim(kept, transactionId, told))
      throw new PermanentEventError('deposit: the ledger has it for another claim, or with another value');
    // Recorded first: if arrival and reversal run at the same time, one finds the other's row.
    await this.deposits.rememberVanished(vanished);
    await this.takeBack(vanished);
  }

  /** Those that vanished before they came into the ledger. */
  async takeBackAmong(depositIds: readonly number[]): Promise<void> {
    if (depositIds.length === 0) return;
    for (const vanished of await this.deposits.vanished(depositIds)) await this.takeBack(vanished);
  }

  private async takeBack({ depositId, transactionId, mark }: VanishedDeposit): Promise<void> {
    // Not in the ledger yet; takeBackAmong handles it later.
    if (!(await this.deposits.byId(depositId))) return;
    // Read after the deposit: an older state would have nothing to take back.
    const first = await this.transactions.byId(transactionId);
    if (!first) throw new Error(`transaction ${transactionId} is gone`);
    const decision = await this.machine.apply(first, async ({ details, life }): Promise<TransactionTrigger | null> => {
      const reverted = await this.deposits.byId(depositId);
      if (!reverted) return null;
      // A late payment of a given-up attempt counts as paid.
      const history = life.attemptNo === 0 ? NO_HISTORY : await this.attempts.historyOf(details.id);
      const detail = `deposit ${depositId} vanished from ${reverted.chain}`;
      const stopCurrent =
        life.state === 'SUBMITTING' ? unsentCurrent(life, history, 'its deposit has vanished') : undefined;
      return {
        event: { type: 'deposit.reverted' },
        history,
        ...(stopCurrent === undefined ? {} : { stopCurrent }),
        change: {
          attemptNo: 0,
          detail,
          failureCode: 'deposit_reverted',
          verdict: { deposit: null, also: [], reverted, mark },
        },
      };
    });
    if (decision.kind === 'conflict') this.wake.debts.notify();
  }
}

function isOfClaim(kept: KeptDeposit, transactionId: number, told: Deposit): boolean {
  return kept.transactionId === transactionId && isSame(kept.received, told.received);
}
