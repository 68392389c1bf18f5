import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { Settings } from '@vuka/config';
import { JobClock } from '@vuka/jobs';
import { Database, recordAuditEntry } from '@vuka/persistence';
import type { Clock, Logger } from '@vuka/runtime';
import { CLOCK, CLOCK_AGREES, type ClockAgrees, LOGGER, SETTINGS } from '@vuka/service-host';

const DAY_MS = 86_400_000;
/** Of one run. */
const MOST_KEYS = 50;
const BATCH = 1_000;

interface Key {
  readonly id: string;
  readonly partner_id: number;
  readonly month: string;
}

/** A day more: the key was chosen a little before its row was written. */
const OF_ITS_MONTH = `t.partner_id = k.partner_id and t.created_at >= k.month::timestamp at time zone 'UTC'
   and t.created_at < (k.month + interval '1 month 1 day') at time zone 'UTC'`;

/** Nothing of it may be asked or told about any more. */
const DUE_SQL = `
select k.id::text as id, k.partner_id, k.month::text as month from recipient_keys k
 where k.erased_at is null and (k.month + interval '1 month 1 day') at time zone 'UTC' <= $1
   and not exists (
     select from transactions t join destinations d on d.transaction_id = t.id
      where ${OF_ITS_MONTH} and d.key_id = k.id
        and (t.state not in ('COMPLETE', 'FAILED', 'REVERSED') or t.due_at is not null
          or exists (select from attempts a where a.transaction_id = t.id
                      and (a.next_at is not null or a.state in ('INTENT', 'SENDING', 'PENDING', 'UNKNOWN')))
          or exists (select from incidents i where i.transaction_id = t.id and i.resolved_at is null)
          or exists (select from refunds f where f.transaction_id = t.id and f.state in ('HELD', 'GRANTED', 'SIGNED', 'BROADCAST'))))
 order by k.month, k.id limit $2`;

const SHRED_SQL = `update recipient_keys set sealed_key = '', erased_at = $2 where id = $1 and erased_at is null returning 1`;

const UNCLEARED_SQL = `
select id::text as id, partner_id, month::text as month from recipient_keys
 where erased_at is not null and cleared_at is null order by id limit $1`;

/** What the data key does not hold: indexes, names, queries of URLs. States and money stay as they are. */
const CLEAR_SQL = `
with old as (
  select t.id, t.transaction_code, t.partner_id from recipient_keys k, transactions t join destinations d on d.transaction_id = t.id
   where k.id = $1 and ${OF_ITS_MONTH} and d.key_id = k.id and d.blind_index <> ''
   order by t.id limit $2
), cleared as (
  update destinations d set blind_index = '', sealed = '' from old where d.transaction_id = old.id returning d.transaction_id
), names as (
  update transactions t set public_name = null, callback_url = split_part(t.callback_url, '?~', 1) from old
   where t.id = old.id and (t.public_name is not null or t.callback_url like '%?~%')
), urls as (
  update refund_urls u set callback_url = split_part(u.callback_url, '?~', 1) from old join refunds f on f.transaction_id = old.id
   where u.refund_id = f.refund_id and u.callback_url like '%?~%'
), prints as (
  update transaction_keys r set fingerprint = '' from old where r.partner_id = old.partner_id and r.reference = old.transaction_code
)
select 1 from cleared`;

const CLEARED_SQL = `update recipient_keys set cleared_at = $2 where id = $1`;

/**
 * Erases the recipients of months past the retention (docs/operators/personal-data.md). A month's data key goes first,
 * in one commit: from then on no copy of the other tables opens its numbers. The rest is cleared in batches, which go
 * on after a crash. Ledger, states and audit stay whole.
 */
@Injectable()
export class EraseRecipients implements OnModuleInit {
  constructor(
    private readonly db: Database,
    private readonly jobs: JobClock,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'recipientRetentionDays'>,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(CLOCK_AGREES) private readonly clockAgrees: ClockAgrees,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  onModuleInit(): void {
    this.jobs.every('payments.erase-recipients', async () => void (await this.run()));
  }

  /** Resolves with the months erased, of one partner each. */
  async run(): Promise<number> {
    const { recipientRetentionDays: days } = this.settings;
    // With a wrong clock, everything could look old.
    if (days === null || !(await this.clockAgrees())) return 0;
    const before = new Date(this.clock.now().getTime() - days * DAY_MS);
    const due = await this.db.query<Key>(DUE_SQL, [before, MOST_KEYS]);
    for (const key of due) await this.shred(key, days);
    for (const key of await this.db.query<Key>(UNCLEARED_SQL, [MOST_KEYS])) await this.clear(key);
    return due.length;
  }

  private async shred({ id, partner_id: partnerId, month }: Key, days: number): Promise<void> {
    const at = this.clock.now();
    await this.db.inTransaction(async (tx) => {
      if ((await tx.query(SHRED_SQL, [id, at])).length === 0) return;
      await recordAuditEntry(tx, {
        by: 'retention',
        reason: `older than ${String(days)} days`,
        act: 'recipients.erased',
        partnerId,
        subject: `recipients of ${month.slice(0, 7)}`,
        details: { month: month.slice(0, 7) },
        at,
      });
    });
    this.log.info({ partner_id: partnerId, month: month.slice(0, 7) }, 'the recipients of a month were erased');
  }

  private async clear({ id }: Key): Promise<void> {
    for (;;) {
      const rows = await this.db.query(CLEAR_SQL, [id, BATCH]);
      if (rows.length < BATCH) break;
    }
    await this.db.query(CLEARED_SQL, [id, this.clock.now()]);
  }
}
