import { fail, ok, publicStatusOf, type Decision, type Problem, type PublicStatus, type Result, type TransactionEvent, type TransactionState } from '@vuka/domain';
import { recordAct, type Act, type Database } from '@vuka/persistence';
import { maskText, type Clock } from '@vuka/platform';

import { isPaidAlready, type AttemptRecord, type AttemptStore, type History } from './store/attempt.store.js';
import type { AttemptPatch } from './store/move.js';
import type { TransactionSnapshot, TransactionStore } from './store/transaction.store.js';
import type { Happening, TransactionMachine } from './transaction-machine.js';
import { faultOfWord, isName, isReason, MAX_NAME, MAX_REASON, nameOf, samePerson } from './two-people.js';

/** `cleared`: what screening has stopped may be paid. */
export type SettlementOutcome = 'paid' | 'not_paid' | 'cleared';

/** What a person says became of a payout that its rail leaves open, or is to become of one that screening has stopped. */
export interface SettlementProposal {
  readonly transactionId: number;
  readonly outcome: SettlementOutcome;
  /** The rail's, where it paid; else null. */
  readonly receipt: string | null;
  /** What the rail really paid in minor units, where that is not what it was told to; else null. */
  readonly paidMinor: bigint | null;
  /** Where the proof is kept and what it says: a statement's page, a ticket of the rail's. */
  readonly evidence: string;
  readonly by: string;
}

interface SettlementRow {
  id: string; transaction_id: string; attempt_no: number; outcome: SettlementOutcome; receipt_number: string | null; paid_minor: string | null;
  evidence: string; proposed_by: string; approved_by: string | null; withdrawn_at: Date | null; partnerId: number;
}

/** A person decides here; everywhere else the rail does, or nobody has sent anything yet. */
const SETTLED_BY_PEOPLE: ReadonlySet<TransactionState> = new Set<TransactionState>(['IN_DOUBT', 'REVIEW']);
/** What a settlement of what screening has stopped says of attempts. */
const NO_ATTEMPT = 0;
const MAX_RECEIPT = 100;
/** An attempt settled as not paid is looked at for as long as a rail may be late (money.md section 1). */
const LATE_WINDOW_MS = 72 * 3_600_000;
const FIRST_LOOK_MS = 60_000;

/** `attempt` null: screening has stopped it before there was one. */
interface OpenPayout {
  readonly snapshot: TransactionSnapshot;
  readonly attempt: AttemptRecord | null;
}

/**
 * Settles a payout in IN_DOUBT or REVIEW on evidence: one person proposes, another one approves, and only then is anything
 * posted. What the rail says meanwhile is no longer taken from the call under way. What screening has stopped is cleared, and goes on
 * to its rail, or is settled as not paid. Errors are values: not_found,
 * invalid_request, forbidden (the same person twice).
 */
export class SettlePayout {
  constructor(
    private readonly db: Database,
    private readonly machine: TransactionMachine,
    private readonly transactions: Pick<TransactionStore, 'byId'>,
    private readonly attempts: Pick<AttemptStore, 'historyOf' | 'takeOver'>,
    private readonly clock: Clock,
  ) {}

  async propose(proposal: SettlementProposal): Promise<Result<{ settlementId: number }, Problem>> {
    const fault = faultOf(proposal);
    if (fault) return fail({ code: 'invalid_request', message: fault });
    const open = await this.openPayout(proposal.transactionId);
    if (!open.ok) return open;
    const { transactionId, outcome, receipt, paidMinor, evidence, by } = proposal;
    const { attempt } = open.value;
    if (attempt === null && outcome === 'paid') return fail({ code: 'invalid_request', message: 'Screening stopped it before anything was sent: clear it, or settle it as not paid' });
    if (attempt !== null && outcome === 'cleared') return fail({ code: 'invalid_request', message: 'Only what screening has stopped is cleared; this one was sent to a rail: settle it' });
    const at = this.clock.now();
    const made = await this.db.inTransaction(async (tx) => {
      const [row] = await tx.query<{ id: string }>(
        `insert into settlements (transaction_id, attempt_no, outcome, receipt_number, paid_minor, evidence, proposed_by, proposed_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict do nothing returning id`,
        [transactionId, attempt?.attemptNo ?? NO_ATTEMPT, outcome, receipt?.trim() ?? null, paidMinor?.toString() ?? null, evidence.trim(), nameOf(by), at],
      );
      if (row) await recordAct(tx, actOf('settlement.proposed', { id: row.id, transaction_id: String(transactionId), outcome, partnerId: open.value.snapshot.terms.partnerId }, { by, reason: evidence, at }));
      return row;
    });
    if (made) return ok({ settlementId: Number(made.id) });
    return fail({ code: 'invalid_request', message: 'A settlement of this transaction waits for approval already: approve or withdraw it' });
  }

  async approve({ settlementId, by }: { settlementId: number; by: string }): Promise<Result<{ transactionId: number; state: TransactionState; status: PublicStatus }, Problem>> {
    const settlement = await this.openSettlement(settlementId);
    if (!settlement.ok) return settlement;
    const row = settlement.value;
    if (!isName(by)) return fail({ code: 'invalid_request', message: `the name of who approves must have 1 to ${MAX_NAME} characters` });
    if (samePerson(by, row.proposed_by)) return fail({ code: 'forbidden', message: 'A settlement is approved by somebody else than who proposed it' });
    const transactionId = Number(row.transaction_id);
    const open = await this.openPayout(transactionId);
    if (!open.ok) return open;
    const { snapshot: found, attempt } = open.value;
    if ((attempt?.attemptNo ?? NO_ATTEMPT) !== row.attempt_no) {
      return fail({ code: 'invalid_request', message: 'The settlement speaks of an older attempt: withdraw it and look again' });
    }
    const decision = attempt === null
      ? await this.machine.apply(found, (snapshot) => this.screened(snapshot, row, nameOf(by)))
      : await this.settleAttempt(found, row, nameOf(by));
    if (decision.kind !== 'move') return fail({ code: 'invalid_request', message: 'The transaction has moved on meanwhile: look again' });
    const after = (await this.transactions.byId(transactionId))?.life.state ?? found.life.state;
    return ok({ transactionId, state: after, status: publicStatusOf(after) });
  }

  /** Takes an open proposal back; anybody may. */
  async withdraw({ settlementId, by, reason }: { settlementId: number; by: string; reason: string }): Promise<Result<{ transactionId: number }, Problem>> {
    const fault = faultOfWord({ by, reason });
    if (fault) return fail({ code: 'invalid_request', message: fault });
    const settlement = await this.openSettlement(settlementId);
    if (!settlement.ok) return settlement;
    const { value: found } = settlement;
    const at = this.clock.now();
    const isWithdrawn = await this.db.inTransaction(async (tx) => {
      const rows = await tx.query(
        `update settlements set withdrawn_at = $2, withdrawn_by = $3, withdrawn_why = $4 where id = $1 and approved_at is null and withdrawn_at is null returning id`,
        [settlementId, at, nameOf(by), maskText(reason.trim())],
      );
      if (rows.length > 0) await recordAct(tx, actOf('settlement.withdrawn', found, { by, reason, at }));
      return rows.length > 0;
    });
    return isWithdrawn ? ok({ transactionId: Number(found.transaction_id) }) : fail({ code: 'invalid_request', message: 'The settlement was carried out meanwhile' });
  }

  private async settleAttempt(found: TransactionSnapshot, row: SettlementRow, by: string): Promise<Decision> {
    const { id } = found.terms;
    const fence = await this.attempts.takeOver(id, row.attempt_no);
    if (fence === undefined) throw new Error(`attempt ${row.attempt_no} of transaction ${id} is gone`);
    return this.machine.apply(found, async (snapshot) => this.settled(snapshot, row, await this.attempts.historyOf(id), fence, by));
  }

  /** Nothing was sent: it goes on, or ends and its value goes back. */
  private screened({ life }: TransactionSnapshot, row: SettlementRow, approvedBy: string): Happening | null {
    if (life.state !== 'REVIEW' || life.attemptNo !== NO_ATTEMPT) return null;
    const isCleared = row.outcome === 'cleared';
    return {
      event: { type: isCleared ? 'screening.cleared' : 'cancelled' },
      change: {
        attemptNo: NO_ATTEMPT,
        detail: `settlement ${row.id} by ${row.proposed_by} and ${approvedBy}`,
        settlement: { id: Number(row.id), approvedBy },
        act: this.approval(row, approvedBy),
        ...(isCleared ? { dueAt: this.clock.now() } : { failureCode: 'cancelled' as const }),
      },
    };
  }

  private settled(snapshot: TransactionSnapshot, row: SettlementRow, history: History, fence: number, approvedBy: string): Happening | null {
    const attempt = history.attempts.at(-1);
    if (!attempt || !SETTLED_BY_PEOPLE.has(snapshot.life.state) || snapshot.life.attemptNo !== row.attempt_no) return null;
    const evidence = { approvedBy: [row.proposed_by, approvedBy], document: row.evidence };
    const isPaid = row.outcome === 'paid';
    const event: TransactionEvent = isPaid ? { type: 'succeeded', sameReceipt: false, evidence } 
      : { type: isPaidAlready(history) ? 'not_paid_route_left' : 'not_paid_last', evidence };
    return {
      event,
      attempt: { isCurrent: true, state: attempt.state },
      history,
      ...(row.receipt_number === null ? {} : { receipt: row.receipt_number }),
      change: {
        attemptNo: row.attempt_no,
        detail: `settlement ${row.id} by ${row.proposed_by} and ${approvedBy}`,
        rail: attempt.rail,
        attemptPatches: [this.patchOf(snapshot, row, fence)],
        settlement: { id: Number(row.id), approvedBy },
        act: this.approval(row, approvedBy),
        ...(isPaid ? { receiptNumber: row.receipt_number ?? '' } : { failureCode: 'rail_rejected' as const, dueAt: this.clock.now() }),
        ...(row.paid_minor === null ? {} : { reallyPaidMinor: BigInt(row.paid_minor) }),
      },
    };
  }

  private approval(row: SettlementRow, approvedBy: string): Act {
    return { ...actOf('settlement.approved', row, { by: row.proposed_by, reason: row.evidence, at: this.clock.now() }), approvedBy };
  }

  private patchOf({ life }: TransactionSnapshot, row: SettlementRow, fence: number): AttemptPatch {
    const now = this.clock.now().getTime();
    // What was in REVIEW had a record that contradicts us: it would contradict us for ever. What was in doubt may turn up.
    const isWatched = life.state === 'IN_DOUBT';
    return {
      attemptNo: row.attempt_no,
      fence,
      state: row.outcome === 'paid' ? 'PAID' : 'NOT_PAID',
      nextAt: isWatched ? new Date(now + FIRST_LOOK_MS) : null,
      receiptNumber: row.receipt_number,
      railDetail: 'settled by people',
      lateUntil: isWatched ? new Date(now + LATE_WINDOW_MS) : null,
      endedBy: 'settled',
    };
  }

  private async openPayout(transactionId: number): Promise<Result<OpenPayout, Problem>> {
    const snapshot = await this.transactions.byId(transactionId);
    if (!snapshot) return fail({ code: 'not_found', message: 'No such transaction' });
    if (!SETTLED_BY_PEOPLE.has(snapshot.life.state)) {
      return fail({ code: 'invalid_request', message: `Only a transaction in IN_DOUBT or REVIEW is settled by people; this one is ${snapshot.life.state}` });
    }
    if (snapshot.life.attemptNo === NO_ATTEMPT) return ok({ snapshot, attempt: null });
    const attempt = (await this.attempts.historyOf(transactionId)).attempts.at(-1);
    if (!attempt) throw new Error(`transaction ${transactionId} is at an attempt and has none`);
    return ok({ snapshot, attempt });
  }

  private async openSettlement(id: number): Promise<Result<SettlementRow, Problem>> {
    const [row] = await this.db.query<SettlementRow>(
      `select s.id, s.transaction_id, s.attempt_no, s.outcome, s.receipt_number, s.paid_minor::text, s.evidence, s.proposed_by, s.approved_by, s.withdrawn_at,
              t.partner_id as "partnerId"
         from settlements s join transactions t on t.id = s.transaction_id where s.id = $1`,
      [id],
    );
    if (!row) return fail({ code: 'not_found', message: 'No such settlement' });
    if (row.approved_by !== null) return fail({ code: 'invalid_request', message: 'The settlement has been carried out' });
    if (row.withdrawn_at !== null) return fail({ code: 'invalid_request', message: 'The settlement has been withdrawn' });
    return ok(row);
  }
}

function faultOf({ outcome, receipt, paidMinor, evidence, by }: SettlementProposal): string | null {
  if (!isName(by)) return `the name of who proposes must have 1 to ${MAX_NAME} characters`;
  if (!isReason(evidence)) return `evidence must have 1 to ${MAX_REASON} characters`;
  if (outcome === 'paid' && (receipt === null || receipt.trim() === '' || receipt.length > MAX_RECEIPT)) return `a payment has a receipt of 1 to ${MAX_RECEIPT} characters`;
  if (outcome !== 'paid' && (receipt !== null || paidMinor !== null)) return 'what was not paid has neither receipt nor amount';
  if (paidMinor !== null && paidMinor <= 0n) return 'the amount paid must be above zero';
  return null;
}

function actOf(act: string, { id, transaction_id, outcome, partnerId }: Pick<SettlementRow, 'id' | 'transaction_id' | 'outcome' | 'partnerId'>, { by, reason, at }: { by: string; reason: string; at: Date }): Act {
  return { by: nameOf(by), act, partnerId, subject: `settlement ${id}`, reason: maskText(reason.trim()), details: { transaction_id: Number(transaction_id), outcome }, at };
}
