import { Injectable } from '@nestjs/common';
import type { AttemptState } from '@vuka/domain';
import { Database } from '@vuka/persistence';

/** What became of a callback. Rows and metrics have these words. */
export type CallbackOutcome =
  /** Signed: its payment is recorded. */
  | 'recorded'
  /** Signed: it says what we have. */
  | 'known'
  /** The provider is asked. */
  | 'asked'
  /** The provider was asked and answers by callback. This one answers nothing, or nothing shows who sent it. */
  | 'no_answer'
  /** Names no payout. */
  | 'unreadable'
  /** Names a payout that is not ours. */
  | 'unknown'
  /** Our fault; polls find out. */
  | 'failed';

export interface NewCallback {
  readonly provider: string;
  readonly bodyIndex: string;
  readonly sealed: string;
  readonly attemptReference: string | null;
}

export interface ClaimedCallback extends NewCallback {
  readonly id: number;
  readonly receivedAt: Date;
  /** How often it had come. */
  readonly times: number;
  /** With this one. */
  readonly looks: number;
}

export interface CalledBackAttempt {
  readonly transactionId: number;
  readonly attemptNo: number;
  readonly wallet: string;
  readonly providerReference: string;
  readonly state: AttemptState;
  readonly receiptNumber: string | null;
  /** A callback last had it asked then. */
  readonly calledBackAt: Date | null;
  /** The provider was asked then, and its answer is to come by a callback; null: it is not. */
  readonly askedAt: Date | null;
}

export interface CallbackEnd {
  readonly outcome: CallbackOutcome;
  readonly signed: boolean | null;
  readonly detail: string;
  readonly attempt: Pick<CalledBackAttempt, 'transactionId' | 'attemptNo'> | null;
}

/** An attempt that has ended and was never called back. */
export interface LostCallback {
  readonly provider: string;
  readonly transactionId: number;
  readonly attemptNo: number;
  readonly providerReference: string;
}

/** Of one provider. */
export interface WaitingCallbacks {
  readonly provider: string;
  readonly waiting: number;
  readonly oldestAt: Date;
}

const CLAIM_SQL = `
with due as (
  select id from provider_callbacks where provider = $1 and due_at <= $2 and (lease_until is null or lease_until <= $2)
   order by due_at limit $4 for update skip locked
)
update provider_callbacks c set lease_until = $3, looks = c.looks + 1 from due where c.id = due.id
returning c.id::text as id, c.body_index, c.sealed, c.attempt_reference, c.received_at, c.times, c.looks`;

/** What comes again may mean something else then. An id that nobody knows stays with people. */
const MAY_CHANGE: readonly CallbackOutcome[] = ['recorded', 'known', 'asked', 'no_answer', 'failed'];
const AS_NEW = ['sealed', 'received_at', 'due_at', 'lease_until', 'looks', 'outcome', 'signed', 'handled_at'];

const KEEP_SQL = `
insert into provider_callbacks (provider, body_index, sealed, attempt_reference, received_at, last_received_at, due_at)
values ($1, $2, $3, $4, $5, $5, $5)
on conflict (provider, body_index) do update set times = provider_callbacks.times + 1, last_received_at = excluded.last_received_at,
  ${AS_NEW.map((name) => `${name} = case when provider_callbacks.outcome = any($6) then excluded.${name} else provider_callbacks.${name} end`).join(', ')}
returning times`;

const OPEN = `(due_at is not null or (outcome = 'unknown' and resolved_at is null))`;

@Injectable()
export class CallbackStore {
  constructor(private readonly db: Database) {}

  /** Resolves with how often it has come. What had been handled is looked at anew, as it came now. */
  async keep({ provider, bodyIndex, sealed, attemptReference }: NewCallback, now: Date): Promise<number> {
    const [row] = await this.db.query<{ times: number }>(
      KEEP_SQL,
      [provider, bodyIndex, sealed, attemptReference, now, MAY_CHANGE],
      { name: 'callback_keep' },
    );
    return row?.times ?? 1;
  }

  /** Counts those that wait for us or for people, up to `most`. */
  async countOpen(provider: string, most: number): Promise<number> {
    const [row] = await this.db.query<{ open: number }>(
      `select count(*)::integer as open from (select from provider_callbacks where provider = $1 and ${OPEN} limit $2) x`,
      [provider, most],
    );
    return row?.open ?? 0;
  }

  async claim(provider: string, until: Date, limit: number, now: Date): Promise<ClaimedCallback[]> {
    const rows = await this.db.query<{
      id: string;
      body_index: string;
      sealed: string;
      attempt_reference: string | null;
      received_at: Date;
      times: number;
      looks: number;
    }>(CLAIM_SQL, [provider, now, until, limit], { name: 'callback_claim' });
    return rows.map((row) => ({
      id: Number(row.id),
      provider,
      bodyIndex: row.body_index,
      sealed: row.sealed,
      attemptReference: row.attempt_reference,
      receivedAt: row.received_at,
      times: row.times,
      looks: row.looks,
    }));
  }

  async lookAgain(id: number, at: Date): Promise<void> {
    await this.db.query(
      `update provider_callbacks set due_at = $2, lease_until = null where id = $1 and due_at is not null`,
      [id, at],
      { name: 'callback_look_again' },
    );
  }

  /** false: it has come again meanwhile, and is to be looked at anew. */
  async end(
    { id, times }: Pick<ClaimedCallback, 'id' | 'times'>,
    { outcome, signed, detail, attempt }: CallbackEnd,
    now: Date,
  ): Promise<boolean> {
    const asItWas = MAY_CHANGE.includes(outcome) ? times : null;
    const ended = await this.db.query(
      `update provider_callbacks set outcome = $2, signed = $3, detail = $4, transaction_id = $5, attempt_no = $6, handled_at = $7,
          due_at = null, lease_until = null
        where id = $1 and due_at is not null and ($8::integer is null or times = $8) returning 1`,
      [id, outcome, signed, detail, attempt?.transactionId ?? null, attempt?.attemptNo ?? null, now, asItWas],
      { name: 'callback_end' },
    );
    if (ended.length > 0) return true;
    await this.db.query(
      `update provider_callbacks set received_at = last_received_at, due_at = last_received_at, lease_until = null, looks = 0
        where id = $1 and due_at is not null`,
      [id],
      { name: 'callback_anew' },
    );
    return false;
  }

  /** Of references in order; undefined: this provider has none of them. */
  async attemptOf(provider: string, references: readonly string[]): Promise<CalledBackAttempt | undefined> {
    const [row] = await this.db.query<{
      transaction_id: string;
      attempt_no: number;
      provider_reference: string;
      state: AttemptState;
      wallet: string;
      receipt_number: string | null;
      called_back_at: Date | null;
      asked_at: Date | null;
    }>(
      `select transaction_id, attempt_no, wallet, provider_reference, state, receipt_number, called_back_at, asked_at from attempts
        where provider = $1 and provider_reference = any($2::uuid[]) order by array_position($2::uuid[], provider_reference) limit 1`,
      [provider, references],
      { name: 'callback_attempt' },
    );
    return (
      row && {
        transactionId: Number(row.transaction_id),
        attemptNo: row.attempt_no,
        wallet: row.wallet,
        providerReference: row.provider_reference,
        state: row.state,
        receiptNumber: row.receipt_number,
        calledBackAt: row.called_back_at,
        askedAt: row.asked_at,
      }
    );
  }

  /**
   * Has the provider asked about it once more, also after its end, and behind a call that is under way. false: a
   * callback has had it asked since `notSince`, or nothing was sent.
   */
  async ask(
    { transactionId, attemptNo }: Pick<CalledBackAttempt, 'transactionId' | 'attemptNo'>,
    now: Date,
    notSince: Date,
  ): Promise<boolean> {
    const rows = await this.db.query(
      `update attempts set called_back_at = $3, hinted_fence = fence, next_at = case when state = 'SENDING' then next_at else $3 end
        where transaction_id = $1 and attempt_no = $2 and state <> 'INTENT' and (called_back_at is null or called_back_at <= $4)
       returning 1`,
      [transactionId, attemptNo, now, notSince],
      { name: 'attempt_called_back' },
    );
    return rows.length > 0;
  }

  /** Of the attempts, those that have ended and were never called back. */
  async neverCalledBack(
    attempts: readonly { readonly transactionId: number; readonly attemptNo: number }[],
  ): Promise<LostCallback[]> {
    const rows = await this.db.query<{
      provider: string;
      transaction_id: string;
      attempt_no: number;
      provider_reference: string;
    }>(
      `select a.provider, a.transaction_id::text as transaction_id, a.attempt_no, a.provider_reference::text as provider_reference from unnest($1::bigint[], $2::smallint[]) as l(transaction_id, attempt_no)
         join attempts a on a.transaction_id = l.transaction_id and a.attempt_no = l.attempt_no
        where a.state in ('PAID', 'NOT_PAID')
          and not exists (select from provider_callbacks c where c.transaction_id = a.transaction_id and c.attempt_no = a.attempt_no)
        order by a.transaction_id, a.attempt_no`,
      [attempts.map(({ transactionId }) => transactionId), attempts.map(({ attemptNo }) => attemptNo)],
    );
    return rows.map((row) => ({
      provider: row.provider,
      transactionId: Number(row.transaction_id),
      attemptNo: row.attempt_no,
      providerReference: row.provider_reference,
    }));
  }

  async waiting(): Promise<WaitingCallbacks[]> {
    const rows = await this.db.query<{ provider: string; waiting: number; oldest: Date }>(
      `select provider, count(*)::integer as waiting, min(received_at) as oldest from provider_callbacks where due_at is not null group by provider`,
    );
    return rows.map(({ provider, waiting, oldest }) => ({ provider, waiting, oldestAt: oldest }));
  }

  /** Resolves with the count. */
  async deleteHandled(before: Date, limit: number): Promise<number> {
    const rows = await this.db.query(
      `delete from provider_callbacks where id in (
         select id from provider_callbacks where handled_at < $1 and (outcome <> 'unknown' or resolved_at < $1)
          order by handled_at limit $2 for update skip locked) returning 1`,
      [before, limit],
    );
    return rows.length;
  }
}
