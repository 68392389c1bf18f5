import { Injectable } from '@nestjs/common';
import { type TransactionState, decodeMoney, encodeMinor, type Money, nameOf } from '@vuka/domain';
import { recordAuditEntry, type AuditEntry, Database, type Transaction } from '@vuka/persistence';
import { maskText } from '@vuka/runtime';

/** `cleared`: a payout that screening stopped may go on. */
export type SettlementOutcome = 'paid' | 'not_paid' | 'cleared';

export interface SettlementProposal {
  readonly transactionId: number;
  readonly outcome: SettlementOutcome;
  readonly receipt: string | null;
  /** If it differs from the order. */
  readonly paid: Money | null;
  /** Where the proof is and what it says. */
  readonly evidence: string;
  readonly by: string;
}

export interface Settlement {
  readonly id: number;
  readonly transactionId: number;
  readonly partnerId: number;
  readonly attemptNo: number;
  readonly outcome: SettlementOutcome;
  readonly receipt: string | null;
  readonly paid: Money | null;
  readonly evidence: string;
  readonly proposedBy: string;
  /** The second person, and the state then; null: not agreed, or a screening's. */
  readonly agreed: { readonly by: string; readonly state: TransactionState } | null;
  readonly isExecuted: boolean;
  /** By people, or because the provider answered first (`supersededWhy`). */
  readonly isWithdrawn: boolean;
  readonly supersededWhy: string | null;
}

interface SettlementRow {
  id: string;
  transaction_id: string;
  partner_id: number;
  attempt_no: number;
  outcome: SettlementOutcome;
  receipt_number: string | null;
  paid_minor: string | null;
  currency: string;
  evidence: string;
  proposed_by: string;
  agreed_by: string | null;
  agreed_state: TransactionState | null;
  approved_at: Date | null;
  withdrawn_at: Date | null;
  superseded_why: string | null;
}

/** Elsewhere it has ended, or nothing has been sent yet. */
const SETTLED_BY_PEOPLE: ReadonlySet<TransactionState> = new Set<TransactionState>(['SUBMITTED', 'IN_DOUBT', 'REVIEW']);

export function isSettledByPeople(state: TransactionState): boolean {
  return SETTLED_BY_PEOPLE.has(state);
}

/** Answers that contradict the agreement. REVIEW only records them. */
const AGAINST: Readonly<Record<Exclude<SettlementOutcome, 'cleared'>, readonly string[]>> = {
  paid: ['not_paid_route_left', 'not_paid_last', 'reversed'],
  not_paid: ['succeeded', 'reversed'],
};

/** The transaction is locked first, as commits do. */
const LOCK_SQL = 'select state, attempt_no, sequence from transactions where id = $1 for no key update';

type Place = { readonly state: TransactionState; readonly attempt_no: number; readonly sequence: number };

/**
 * A commit carries it out once no call is under way, unless the provider's answer comes first. After the agreement
 * nobody claims the attempt for a call that may pay.
 */
@Injectable()
export class SettlementStore {
  constructor(private readonly db: Database) {}

  async byId(id: number): Promise<Settlement | undefined> {
    const [row] = await this.db.query<SettlementRow>(
      `select s.id, s.transaction_id, t.partner_id, s.attempt_no, s.outcome, s.receipt_number, s.paid_minor::text, t.currency, s.evidence, s.proposed_by, s.agreed_by, s.agreed_state,
              s.approved_at, s.withdrawn_at, s.superseded_why
         from settlements s join transactions t on t.id = s.transaction_id where s.id = $1`,
      [id],
    );
    return row && toSettlement(row);
  }

  /** undefined: another one is open. */
  async propose(
    proposal: SettlementProposal,
    attemptNo: number,
    partnerId: number,
    at: Date,
  ): Promise<number | undefined> {
    const { transactionId, outcome, receipt, paid, evidence, by } = proposal;
    return this.db.inTransaction(async (tx) => {
      const [row] = await tx.query<{ id: string }>(
        `insert into settlements (transaction_id, attempt_no, outcome, receipt_number, paid_minor, evidence, proposed_by, proposed_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict do nothing returning id`,
        [
          transactionId,
          attemptNo,
          outcome,
          receipt?.trim() ?? null,
          paid && encodeMinor(paid),
          evidence.trim(),
          nameOf(by),
          at,
        ],
      );
      if (!row) return undefined;
      await recordAuditEntry(
        tx,
        settlementAuditEntry(
          'settlement.proposed',
          { id: Number(row.id), transactionId, outcome, partnerId },
          { by, reason: evidence, at },
        ),
      );
      return Number(row.id);
    });
  }

  /**
   * Records the agreement in this state and keeps new calls away; an earlier claim finishes first. false: the transaction has
   * changed, or somebody else was faster.
   */
  async agree(settlement: Settlement, state: TransactionState, by: string, at: Date): Promise<boolean> {
    return this.db.inTransaction(async (tx) => {
      const place = await placeOf(tx, settlement);
      if (place.state !== state || place.attempt_no !== settlement.attemptNo) return false;
      const rows = await tx.query(
        `update settlements set agreed_by = $2, agreed_at = $3, agreed_state = $4, agreed_sequence = $5
          where id = $1 and agreed_at is null and approved_at is null and withdrawn_at is null returning id`,
        [settlement.id, by, at, place.state, place.sequence],
      );
      if (rows.length === 0) return false;
      await tx.query(`update attempts set settlement_id = $3 where transaction_id = $1 and attempt_no = $2`, [
        settlement.transactionId,
        settlement.attemptNo,
        settlement.id,
      ]);
      await recordAuditEntry(tx, approvalOf(settlement, by, at));
      return true;
    });
  }

  async due(now: Date, limit: number): Promise<number[]> {
    const rows = await this.db.query<{ id: string }>(
      `select s.id from settlements s join attempts a on a.transaction_id = s.transaction_id and a.attempt_no = s.attempt_no
        where s.agreed_at is not null and s.approved_at is null and s.withdrawn_at is null and (a.lease_until is null or a.lease_until <= $1)
        order by s.id limit $2`,
      [now, limit],
      { name: 'settlements_due' },
    );
    return rows.map(({ id }) => Number(id));
  }

  /** The latest end of the call under way; null: none. */
  async waitsUntil({ transactionId, attemptNo }: Settlement): Promise<Date | null> {
    const [row] = await this.db.query<{ lease_until: Date | null }>(
      `select lease_until from attempts where transaction_id = $1 and attempt_no = $2`,
      [transactionId, attemptNo],
    );
    return row?.lease_until ?? null;
  }

  /** The provider's event since the agreement that contradicts it. */
  async contradiction({ id, transactionId, attemptNo, outcome }: Settlement): Promise<string | undefined> {
    if (outcome === 'cleared') return undefined;
    const [row] = await this.db.query<{ event: string }>(
      `select t.event from settlements s join transitions t on t.transaction_id = s.transaction_id and t.sequence > s.agreed_sequence
        where s.id = $1 and t.transaction_id = $2 and t.attempt_no = $3 and t.event = any($4) order by t.sequence limit 1`,
      [id, transactionId, attemptNo, AGAINST[outcome]],
    );
    return row?.event;
  }

  /**
   * Ends it if the transaction has changed since, or the provider `said` the contrary; calls may go on. undefined:
   * neither, or it is closed.
   */
  async supersede(settlement: Settlement, at: Date, said?: string): Promise<TransactionState | undefined> {
    const { id, transactionId, attemptNo, agreed } = settlement;
    return this.db.inTransaction(async (tx) => {
      const place = await placeOf(tx, settlement);
      const isStill = place.state === agreed?.state && place.attempt_no === attemptNo;
      if (isStill && said === undefined) return undefined;
      const why = isStill
        ? `in ${place.state} it said ${said}`
        : `from ${agreed?.state ?? '?'} it came to ${place.state}`;
      const rows = await tx.query(
        `update settlements set withdrawn_at = $2, superseded_why = $3 where id = $1 and approved_at is null and withdrawn_at is null returning id`,
        [id, at, `the provider answered first: ${why}`],
      );
      await tx.query(
        `update attempts set settlement_id = null where transaction_id = $1 and attempt_no = $2 and settlement_id = $3`,
        [transactionId, attemptNo, id],
      );
      return rows.length > 0 ? place.state : undefined;
    });
  }

  /** false: somebody has agreed, or it is closed. */
  async withdraw(settlement: Settlement, { by, reason }: { by: string; reason: string }, at: Date): Promise<boolean> {
    return this.db.inTransaction(async (tx) => {
      const rows = await tx.query(
        `update settlements set withdrawn_at = $2, withdrawn_by = $3, withdrawn_why = $4
          where id = $1 and agreed_at is null and approved_at is null and withdrawn_at is null returning id`,
        [settlement.id, at, nameOf(by), maskText(reason.trim())],
      );
      if (rows.length > 0)
        await recordAuditEntry(tx, settlementAuditEntry('settlement.withdrawn', settlement, { by, reason, at }));
      return rows.length > 0;
    });
  }
}

export function approvalOf(settlement: Settlement, approvedBy: string, at: Date): AuditEntry {
  return {
    ...settlementAuditEntry('settlement.approved', settlement, {
      by: settlement.proposedBy,
      reason: settlement.evidence,
      at,
    }),
    approvedBy,
  };
}

async function placeOf(tx: Transaction, { transactionId }: Settlement): Promise<Place> {
  const [place] = await tx.query<Place>(LOCK_SQL, [transactionId]);
  if (!place) throw new Error(`transaction ${transactionId} is gone`);
  return place;
}

function settlementAuditEntry(
  act: string,
  { id, transactionId, outcome, partnerId }: Pick<Settlement, 'id' | 'transactionId' | 'outcome' | 'partnerId'>,
  { by, reason, at }: { by: string; reason: string; at: Date },
): AuditEntry {
  return {
    by: nameOf(by),
    act,
    partnerId,
    subject: `settlement ${id}`,
    reason: maskText(reason.trim()),
    details: { transaction_id: transactionId, outcome },
    at,
  };
}

function toSettlement(row: SettlementRow): Settlement {
  return {
    id: Number(row.id),
    transactionId: Number(row.transaction_id),
    partnerId: row.partner_id,
    attemptNo: row.attempt_no,
    outcome: row.outcome,
    receipt: row.receipt_number,
    paid: row.paid_minor === null ? null : decodeMoney(row.paid_minor, row.currency),
    evidence: row.evidence,
    proposedBy: row.proposed_by,
    agreed: row.agreed_by === null || row.agreed_state === null ? null : { by: row.agreed_by, state: row.agreed_state },
    isExecuted: row.approved_at !== null,
    isWithdrawn: row.withdrawn_at !== null,
    supersededWhy: row.superseded_why,
  };
}
