import { Inject, Injectable } from '@nestjs/common';
import type { PayoutOperation } from '@vuka/contracts';
import { type AttemptState, type TransactionState, decodeMoney, type Deposit, type Money } from '@vuka/domain';
import { Database, type Queryable } from '@vuka/persistence';

import type { Lease } from '../due-work/index.js';
import { CONTRADICTED, CORRIDOR_OFF, PAID_ALREADY, STOPPED_PARTNERS, STOPS, SWITCHED_OFF } from './stop-conditions.js';
import {
  SNAPSHOT,
  SNAPSHOT_JOINS,
  toSnapshot,
  type TransactionRow,
  type TransactionSnapshot,
} from './transaction-snapshot.js';

export { PAYMENT_STANDS_SQL, type JudgedDeposit, type TransactionSnapshot } from './transaction-snapshot.js';

export interface TransactionPlace {
  /** As text: a Date would cut microseconds, and pages would lose rows. */
  readonly createdAt: string;
  readonly id: string;
}

export interface TransactionQuery {
  readonly partnerId: number;
  /** null = any. */
  readonly currencies: readonly string[] | null;
  readonly states: readonly TransactionState[] | null;
  /** Inclusive. */
  readonly from: string;
  /** Older than this place. */
  readonly behind: TransactionPlace;
  readonly limit: number;
}

export interface ClaimedAttempt {
  readonly transaction: TransactionSnapshot;
  readonly attemptNo: number;
  readonly providerReference: string;
  readonly provider: string;
  /** The provider's wallet that pays. */
  readonly wallet: string;
  readonly amount: Money;
  /** SENDING: an earlier call was under way when its lease ended. */
  readonly was: AttemptState;
  readonly polls: number;
  readonly fence: number;
  readonly lease: Lease;
  readonly lateUntil: Date | null;
  /** The first commit of SENDING, or earlier. The provider's promise to deduplicate counts from here. */
  readonly firstSentAt: Date;
  /** No call that pays left later; null: not recorded. */
  readonly sentUntil: Date | null;
  /** Never send it again. */
  readonly isAcknowledged: boolean;
  readonly providerDetail: string;
  /** The provider's own id of it; null: not told. */
  readonly providerPaymentId: string | null;
  /** Must not be sent, and is still INTENT. */
  readonly isStopped: boolean;
}

interface AttemptRow extends TransactionRow {
  claimed_attempt_no: number;
  provider_reference: string;
  provider: string;
  wallet: string;
  attempt_amount_minor: string;
  was: AttemptState;
  polls: number;
  fence: number;
  late_until: Date | null;
  first_sent_at: Date;
  sent_until: Date | null;
  is_acknowledged: boolean;
  provider_detail: string;
  provider_payment_id: string | null;
  is_stopped: boolean;
}

const PAGE_SQL = `
select ${SNAPSHOT}, to_char(t.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as place
  from (select * from transactions
         where partner_id = $1 and (created_at, id) < ($2::timestamptz, $3::bigint) and created_at >= $4
           and ($5::text[] is null or currency = any($5)) and ($6::text[] is null or state = any($6))
         order by created_at desc, id desc limit $7) t ${SNAPSHOT_JOINS}
 order by t.created_at desc, t.id desc`;

interface ClaimOf {
  readonly states: string;
  readonly set: string;
  /** Default: what is due, oldest first. */
  readonly which?: string;
  readonly isStopped?: string;
  readonly having?: string;
}

const DUE = 'next_at <= $1 order by next_at limit $3';

const claimSql = ({ states, set, which = DUE, isStopped = 'false', having = '' }: ClaimOf): string => `
with ${having}due as (
  select transaction_id, attempt_no, state as was, ${isStopped} as is_stopped from attempts
   where provider = $4 and ${states} and (lease_until is null or lease_until <= $1) and ${which} for update skip locked
), claimed as (
  update attempts a set ${set}, lease_until = $2, fence = a.fence + 1, updated_at = $1
    from due where a.transaction_id = due.transaction_id and a.attempt_no = due.attempt_no
     -- A first call goes out only for the attempt its transaction is at.
     and (a.state <> 'INTENT' or exists (
       select from transactions t where t.id = a.transaction_id and t.state = 'SUBMITTING' and t.attempt_no = a.attempt_no))
  returning a.transaction_id, a.attempt_no, a.provider_reference, a.provider, a.wallet, a.amount_minor, a.polls, a.fence, a.late_until, due.was, due.is_stopped,
    coalesce(a.first_sent_at, a.created_at) as first_sent_at, a.sent_until, a.acknowledged_at is not null as is_acknowledged, a.provider_detail,
    a.provider_payment_id
)
select ${SNAPSHOT}, c.attempt_no as claimed_attempt_no, c.provider_reference, c.provider, c.wallet, c.amount_minor::text as attempt_amount_minor, c.was, c.polls, c.fence, c.late_until,
    c.first_sent_at, c.sent_until, c.is_acknowledged, c.provider_detail, c.provider_payment_id, c.is_stopped
  from claimed c join transactions t on t.id = c.transaction_id ${SNAPSHOT_JOINS}`;

const CLAIM_SQL = {
  // A later attempt waits while a provider contradicts that an earlier one was not paid. For one that may have been
  // sent, beginRepeat decides.
  submit: claimSql({
    states: `(state = 'SENDING' or (state = 'INTENT' and (attempt_no = 1 or not ${CONTRADICTED}))) and settlement_id is null`,
    having: `${STOPPED_PARTNERS}, ${SWITCHED_OFF}, `,
    // Asked in the commit that would send, never from memory.
    isStopped: `state = 'INTENT' and acknowledged_at is null and (${STOPS} or ${CORRIDOR_OFF})`,
    set: `state = case when due.is_stopped then a.state else 'SENDING' end,
      first_sent_at = coalesce(a.first_sent_at, case when due.was = 'INTENT' and not due.is_stopped then $1::timestamptz end),
      sent_until = case when due.was = 'INTENT' and not due.is_stopped then $2 else a.sent_until end`,
  }),
  poll: claimSql({
    states: `state in ('PENDING', 'UNKNOWN') and settlement_id is null`,
    // A callback must not make the next polls rarer.
    set: `polls = a.polls + case when a.called_back_at = a.next_at then 0 else 1 end, acknowledged_at = case a.state when 'PENDING' then coalesce(a.acknowledged_at, $1::timestamptz) else a.acknowledged_at end`,
  }),
  watch: claimSql({ states: `state in ('PAID', 'NOT_PAID')`, set: `polls = a.polls + 1` }),
} as const;

/** A signed callback says that it is paid, which overrules a settlement. A hint of the statement stays. */
const CLAIM_CALLED_BACK_SQL = claimSql({
  states: `state in ('SENDING', 'PENDING', 'UNKNOWN')`,
  which: 'provider_reference = $3',
  set: 'hinted_fence = case when a.hinted_fence = a.fence then a.fence + 1 else a.hinted_fence end',
});

/** submit: the call that pays. watch: asks whether an ended attempt still stands. */
export type ClaimPurpose = keyof typeof CLAIM_SQL;

/** Only CommitWriter writes states and money. */
@Injectable()
export class TransactionStore {
  constructor(@Inject(Database) private readonly db: Queryable) {}

  async byId(id: number): Promise<TransactionSnapshot | undefined> {
    const rows = await this.db.query<TransactionRow>(
      `select ${SNAPSHOT} from transactions t ${SNAPSHOT_JOINS} where t.id = $1`,
      [id],
      {
        name: 'transaction_by_id',
      },
    );
    return rows[0] && toSnapshot(rows[0]);
  }

  async byCode(partnerId: number, transactionCode: string): Promise<TransactionSnapshot | undefined> {
    const rows = await this.db.query<TransactionRow>(
      `select ${SNAPSHOT} from transaction_keys k join transactions t on t.id = k.transaction_id ${SNAPSHOT_JOINS}
        where k.partner_id = $1 and k.reference = $2`,
      [partnerId, transactionCode],
      { name: 'transaction_by_code' },
    );
    return rows[0] && toSnapshot(rows[0]);
  }

  /** Spellings of one hash. A claim still held comes first, then the newest. */
  async byHash(partnerId: number, hashes: readonly string[]): Promise<TransactionSnapshot | undefined> {
    const rows = await this.db.query<TransactionRow>(
      `select ${SNAPSHOT} from (select transaction_id from (
           select transaction_id, released_at is not null as released from pays where partner_id = $1 and transaction_hash = any ($2)
           union all
           select v.transaction_id, false from deposits v join order_credits oc on oc.transaction_id = v.transaction_id
            where v.partner_id = $1 and v.transaction_hash = any ($2) and exists (select from postings q where q.reference = 'order-settled:' || v.deposit_id)) named
                                 order by released, transaction_id desc limit 1) claim
         join transactions t on t.id = claim.transaction_id ${SNAPSHOT_JOINS}`,
      [partnerId, hashes],
      { name: 'transaction_by_hash' },
    );
    return rows[0] && toSnapshot(rows[0]);
  }

  async acceptedUnder(
    partnerId: number,
    reference: string,
  ): Promise<{ transactionId: number; operation: PayoutOperation; fingerprint: string } | undefined> {
    const rows = await this.db.query<{ id: string; operation: PayoutOperation; fingerprint: string }>(
      'select t.id, t.operation, k.fingerprint from transaction_keys k join transactions t on t.id = k.transaction_id where k.partner_id = $1 and k.reference = $2',
      [partnerId, reference],
      { name: 'accepted_under' },
    );
    return (
      rows[0] && { transactionId: Number(rows[0].id), operation: rows[0].operation, fingerprint: rows[0].fingerprint }
    );
  }

  async page({
    partnerId,
    currencies,
    states,
    from,
    behind,
    limit,
  }: TransactionQuery): Promise<{ snapshot: TransactionSnapshot; place: TransactionPlace }[]> {
    const rows = await this.db.query<TransactionRow & { place: string }>(
      PAGE_SQL,
      [partnerId, behind.createdAt, behind.id, from, currencies, states, limit],
      {
        name: 'transactions_page',
      },
    );
    return rows.map((row) => ({ snapshot: toSnapshot(row), place: { createdAt: row.place, id: row.id } }));
  }

  /** Claims nothing: the commit's compare-and-set decides. */
  async dueForStart(now: Date, limit: number): Promise<TransactionSnapshot[]> {
    const rows = await this.db.query<TransactionRow>(
      `select ${SNAPSHOT} from transactions t ${SNAPSHOT_JOINS} where t.due_at <= $1 order by t.due_at limit $2`,
      [now, limit],
      { name: 'transactions_due' },
    );
    return rows.map(toSnapshot);
  }

  /** Same token and transfer as the main deposit. */
  async beyondQuote(id: number): Promise<Deposit[]> {
    const rows = await this.db.query<{
      deposit_id: string;
      chain: string;
      asset: string;
      decimals: number;
      received_minor: string;
    }>(
      `select d.deposit_id::text as deposit_id, d.chain, d.asset, d.decimals, d.received_minor::text as received_minor
         from deposits d join deposits v on v.transaction_id = d.transaction_id and v.is_main and v.asset = d.asset and v.transaction_hash = d.transaction_hash
        where d.transaction_id = $1 and not d.is_main and d.state = 'unapplied' order by d.deposit_id`,
      [id],
      { name: 'deposits_beyond_quote' },
    );
    return rows.map((row) => ({
      depositId: Number(row.deposit_id),
      chain: row.chain,
      received: decodeMoney(row.received_minor, row.asset),
      decimals: row.decimals,
    }));
  }

  /** The claim is committed before this resolves. */
  async claim(purpose: ClaimPurpose, provider: string, lease: Lease, limit: number): Promise<ClaimedAttempt[]> {
    const rows = await this.db.query<AttemptRow>(CLAIM_SQL[purpose], [lease.from, lease.until, limit, provider], {
      name: `claim_${purpose}`,
    });
    return rows.map((row) => toClaimed(row, lease));
  }

  /** undefined: a call is under way, it has ended, or people have settled it. */
  async claimCalledBack(
    provider: string,
    providerReference: string,
    lease: Lease,
  ): Promise<ClaimedAttempt | undefined> {
    const [row] = await this.db.query<AttemptRow>(
      CLAIM_CALLED_BACK_SQL,
      [lease.from, lease.until, providerReference, provider],
      { name: 'claim_called_back' },
    );
    return row && toClaimed(row, lease);
  }

  /**
   * Commits that the same id will be sent again. false: do not send. The claim is lost, the provider acknowledged
   * it, people agreed on the outcome or switched the corridor off, or an earlier attempt is or may be paid.
   */
  async beginRepeat({ transaction, attemptNo, fence, lease }: ClaimedAttempt): Promise<boolean> {
    const rows = await this.db.query(
      `with ${SWITCHED_OFF} update attempts set sent_until = $4
        where transaction_id = $1 and attempt_no = $2 and fence = $3 and acknowledged_at is null and settlement_id is null
          and (attempt_no = 1 or not (${CONTRADICTED} or ${PAID_ALREADY})) and not ${CORRIDOR_OFF} returning fence`,
      [transaction.details.id, attemptNo, fence, lease.until],
      { name: 'attempt_begin_repeat' },
    );
    return rows.length > 0;
  }

  /**
   * The lost claim's answer does not count, but the id is known to exist there. An ended attempt is polled at
   * once. Resolves with the provider's own id that is kept: the first one.
   */
  async noteLapsed(
    { transaction, attemptNo, fence }: ClaimedAttempt,
    providerPaymentId: string | null,
    now: Date,
  ): Promise<string | null> {
    const [row] = await this.db.query<{ kept: string | null }>(
      `with noted as (
         update attempts set acknowledged_at = coalesce(acknowledged_at, $4), hinted_fence = fence,
             next_at = case when state in ('PAID', 'NOT_PAID') then $4 else next_at end, provider_payment_id = coalesce(provider_payment_id, $5)
          where transaction_id = $1 and attempt_no = $2 and fence <> $3 returning provider_payment_id)
       select coalesce((select provider_payment_id from noted), provider_payment_id) as kept from attempts where transaction_id = $1 and attempt_no = $2`,
      [transaction.details.id, attemptNo, fence, now, providerPaymentId],
      { name: 'attempt_note_lapsed' },
    );
    return row?.kept ?? null;
  }

  /**
   * Gives back a claim under which no call that pays left. INTENT is safe again: only this claim could have sent
   * it, and leaving SUBMITTING needs its fence. The next claim checks for a payment of an earlier attempt. Does
   * nothing after another claim or a takeover by people.
   */
  async releaseClaim({ transaction, attemptNo, fence, was }: ClaimedAttempt): Promise<void> {
    await this.db.query(
      `update attempts set state = case when state = 'SENDING' then $4 else state end, lease_until = null
        where transaction_id = $1 and attempt_no = $2 and fence = $3`,
      [transaction.details.id, attemptNo, fence, was],
      { name: 'attempt_let_go' },
    );
  }

  /** Resolves false if the transaction has changed since. */
  async postpone(snapshot: TransactionSnapshot, dueAt: Date): Promise<boolean> {
    const rows = await this.db.query(
      `update transactions set due_at = $3 where id = $1 and sequence = $2 and due_at is not null returning id`,
      [snapshot.details.id, snapshot.life.sequence, dueAt],
    );
    return rows.length > 0;
  }

  /** Makes due what a freeze or suspension left in QUEUED. Resolves with the count. */
  async wakeStopped(partnerId: number, now: Date, limit: number): Promise<number> {
    const rows = await this.db.query(
      `update transactions t set due_at = $2 from (
         select id from transactions where partner_id = $1 and due_at > $2 and state = 'QUEUED' and park_deadline is null
          order by due_at limit $3 for no key update skip locked) w
        where t.id = w.id returning t.id`,
      [partnerId, now, limit],
    );
    return rows.length;
  }

  async wake(id: number, now: Date): Promise<boolean> {
    const rows = await this.db.query(
      `update transactions set due_at = $2 where id = $1 and state = 'QUEUED' and due_at > $2 returning id`,
      [id, now],
    );
    return rows.length > 0;
  }

  async waitingForOtherProviders(providers: readonly string[]): Promise<{ provider: string; attempts: number }[]> {
    return this.db.query(
      `select provider, count(*)::integer as attempts from attempts
        where state in ('INTENT', 'SENDING', 'PENDING', 'UNKNOWN') and next_at is not null and provider <> all($1) group by provider`,
      [providers],
    );
  }

  /** After an answer that changes nothing. `providerPaymentId`: kept, if none is yet. `detail`: null keeps it. */
  async checkAgain(
    attempt: ClaimedAttempt,
    nextAt: Date | null,
    { providerPaymentId = null, detail = null }: { providerPaymentId?: string | null; detail?: string | null } = {},
  ): Promise<void> {
    await this.db.query(
      `update attempts set next_at = case when hinted_fence = fence then updated_at else $4 end, lease_until = null,
          provider_payment_id = coalesce(provider_payment_id, $5), provider_detail = coalesce($6, provider_detail)
        where transaction_id = $1 and attempt_no = $2 and fence = $3`,
      [attempt.transaction.details.id, attempt.attemptNo, attempt.fence, nextAt, providerPaymentId, detail],
      { name: 'attempt_check_again' },
    );
  }
}

function toClaimed(row: AttemptRow, lease: Lease): ClaimedAttempt {
  return {
    transaction: toSnapshot(row),
    attemptNo: row.claimed_attempt_no,
    providerReference: row.provider_reference,
    provider: row.provider,
    wallet: row.wallet,
    amount: decodeMoney(row.attempt_amount_minor, row.currency),
    was: row.was,
    polls: row.polls,
    fence: row.fence,
    lease,
    lateUntil: row.late_until,
    firstSentAt: row.first_sent_at,
    sentUntil: row.sent_until,
    isAcknowledged: row.is_acknowledged,
    providerDetail: row.provider_detail,
    providerPaymentId: row.provider_payment_id,
    isStopped: row.is_stopped,
  };
}
