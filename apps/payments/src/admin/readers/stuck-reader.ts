import type { TransactionState } from '@vuka/domain';
import { backlogOf } from '@vuka/messaging';
import type { Queryable } from '@vuka/persistence';
import type { Clock } from '@vuka/runtime';

import { OUT_PATIENCE_MS } from '../../due-work/index.js';
import type { MoneyTroubleReader } from './money-trouble-reader.js';
import { moneyOf, timeOf, timeOrNull, wordsOf } from './view-values.js';
import { STUCK_SECTIONS, type StalledOutbox, type StuckReport, type StuckSection, type WaitingView } from './views.js';

/** Per list: more have one common cause. */
const MOST_SHOWN = 100;
/** Due work normally starts within 2 s. */
const OVERDUE_AFTER_MS = 60_000;
const OWNER = 'payments';
/** Events normally arrive within a second. */
const HELD_BACK_AFTER_MS = 10_000;

interface WaitingRow {
  id: string;
  transaction_code: string;
  partner_id: number;
  amount_minor: string;
  currency: string;
  state: TransactionState;
  since: Date;
  detail: string;
  attempt_no: number | null;
  provider: string | null;
  provider_reference: string | null;
  polls: number | null;
  next_at: Date | null;
  due_at: Date | null;
  park_deadline: Date | null;
  settlement_id: string | null;
  agreed_at: Date | null;
}

/** `a`: the current attempt. `m`: when and why it came to its state. */
const WAITING = `select t.id::text as id, t.transaction_code, t.partner_id, t.amount_minor::text as amount_minor, t.currency, t.state,
    coalesce(m.at, t.updated_at) as since, coalesce(m.detail, '') as detail, a.attempt_no, a.provider, a.provider_reference::text as provider_reference, a.polls,
    a.next_at, t.due_at, t.park_deadline, s.id::text as settlement_id, s.agreed_at`;
const WAITING_JOINS = `left join attempts a on a.transaction_id = t.id and a.attempt_no = t.attempt_no
    left join settlements s on s.transaction_id = t.id and s.approved_at is null and s.withdrawn_at is null
    left join lateral (select min(x.at) as at, (array_agg(x.detail order by x.sequence desc))[1] as detail from transitions x
      where x.transaction_id = t.id and x.to_state = t.state and x.from_state is distinct from x.to_state) m on true`;

/** Open transactions hold money, and open holds are few. */
const IN_STATE = `${WAITING} from holds h join transactions t on t.id = h.transaction_id ${WAITING_JOINS} where h.state = 'open' and t.state = $1 order by since, t.id limit $2`;

/** A provider works on it for so long that people ask it. */
const IN_DOUBT = `${WAITING} from holds h join transactions t on t.id = h.transaction_id ${WAITING_JOINS}
  where h.state = 'open' and (t.state = 'IN_DOUBT' or (t.state = 'SUBMITTED' and t.updated_at <= $1)) order by since, t.id limit $2`;

const OVERDUE = `${WAITING} from (
    select id from transactions where due_at < $1
    union select transaction_id from attempts where state in ('INTENT', 'SENDING') and next_at < $1 and (lease_until is null or lease_until < $1)
    union select transaction_id from attempts where state in ('PENDING', 'UNKNOWN') and next_at < $1 and (lease_until is null or lease_until < $1)
    limit $2) due join transactions t on t.id = due.id ${WAITING_JOINS} order by least(t.due_at, a.next_at), t.id limit $2`;

const UNCONFIGURED = `${WAITING.replace('a.attempt_no, a.provider,', 'u.attempt_no, u.provider,')} from (
    select transaction_id, attempt_no, provider from attempts
     where next_at is not null and state in ('INTENT', 'SENDING', 'PENDING', 'UNKNOWN') and provider <> all ($1::text[]) limit $2) u
  join transactions t on t.id = u.transaction_id ${WAITING_JOINS} order by since, t.id limit $2`;

export class StuckReader {
  constructor(
    private readonly db: Queryable,
    private readonly troubles: MoneyTroubleReader,
    private readonly clock: Clock,
    private readonly providerIds: readonly string[],
  ) {}

  async read(): Promise<StuckReport> {
    const oneMore = MOST_SHOWN + 1;
    const now = this.clock.now().getTime();
    const overdueAt = new Date(now - OVERDUE_AFTER_MS);
    const lists: Omit<StuckReport, 'cut'> = {
      parked: await this.waiting(IN_STATE, ['QUEUED', oneMore]),
      in_doubt: await this.waiting(IN_DOUBT, [new Date(now - OUT_PATIENCE_MS), oneMore]),
      review: await this.waiting(IN_STATE, ['REVIEW', oneMore]),
      overdue: await this.waiting(OVERDUE, [overdueAt, oneMore]),
      rail_not_configured: await this.waiting(UNCONFIGURED, [this.providerIds, oneMore]),
      frozen: await this.troubles.frozen(oneMore),
      incidents: await this.troubles.openIncidents(oneMore),
      owed_by_partners: await this.troubles.debts(oneMore),
      owed_to_us: await this.troubles.owedToUs(oneMore),
      outbox_stalled: await this.stalledOutboxes(),
    };
    const cut = STUCK_SECTIONS.filter((section) => lists[section].length > MOST_SHOWN);
    const shown = Object.fromEntries(STUCK_SECTIONS.map((section) => [section, lists[section].slice(0, MOST_SHOWN)]));
    return { ...(shown as unknown as Pick<StuckReport, StuckSection>), cut };
  }

  private async waiting(sql: string, params: readonly unknown[]): Promise<WaitingView[]> {
    const rows = await this.db.query<WaitingRow>(sql, params);
    return rows.map((row) => ({
      transaction_id: Number(row.id),
      transaction_code: row.transaction_code,
      partner_id: row.partner_id,
      amount: moneyOf(row.amount_minor, row.currency),
      state: row.state,
      since: timeOf(row.since),
      why: wordsOf(row.detail),
      attempt_no: row.attempt_no,
      provider: row.provider,
      provider_reference: row.provider_reference,
      polls: row.polls ?? 0,
      next_check_at: timeOrNull(row.due_at ?? row.next_at),
      until: timeOrNull(row.state === 'QUEUED' ? row.park_deadline : null),
      settlement_id: row.settlement_id === null ? null : Number(row.settlement_id),
      settlement_approved_at: timeOrNull(row.agreed_at),
    }));
  }

  private async stalledOutboxes(): Promise<StalledOutbox[]> {
    const before = this.clock.now().getTime() - HELD_BACK_AFTER_MS;
    try {
      const backlogs = await backlogOf(this.db, OWNER);
      return backlogs.flatMap(({ group, oldestAt, isStalled }) =>
        oldestAt === null || oldestAt.getTime() > before
          ? []
          : [
              {
                consumer_group: group,
                oldest_at: timeOf(oldestAt),
                why: isStalled ? 'a database transaction does not end' : 'no consumer reads them, or it is too slow',
              },
            ],
      );
    } catch (error) {
      return [{ consumer_group: '', oldest_at: null, why: (error as Error).message }];
    }
  }
}
