import { Injectable } from '@nestjs/common';
import { type TransactionState, decodeMoney, encodeMinor, type Money } from '@vuka/domain';
import { recordAuditEntry, type AuditEntry, Database, type Transaction } from '@vuka/persistence';
import { maskText } from '@vuka/runtime';

import { nameOf } from '../controls/index.js';

/** `cleared`: what screening has stopped may be paid. */
export type SettlementOutcome = 'paid' | 'not_paid' | 'cleared';

/** What a person says became of a payout that its provider leaves open, or is to become of one that screening has stopped. */
export interface SettlementProposal {
  readonly transactionId: number;
  readonly outcome: SettlementOutcome;
  /** The provider's, where it paid; else null. */
  readonly receipt: string | null;
  /** What the provider really paid, where that is not what it was told to; else null. */
  readonly paid: Money | null;
  /** Where the proof is kept and what it says: a statement's page, a ticket of the provider's. */
  readonly evidence: string;
  readonly by: string;
}

/** A settlement as kept. */
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
  /** The second person, and where the transaction stood then; null: it waits for one, or was of a screening. */
  readonly agreed: { readonly by: string; readonly state: TransactionState } | null;
  readonly isExecuted: boolean;
  /** By people, or because the provider's word came first: then `supersededWhy` says so. */
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

/** A person decides here; everywhere else the provider does, or nobody has sent anything yet. */
const SETTLED_BY_PEOPLE: ReadonlySet<TransactionState> = new Set<TransactionState>(['IN_DOUBT', 'REVIEW']);

export function isSettledByPeople(state: TransactionState): boolean {
  return SETTLED_BY_PEOPLE.has(state);
}

/** What a provider may say in REVIEW, where it is only recorded, that speaks against what people have agreed on meanwhile. */
const AGAINST: Readonly<Record<Exclude<SettlementOutcome, 'cleared'>, readonly string[]>> = {
  paid: ['not_paid_route_left', 'not_paid_last', 'reversed'],
  not_paid: ['succeeded', 'reversed'],
};

/** Locks the transaction, as moves do before they lock anything else of it. */
const LOCK_SQL = 'select state, attempt_no, sequence from transactions where id = $1 for no key update';

type Place = { readonly state: TransactionState; readonly attempt_no: number; readonly sequence: number };

/**
 * Settlements by two people: proposed, agreed on, and carried out by a move once no call is out, or overtaken by what the provider says.
 * From the second person's word on the attempt bears the settlement's number, and nobody claims it for a call that may pay.
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

  /** Resolves with its number, or undefined where another one of this transaction is open. */
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
   * The second person's word, on the record with the mark that keeps every new call away; false: the transaction has moved, or somebody
   * else was faster. Whose claim came first goes on to its end, and is waited for.
   */
  async agree(settlement: Settlement, by: string, at: Date): Promise<boolean> {
    return this.db.inTransaction(async (tx) => {
      const place = await placeOf(tx, settlement);
      if (!isSettledByPeople(place.state) || place.attempt_no !== settlement.attemptNo) return false;
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

  /** Agreed on, not carried out, and no call under way any more: the oldest first. */
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

  /** When the call that is waited for has ended surely; null: none is out. */
  async waitsUntil({ transactionId, attemptNo }: Settlement): Promise<Date | null> {
    const [row] = await this.db.query<{ lease_until: Date | null }>(
      `select lease_until from attempts where transaction_id = $1 and attempt_no = $2`,
      [transactionId, attemptNo],
    );
    return row?.lease_until ?? null;
  }

  /** What the provider has said since two people agreed, and has only been recorded, that speaks against it: the machine's event. */
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
   * Ends one whose transaction has moved since two people agreed on it, or of which the provider `said` the contrary, and lets calls go on;
   * undefined: neither, or the settlement has ended.
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

  /** Takes back what nobody has agreed on yet; false: somebody has, or it has ended. */
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

/** The act of both people: it names who proposed, and who agreed. */
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
