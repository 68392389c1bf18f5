import { Inject, Injectable } from '@nestjs/common';
import type { TransactionEvent } from '@vuka/domain';
import type { Clock, Logger } from '@vuka/runtime';
import { CLOCK, LOGGER } from '@vuka/service-host';

import type { AttemptPatch } from '../commit/index.js';
import { type TransactionTrigger, TransactionMachine } from '../machine/index.js';
import {
  AttemptStore,
  type History,
  isPaidAlready,
  type TransactionSnapshot,
  TransactionStore,
} from '../transactions/index.js';
import { type Settlement, SettlementStore } from './settlement.store.js';

/** After "not paid" by people: polled as long as a provider may be late (money.md section 1). */
const LATE_WINDOW_MS = 72 * 3_600_000;
const FIRST_CHECK_MS = 60_000;
const PER_ROUND = 100;

/**
 * Carries out an agreement once no call is under way. If the call's answer changes the transaction or contradicts
 * the agreement, the settlement is superseded and people are alerted. After a crash it is still due.
 */
@Injectable()
export class ExecuteSettlement {
  constructor(
    private readonly settlements: SettlementStore,
    private readonly machine: TransactionMachine,
    private readonly transactions: TransactionStore,
    private readonly attempts: AttemptStore,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /** True if there may be more. A failed one delays no other. */
  async runDue(): Promise<boolean> {
    const due = await this.settlements.due(this.clock.now(), PER_ROUND);
    for (const id of due) {
      try {
        await this.run(id);
      } catch (error) {
        this.log.error(
          { code: 'settlement_failed', settlement_id: id, err: error },
          'a settlement could not be applied; it is tried again',
        );
      }
    }
    return due.length === PER_ROUND;
  }

  /** Does nothing without an agreement, after its end, or during a call. Concurrent runs are harmless. */
  async run(settlementId: number): Promise<void> {
    const settlement = await this.settlements.byId(settlementId);
    if (!settlement?.agreed || settlement.isExecuted || settlement.isWithdrawn) return;
    const { transactionId: id, attemptNo } = settlement;
    const fence = await this.attempts.takeOver({ transactionId: id, attemptNo, settlementId }, this.clock.now());
    if (fence === undefined) return;
    // The call's claim is taken, so its answer is not recorded any more.
    const said = await this.settlements.contradiction(settlement);
    if (said !== undefined) return this.supersede(settlement, said);
    const found = await this.transactions.byId(id);
    if (!found) throw new Error(`transaction ${id} is gone`);
    const { agreed } = settlement;
    const decision = await this.machine.apply(found, async (snapshot) =>
      this.settled(snapshot, { ...settlement, agreed }, await this.attempts.historyOf(id), fence),
    );
    if (decision.kind !== 'move') await this.supersede(settlement);
  }

  private async supersede(settlement: Settlement, said?: string): Promise<void> {
    const state = await this.settlements.supersede(settlement, this.clock.now(), said);
    if (state === undefined) return;
    this.log.error(
      {
        code: 'settlement_superseded',
        settlement_id: settlement.id,
        transaction_id: settlement.transactionId,
        outcome: settlement.outcome,
        state,
      },
      'the provider answered before an approved settlement was applied: the answer of the provider counts',
    );
  }

  private settled(
    snapshot: TransactionSnapshot,
    settlement: Agreed,
    history: History,
    fence: number,
  ): TransactionTrigger | null {
    const { id, attemptNo, outcome, receipt, paid, agreed, proposedBy, evidence: document } = settlement;
    const attempt = history.attempts.at(-1);
    if (!attempt || snapshot.life.state !== agreed.state || snapshot.life.attemptNo !== attemptNo) return null;
    const evidence = { approvedBy: [proposedBy, agreed.by], document };
    const isPaid = outcome === 'paid';
    const event: TransactionEvent = isPaid
      ? { type: 'succeeded', sameReceipt: false, evidence }
      : // A duplicate payment settles it; an older attempt that may still pay is waited for.
        { type: isPaidAlready(history) || history.isContradicted ? 'not_paid_route_left' : 'not_paid_last', evidence };
    return {
      event,
      attempt: { isCurrent: true, state: attempt.state },
      history,
      ...(receipt === null ? {} : { receipt }),
      change: {
        attemptNo,
        detail: `settlement ${id} by ${proposedBy} and ${agreed.by}`,
        provider: attempt.provider,
        wallet: attempt.wallet,
        attemptPatches: [this.patchOf(settlement, fence)],
        settlement: { id, approvedBy: agreed.by },
        ...(isPaid
          ? { receiptNumber: receipt ?? '' }
          : {
              failureCode: 'rail_rejected' as const,
              failsAfterwards: 'rail_rejected' as const,
              dueAt: this.clock.now(),
            }),
        ...(paid === null ? {} : { reallyPaid: paid }),
      },
    };
  }

  private patchOf({ attemptNo, outcome, receipt, agreed }: Agreed, fence: number): AttemptPatch {
    const now = this.clock.now().getTime();
    // After REVIEW the provider would contradict us for ever. After the others a payment may appear.
    const isWatched = agreed.state !== 'REVIEW';
    return {
      attemptNo,
      fence,
      state: outcome === 'paid' ? 'PAID' : 'NOT_PAID',
      nextAt: isWatched ? new Date(now + FIRST_CHECK_MS) : null,
      receiptNumber: receipt,
      providerDetail: 'settled by people',
      lateUntil: isWatched ? new Date(now + LATE_WINDOW_MS) : null,
      endedBy: 'settled',
    };
  }
}

type Agreed = Settlement & { readonly agreed: NonNullable<Settlement['agreed']> };
