import { Inject, Injectable } from '@nestjs/common';
import {
  fail,
  ok,
  publicStatusOf,
  type Problem,
  type PublicStatus,
  type Result,
  type TransactionState,
  faultOfWord,
  isName,
  isReason,
  MAX_NAME,
  MAX_REASON,
  nameOf,
  samePerson,
} from '@vuka/domain';
import type { Clock } from '@vuka/runtime';
import { CLOCK } from '@vuka/service-host';

import { OUT_PATIENCE_MS } from '../due-work/index.js';
import { type TransactionTrigger, TransactionMachine } from '../machine/index.js';
import { type TransactionSnapshot, TransactionStore } from '../transactions/index.js';
import { ExecuteSettlement } from './execute-settlement.js';
import {
  approvalOf,
  isSettledByPeople,
  type Settlement,
  type SettlementProposal,
  SettlementStore,
} from './settlement.store.js';

export type { SettlementOutcome, SettlementProposal } from './settlement.store.js';

export interface SettlementApproval {
  readonly transactionId: number;
  readonly state: TransactionState;
  readonly status: PublicStatus;
  /** false: waits for the call under way. */
  readonly executed: boolean;
  /** The latest end of that call; null: none. */
  readonly executesBy: Date | null;
}

/** For what screening stopped. */
const NO_ATTEMPT = 0;
const MAX_RECEIPT = 100;
const MOVED_ON = 'The transaction has changed in the meantime. Look at it again';

/**
 * One person proposes with evidence, another approves. The approval keeps new calls away; `ExecuteSettlement`
 * carries it out once no call is under way. What screening stopped is cleared or settled as not paid. Errors:
 * not_found, invalid_request, forbidden (same person twice).
 */
@Injectable()
export class SettlePayout {
  constructor(
    private readonly settlements: SettlementStore,
    private readonly machine: TransactionMachine,
    private readonly transactions: TransactionStore,
    @Inject(ExecuteSettlement) private readonly executor: Pick<ExecuteSettlement, 'run'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async propose(proposal: SettlementProposal): Promise<Result<{ settlementId: number }, Problem>> {
    const fault = faultOf(proposal);
    if (fault) return invalid(fault);
    const open = await this.openPayout(proposal.transactionId);
    if (!open.ok) return open;
    const { details, life } = open.value;
    if (proposal.paid !== null && proposal.paid.currency !== details.amount.currency)
      return invalid(`the amount paid must be in ${details.amount.currency}`);
    const wasSent = life.attemptNo !== NO_ATTEMPT;
    if (!wasSent && proposal.outcome === 'paid')
      return invalid('Screening stopped it before anything was sent. Clear it, or settle it as not paid');
    if (wasSent && proposal.outcome === 'cleared')
      return invalid('clear is only for a payment that screening stopped. This one was sent to a provider: settle it');
    const settlementId = await this.settlements.propose(proposal, life.attemptNo, details.partnerId, this.clock.now());
    if (settlementId !== undefined) return ok({ settlementId });
    return invalid(
      'A settlement of this transaction waits for approval already, or is being applied. Approve or withdraw it',
    );
  }

  async approve({
    settlementId,
    by,
  }: {
    settlementId: number;
    by: string;
  }): Promise<Result<SettlementApproval, Problem>> {
    const settlement = await this.openSettlement(settlementId);
    if (!settlement.ok) return settlement;
    const { agreed, proposedBy, transactionId, attemptNo } = settlement.value;
    if (!isName(by)) return invalid(`the name of the approver must have 1 to ${MAX_NAME} characters`);
    if (samePerson(by, proposedBy))
      return fail({ code: 'forbidden', message: 'The person who proposed a settlement cannot approve it' });
    if (agreed) return samePerson(by, agreed.by) ? this.execute(settlementId) : invalid(waits(agreed.by));
    const open = await this.openPayout(transactionId);
    if (!open.ok) return open;
    if (open.value.life.attemptNo !== attemptNo)
      return invalid('The settlement is about an earlier attempt. Withdraw it, and look at the transaction again');
    if (attemptNo === NO_ATTEMPT) return this.screen(open.value, settlement.value, nameOf(by));
    const { state } = open.value.life;
    if (!(await this.settlements.agree(settlement.value, state, nameOf(by), this.clock.now())))
      return invalid(MOVED_ON);
    return this.execute(settlementId);
  }

  /** Anybody may, until it is approved. */
  async withdraw({
    settlementId,
    by,
    reason,
  }: {
    settlementId: number;
    by: string;
    reason: string;
  }): Promise<Result<{ transactionId: number }, Problem>> {
    const fault = faultOfWord({ by, reason });
    if (fault) return invalid(fault);
    const settlement = await this.openSettlement(settlementId);
    if (!settlement.ok) return settlement;
    const { value: found } = settlement;
    if (found.agreed) return invalid(waits(found.agreed.by));
    const isWithdrawn = await this.settlements.withdraw(found, { by, reason }, this.clock.now());
    return isWithdrawn
      ? ok({ transactionId: found.transactionId })
      : invalid('The settlement was approved in the meantime');
  }

  /** Nothing was sent, so no call to wait for: approval and effect are one commit. */
  private async screen(
    found: TransactionSnapshot,
    settlement: Settlement,
    by: string,
  ): Promise<Result<SettlementApproval, Problem>> {
    const decision = await this.machine.apply(found, (snapshot) => this.screened(snapshot, settlement, by));
    return decision.kind === 'move' ? this.answer(settlement, { executed: true, executesBy: null }) : invalid(MOVED_ON);
  }

  private async execute(settlementId: number): Promise<Result<SettlementApproval, Problem>> {
    await this.executor.run(settlementId);
    const settlement = await this.settlements.byId(settlementId);
    if (!settlement) throw new Error(`settlement ${settlementId} is gone`);
    if (settlement.isWithdrawn) return invalid(MOVED_ON);
    if (settlement.isExecuted) return this.answer(settlement, { executed: true, executesBy: null });
    return this.answer(settlement, { executed: false, executesBy: await this.settlements.waitsUntil(settlement) });
  }

  private async answer(
    { transactionId }: Settlement,
    how: Pick<SettlementApproval, 'executed' | 'executesBy'>,
  ): Promise<Result<SettlementApproval, Problem>> {
    const after = await this.transactions.byId(transactionId);
    if (!after) throw new Error(`transaction ${transactionId} is gone`);
    const { state } = after.life;
    return ok({ transactionId, state, status: publicStatusOf(state), ...how });
  }

  private screened(
    { life }: TransactionSnapshot,
    settlement: Settlement,
    approvedBy: string,
  ): TransactionTrigger | null {
    if (life.state !== 'REVIEW' || life.attemptNo !== NO_ATTEMPT) return null;
    const isCleared = settlement.outcome === 'cleared';
    const now = this.clock.now();
    return {
      event: { type: isCleared ? 'screening.cleared' : 'cancelled' },
      change: {
        attemptNo: NO_ATTEMPT,
        detail: `settlement ${settlement.id} by ${settlement.proposedBy} and ${approvedBy}`,
        settlement: { id: settlement.id, approvedBy },
        act: approvalOf(settlement, approvedBy, now),
        ...(isCleared ? { dueAt: now } : { failureCode: 'cancelled' as const }),
      },
    };
  }

  private async openPayout(transactionId: number): Promise<Result<TransactionSnapshot, Problem>> {
    const snapshot = await this.transactions.byId(transactionId);
    if (!snapshot) return fail({ code: 'not_found', message: 'No such transaction' });
    const { state } = snapshot.life;
    // The provider works on it, and says so: people wait with it as long as the alarm does.
    const isEarly =
      state === 'SUBMITTED' && this.clock.now().getTime() - snapshot.updatedAt.getTime() < OUT_PATIENCE_MS;
    if (isSettledByPeople(state) && !isEarly) return ok(snapshot);
    return invalid(
      `Only a transaction in IN_DOUBT or REVIEW, or SUBMITTED for over an hour, can be settled; this one is ${state}`,
    );
  }

  private async openSettlement(id: number): Promise<Result<Settlement, Problem>> {
    const settlement = await this.settlements.byId(id);
    if (!settlement) return fail({ code: 'not_found', message: 'No such settlement' });
    if (settlement.isExecuted) return invalid('The settlement has been applied already');
    if (settlement.supersededWhy !== null) return invalid(`The settlement was superseded: ${settlement.supersededWhy}`);
    return settlement.isWithdrawn ? invalid('The settlement was withdrawn') : ok(settlement);
  }
}

function invalid(message: string): Result<never, Problem> {
  return fail({ code: 'invalid_request', message });
}

function waits(by: string): string {
  return `${by} approved the settlement already. It is applied when the running call has ended`;
}

function faultOf({ outcome, receipt, paid, evidence, by }: SettlementProposal): string | null {
  if (!isName(by)) return `the name of the proposer must have 1 to ${MAX_NAME} characters`;
  if (!isReason(evidence)) return `evidence must have 1 to ${MAX_REASON} characters`;
  if (outcome === 'paid' && (receipt === null || receipt.trim() === '' || receipt.length > MAX_RECEIPT))
    return `the receipt of a payment must have 1 to ${MAX_RECEIPT} characters`;
  if (outcome !== 'paid' && (receipt !== null || paid !== null))
    return 'a payment that was not made has no receipt and no amount';
  if (paid !== null && paid.minor <= 0n) return 'the amount paid must be above zero';
  return null;
}
