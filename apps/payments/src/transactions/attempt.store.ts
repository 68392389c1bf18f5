import { Injectable } from '@nestjs/common';
import { type AttemptState, decodeMoney, type Money } from '@vuka/domain';
import type { StatementEntry } from '@vuka/payouts';
import { Database } from '@vuka/persistence';

import { AGAINST_ITS_END, CONTRADICTED, CONTRADICTS, STOPPED_PARTNERS, STOPS } from './stop-conditions.js';
import type { AttemptEnd } from '../commit/index.js';
import type { ClaimedAttempt } from './attempt-claims.store.js';
import { DestinationVault } from './destination-vault.js';
import {
  SNAPSHOT,
  SNAPSHOT_JOINS,
  toSnapshot,
  type TransactionRow,
  type TransactionSnapshot,
} from './transaction-snapshot.js';

export interface AttemptRecord {
  readonly attemptNo: number;
  readonly provider: string;
  /** The provider's wallet that pays. */
  readonly wallet: string;
  readonly providerReference: string;
  readonly state: AttemptState;
  readonly fence: number;
  readonly receiptNumber: string | null;
  readonly endedBy: AttemptEnd | null;
  /** When it first ended. */
  readonly endedAt: Date | null;
  /** The provider or its statement has named this id. */
  readonly isAcknowledged: boolean;
}

export interface DuplicatePaymentRecord {
  readonly attemptNo: number;
  readonly receiptNumber: string;
  readonly provider: string;
  readonly wallet: string;
  readonly amount: Money;
  readonly owed: boolean;
  readonly unwound: boolean;
}

export interface History {
  readonly attempts: readonly AttemptRecord[];
  /** In posting order. */
  readonly duplicatePayment: readonly DuplicatePaymentRecord[];
  /** The partner's debt in the transaction's currency; null: not read. */
  readonly due: Money | null;
  /** A provider contradicts an attempt's end, and people have not resolved that yet. */
  readonly isContradicted: boolean;
  /** Resolved contradictions: the same event of the same attempt changes nothing. */
  readonly resolved: readonly ResolvedWord[];
}

export interface ResolvedWord {
  readonly attemptNo: number;
  readonly event: string;
}

export const NO_HISTORY: History = {
  attempts: [],
  duplicatePayment: [],
  due: null,
  isContradicted: false,
  resolved: [],
};

export function isPaidAlready({ duplicatePayment }: History): boolean {
  return duplicatePayment.some(({ unwound }) => !unwound);
}

interface HistoryRow {
  attempts: {
    attempt_no: number;
    provider: string;
    wallet: string;
    provider_reference: string;
    state: AttemptState;
    fence: number;
    receipt_number: string | null;
    ended_by: AttemptEnd | null;
    ended_at: string | null;
    is_acknowledged: boolean;
  }[];
  duplicate_payment: {
    attempt_no: number;
    receipt_number: string;
    provider: string;
    wallet: string;
    amount: string;
    owed: boolean;
    unwound: boolean;
  }[];
  currency: string;
  due: string;
  is_contradicted: boolean;
  resolved: { attempt_no: number; event: string }[];
}

const HISTORY_SQL = `
select t.currency,
  (select coalesce(json_agg(json_build_object('attempt_no', a.attempt_no, 'provider', a.provider, 'wallet', a.wallet, 'provider_reference', a.provider_reference, 'state', a.state,
     'fence', a.fence, 'receipt_number', a.receipt_number, 'ended_by', a.ended_by, 'ended_at', a.ended_at, 'is_acknowledged', a.acknowledged_at is not null) order by a.attempt_no), '[]')
     from attempts a where a.transaction_id = t.id) as attempts,
  (select coalesce(json_agg(json_build_object('attempt_no', p.attempt_no, 'receipt_number', p.receipt_number, 'provider', p.provider, 'wallet', p.wallet,
     'amount', p.amount_minor::text, 'owed', p.owed, 'unwound', p.unwound_at is not null) order by p.posted_at, p.receipt_number), '[]')
     from duplicate_payment p where p.transaction_id = t.id) as duplicate_payment,
  coalesce((select -r.balance_minor from accounts r where r.name = 'receivable:' || t.partner_id || ':' || t.currency), 0)::text as due,
  exists (select from incidents i where i.transaction_id = t.id and ${CONTRADICTS}) as is_contradicted,
  (select coalesce(json_agg(json_build_object('attempt_no', i.attempt_no, 'event', i.event)), '[]')
     from incidents i where i.transaction_id = t.id and i.resolved_at is not null and ${AGAINST_ITS_END}) as resolved
from transactions t where t.id = $1`;

/** `isFirst`: surely the first statement entry that says this id was paid. */
export interface HintedEntry extends StatementEntry {
  readonly isFirst: boolean;
}

/**
 * An attempt is polled if the entry differs from the record of its end. An open one may be polled too, because a
 * call under way may be older than the entry. Only a first payment needs no poll: that call's answer leaves the
 * attempt open, and open attempts are polled anyway.
 *
 * A listed id is one that the provider has: it is never sent again, and "not found" proves nothing. After "never
 * taken" an UNKNOWN one is polled once more, and so is one that ended while this waited for its lock.
 *
 * A statement that tells no receipts or no amounts has nothing to compare them with.
 */
const HINT_SQL = `
with lines as (
  select reference, event, receipt, is_first, amount, currency
    from unnest($2::uuid[], $3::text[], $4::text[], $6::boolean[], $7::numeric[], $8::text[]) as l(reference, event, receipt, is_first, amount, currency)
), differing as (
  select distinct a.transaction_id, a.attempt_no from lines l join attempts a on a.provider_reference = l.reference join transactions t on t.id = a.transaction_id
   where a.provider = $1 and l.event = 'paid' and l.amount is not null and (l.amount <> a.amount_minor or l.currency <> t.currency)
), spoken as (
  select a.transaction_id, a.attempt_no, bool_or(l.event = 'paid') as says_paid, bool_or(
     case when a.state in ('PAID', 'NOT_PAID')
       then l.event = 'reversed' or (l.event = 'paid') <> (a.state = 'PAID') or (l.event = 'paid' and l.receipt is not null and l.receipt is distinct from a.receipt_number)
       else l.event = 'reversed' or (l.event = 'paid' and not l.is_first) end
       or exists (select from differing d where d.transaction_id = a.transaction_id and d.attempt_no = a.attempt_no)) as is_worth
    from lines l join attempts a on a.provider_reference = l.reference where a.provider = $1 group by a.transaction_id, a.attempt_no
), locked as (
  -- In the order in which moves lock attempts.
  select a.transaction_id, a.attempt_no, s.is_worth from attempts a join spoken s on s.transaction_id = a.transaction_id and s.attempt_no = a.attempt_no
   where s.is_worth or (a.state in ('INTENT', 'SENDING', 'UNKNOWN') and a.acknowledged_at is null) or (a.state = 'NOT_PAID' and s.says_paid)
   order by a.transaction_id, a.attempt_no for no key update of a
), hinted as (
  update attempts a set hinted_fence = case when w.is_worth or a.state in ('UNKNOWN', 'NOT_PAID') then a.fence else a.hinted_fence end,
      next_at = case when a.state in ('PAID', 'NOT_PAID') then $5 else a.next_at end,
      acknowledged_at = case when a.state in ('PAID', 'NOT_PAID') then a.acknowledged_at else coalesce(a.acknowledged_at, $5) end
    from locked w where a.transaction_id = w.transaction_id and a.attempt_no = w.attempt_no returning a.state
)
select (select count(*) from hinted where state in ('PAID', 'NOT_PAID'))::integer as checks,
       (select count(*) from lines l where l.event = 'paid' and not exists (select from attempts a where a.provider_reference = l.reference))::integer as unknown,
       (select coalesce(json_agg(distinct d.transaction_id), '[]') from differing d) as differing`;

/** An attempt as it is committed, whoever has it. */
export interface KeptAttempt {
  readonly transaction: TransactionSnapshot;
  readonly attemptNo: number;
  readonly providerReference: string;
  readonly amount: Money;
  readonly state: AttemptState;
  readonly providerPaymentId: string | null;
}

const KEPT_SQL = `
select ${SNAPSHOT}, a.attempt_no as kept_attempt_no, a.provider_reference::text as provider_reference, a.amount_minor::text as attempt_amount_minor,
    a.state as attempt_state, a.provider_payment_id
  from attempts a join transactions t on t.id = a.transaction_id ${SNAPSHOT_JOINS}
 where a.provider = $1 and a.provider_reference = any($2::uuid[]) order by a.provider_reference limit 1`;

interface KeptRow extends TransactionRow {
  kept_attempt_no: number;
  provider_reference: string;
  attempt_amount_minor: string;
  attempt_state: AttemptState;
  provider_payment_id: string | null;
}

/** Of the attempt that its transaction is at, while nothing and nobody has decided otherwise. */
const APPROVE_SQL = `
with ${STOPPED_PARTNERS}
update attempts set acknowledged_at = coalesce(acknowledged_at, $3), provider_payment_id = coalesce(provider_payment_id, $4)
 where transaction_id = $1 and attempt_no = $2 and settlement_id is null
   -- Where a call has not ended within its lease, it is not known what became of it.
   and (state in ('PENDING', 'UNKNOWN') or (state = 'SENDING' and lease_until > $3))
   and ($4::text is null or provider_payment_id is null or provider_payment_id = $4)
   and exists (select from transactions t where t.id = attempts.transaction_id and t.attempt_no = attempts.attempt_no
                and t.state in ('SUBMITTING', 'SUBMITTED', 'IN_DOUBT'))
   and not (${CONTRADICTED} or ${STOPS}) returning attempt_no`;

@Injectable()
export class AttemptStore {
  constructor(
    private readonly db: Database,
    private readonly vault: DestinationVault,
  ) {}

  /** The recipient's name, as it is kept and told. */
  keptName(transactionId: number, name: string | null): string | null {
    return this.vault.sealName(transactionId, name);
  }

  async historyOf(transactionId: number): Promise<History> {
    const [row] = await this.db.query<HistoryRow>(HISTORY_SQL, [transactionId], { name: 'transaction_history' });
    if (!row) throw new Error(`transaction ${transactionId} is gone`);
    return {
      attempts: row.attempts.map((attempt) => ({
        attemptNo: attempt.attempt_no,
        provider: attempt.provider,
        wallet: attempt.wallet,
        providerReference: attempt.provider_reference,
        state: attempt.state,
        fence: attempt.fence,
        receiptNumber: attempt.receipt_number,
        endedBy: attempt.ended_by,
        endedAt: attempt.ended_at === null ? null : new Date(attempt.ended_at),
        isAcknowledged: attempt.is_acknowledged,
      })),
      duplicatePayment: row.duplicate_payment.map((payment) => ({
        attemptNo: payment.attempt_no,
        receiptNumber: payment.receipt_number,
        provider: payment.provider,
        wallet: payment.wallet,
        amount: decodeMoney(payment.amount, row.currency),
        owed: payment.owed,
        unwound: payment.unwound,
      })),
      due: decodeMoney(row.due, row.currency),
      isContradicted: row.is_contradicted,
      resolved: row.resolved.map(({ attempt_no: attemptNo, event }) => ({ attemptNo, event })),
    };
  }

  /** Of these ids, one of which is ours at most; undefined: none. */
  async keptUnder(provider: string, references: readonly string[]): Promise<KeptAttempt | undefined> {
    const [row] = await this.db.query<KeptRow>(KEPT_SQL, [provider, references.filter((one) => UUID.test(one))], {
      name: 'attempt_kept_under',
    });
    return (
      row && {
        transaction: toSnapshot(row),
        attemptNo: row.kept_attempt_no,
        providerReference: row.provider_reference,
        amount: decodeMoney(row.attempt_amount_minor, row.currency),
        state: row.attempt_state,
        providerPaymentId: row.provider_payment_id,
      }
    );
  }

  /**
   * Commits that the provider, which asks before it pays, may pay. It has our id, then. false: it must not. The
   * attempt has ended, was never sent or its call has outlived its lease, people decide on it, its partner is stopped, its deposit has vanished,
   * another attempt is or may be paid, or the provider has named another payment of its own.
   */
  async approve(
    transactionId: number,
    attemptNo: number,
    providerPaymentId: string | null,
    now: Date,
  ): Promise<boolean> {
    const rows = await this.db.query(APPROVE_SQL, [transactionId, attemptNo, now, providerPaymentId], {
      name: 'attempt_approve',
    });
    return rows.length > 0;
  }

  /** Also after its end. Before its first call the provider does not know it. */
  async checkAtOnce(transactionId: number, attemptNo: number, now: Date): Promise<void> {
    await this.db.query(
      `update attempts set next_at = $3, hinted_fence = fence where transaction_id = $1 and attempt_no = $2 and state not in ('INTENT', 'SENDING')`,
      [transactionId, attemptNo, now],
    );
  }

  /**
   * Takes the attempt from its claim, so that the people's settlement is final. Resolves with the new fence;
   * undefined: a call may be under way, or the settlement has ended.
   */
  async takeOver(
    { transactionId, attemptNo, settlementId }: { transactionId: number; attemptNo: number; settlementId: number },
    now: Date,
  ): Promise<number | undefined> {
    const [row] = await this.db.query<{ fence: number }>(
      // Keeps what the statement said during the claim that is taken away.
      `update attempts set hinted_fence = case when hinted_fence = fence then fence + 1 else hinted_fence end, fence = fence + 1, lease_until = null
        where transaction_id = $1 and attempt_no = $2 and settlement_id = $3 and (lease_until is null or lease_until <= $4) returning fence`,
      [transactionId, attemptNo, settlementId, now],
    );
    return row?.fence;
  }

  /** Resolves with the counts of polls and of payments under unknown ids, and whose payments have other amounts. */
  async hint(
    provider: string,
    entries: readonly HintedEntry[],
    now: Date,
  ): Promise<{ checks: number; unknown: number; differing: readonly number[] }> {
    const ours = entries.filter(({ attemptId }) => UUID.test(attemptId));
    const foreign = entries.filter(({ attemptId, event }) => event === 'paid' && !UUID.test(attemptId)).length;
    const [row] = await this.db.query<{ checks: number; unknown: number; differing: number[] }>(
      HINT_SQL,
      [
        provider,
        ours.map((entry) => entry.attemptId),
        ours.map((entry) => entry.event),
        ours.map((entry) => entry.receipt),
        now,
        ours.map((entry) => entry.isFirst),
        ours.map(({ amount }) => amount?.minor.toString() ?? null),
        ours.map(({ amount }) => amount?.currency ?? null),
      ],
      { name: 'statement_hint' },
    );
    return { checks: row?.checks ?? 0, unknown: (row?.unknown ?? 0) + foreign, differing: row?.differing ?? [] };
  }

  /**
   * Like TransactionStore.checkAgain, but counts the repeat on the resolved incident. `lateUntil` only gets later.
   */
  async noteResolved(
    { transaction, attemptNo, fence }: ClaimedAttempt,
    said: { readonly event: string; readonly nextAt: Date | null; readonly lateUntil: Date | null },
    now: Date,
  ): Promise<void> {
    await this.db.query(
      `with checked as (
         update attempts set next_at = case when hinted_fence = fence then updated_at else $4 end, lease_until = null, late_until = greatest(late_until, $5)
          where transaction_id = $1 and attempt_no = $2 and fence = $3 returning fence
       )
       update incidents set times = times + 1, last_at = $7
        where id = (select max(i.id) from incidents i where i.transaction_id = $1 and i.attempt_no = $2 and i.event = $6 and i.resolved_at is not null)
          and exists (select from checked)`,
      [transaction.details.id, attemptNo, fence, said.nextAt, said.lateUntil, said.event, now],
      { name: 'attempt_note_resolved' },
    );
  }

  async statementCursor(provider: string): Promise<string | null> {
    const [row] = await this.db.query<{ cursor: string }>(
      `select cursor from provider_statements where provider = $1`,
      [provider],
    );
    return row?.cursor ?? null;
  }

  async saveStatementCursor(provider: string, cursor: string, now: Date): Promise<void> {
    await this.db.query(
      `insert into provider_statements (provider, cursor, read_at) values ($1, $2, $3) on conflict (provider) do update set cursor = excluded.cursor, read_at = excluded.read_at`,
      [provider, cursor, now],
      { name: 'statement_cursor' },
    );
  }
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
