import { Inject, Injectable } from '@nestjs/common';
import { type AttemptState, decodeMoney, type Money } from '@vuka/domain';
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

/** Of the statement, during the claim before. */
const HINT_STAYS = 'hinted_fence = case when a.hinted_fence = a.fence then a.fence + 1 else a.hinted_fence end';

/** A signed callback says that it is paid, which overrules a settlement. */
const CLAIM_CALLED_BACK_SQL = claimSql({
  states: `state in ('SENDING', 'PENDING', 'UNKNOWN')`,
  which: 'provider_reference = $3',
  set: `asked_at = null, ${HINT_STAYS}`,
});

/** A callback answers the question that was open when it came ($5). */
const CLAIM_ANSWERED_SQL = claimSql({
  states: `(state in ('PAID', 'NOT_PAID') or (state in ('PENDING', 'UNKNOWN') and settlement_id is null))`,
  which: 'provider_reference = $3 and asked_at <= $5',
  set: `asked_at = null, ${HINT_STAYS}`,
});

/** submit: the call that pays. watch: asks whether an ended attempt still stands. */
export type ClaimPurpose = keyof typeof CLAIM_SQL;

/** Who may call a provider about an attempt, and what became of it where no state changes. */
@Injectable()
export class AttemptClaims {
  constructor(@Inject(Database) private readonly db: Queryable) {}

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

  /** As `claimCalledBack`; undefined also where no question is open since before `receivedAt`. */
  async claimAnswered(
    provider: string,
    providerReference: string,
    lease: Lease,
    receivedAt: Date,
  ): Promise<ClaimedAttempt | undefined> {
    const [row] = await this.db.query<AttemptRow>(
      CLAIM_ANSWERED_SQL,
      [lease.from, lease.until, providerReference, provider, receivedAt],
      { name: 'claim_answered' },
    );
    return row && toClaimed(row, lease);
  }

  /** Commits that the provider will be asked, and answer by a callback. The oldest open question counts. */
  async beginQuestion({ transaction, attemptNo, fence }: ClaimedAttempt, now: Date): Promise<void> {
    await this.db.query(
      `update attempts set asked_at = coalesce(asked_at, $4) where transaction_id = $1 and attempt_no = $2 and fence = $3`,
      [transaction.details.id, attemptNo, fence, now],
      { name: 'attempt_begin_question' },
    );
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

  async waitingForOtherProviders(providers: readonly string[]): Promise<{ provider: string; attempts: number }[]> {
    return this.db.query(
      `select provider, count(*)::integer as attempts from attempts
        where state in ('INTENT', 'SENDING', 'PENDING', 'UNKNOWN') and next_at is not null and provider <> all($1) group by provider`,
      [providers],
    );
  }

  /** After an answer that changes nothing. `providerPaymentId`: kept, if none is yet. */
  async checkAgain(attempt: ClaimedAttempt, nextAt: Date | null, providerPaymentId: string | null): Promise<void> {
    await this.db.query(
      `update attempts set next_at = case when hinted_fence = fence then updated_at else $4 end, lease_until = null,
          provider_payment_id = coalesce(provider_payment_id, $5)
        where transaction_id = $1 and attempt_no = $2 and fence = $3`,
      [attempt.transaction.details.id, attempt.attemptNo, attempt.fence, nextAt, providerPaymentId],
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
