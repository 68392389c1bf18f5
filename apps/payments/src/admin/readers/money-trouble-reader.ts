import { Inject, Injectable } from '@nestjs/common';
import { Database, type Queryable } from '@vuka/persistence';

import { moneyOf, timeOf, timeOrNull, wordsOf } from './view-values.js';
import type { DebtView, FrozenView, IncidentView, DuplicatePaymentView, SettlementView } from './views.js';

interface DuplicatePaymentRow {
  transaction_id: string;
  transaction_code: string;
  partner_id: number;
  attempt_no: number;
  provider: string;
  receipt_number: string;
  amount_minor: string;
  currency: string;
  owed: boolean;
  posted_at: Date;
  unwound_at: Date | null;
}

interface IncidentRow {
  id: string;
  transaction_id: string;
  transaction_code: string;
  partner_id: number;
  attempt_no: number;
  state: string;
  event: string;
  detail: string;
  times: number;
  at: Date;
  last_at: Date | null;
  resolved_at: Date | null;
  resolved_by: string | null;
  resolution: string | null;
}

interface FrozenRow {
  partner_id: number;
  since: Date;
  incidents: FrozenView['incidents'];
  by_people: FrozenView['by_people'];
  suspended_since: Date | null;
  held_back: number;
}

export interface IncidentsWanted {
  readonly partnerId?: number | undefined;
  /** The last id of the previous page. */
  readonly before?: number | undefined;
  readonly limit: number;
}

interface SettlementRow {
  id: string;
  transaction_id: string;
  attempt_no: number;
  outcome: SettlementView['outcome'];
  receipt_number: string | null;
  paid_minor: string | null;
  currency: string;
  evidence: string;
  proposed_by: string;
  proposed_at: Date;
  approved_by: string | null;
  approved_at: Date | null;
  withdrawn_at: Date | null;
  agreed_by: string | null;
  agreed_at: Date | null;
  superseded_why: string | null;
  lease_until: Date | null;
}

const DUPLICATE_PAYMENT = `select p.transaction_id::text as transaction_id, t.transaction_code, t.partner_id, p.attempt_no, p.provider, p.receipt_number,
  p.amount_minor::text as amount_minor, t.currency, p.owed, p.posted_at, p.unwound_at
  from duplicate_payment p join transactions t on t.id = p.transaction_id`;
/** An order without credit has no transaction, but its deposits may vanish. */
const OF_WHAT =
  'left join transactions t on t.id = i.transaction_id left join orders o on o.order_number = i.transaction_id';
const CODE_SQL = "coalesce(t.transaction_code, 'order ' || i.transaction_id)";
const PARTNER_SQL = 'coalesce(t.partner_id, o.partner_id)';
const INCIDENTS = `select i.id::text as id, i.transaction_id::text as transaction_id, ${CODE_SQL} as transaction_code, ${PARTNER_SQL} as partner_id, i.attempt_no, i.state,
  i.event, i.detail, i.times, i.at, i.last_at, i.resolved_at, i.resolved_by, i.resolution
  from incidents i ${OF_WHAT}`;
const SETTLEMENTS = `select s.id::text as id, s.transaction_id::text as transaction_id, s.attempt_no, s.outcome, s.receipt_number,
  s.paid_minor::text as paid_minor, t.currency, s.evidence, s.proposed_by, s.proposed_at, s.approved_by, s.approved_at, s.withdrawn_at,
  s.agreed_by, s.agreed_at, s.superseded_why, a.lease_until
  from settlements s join transactions t on t.id = s.transaction_id
  left join attempts a on a.transaction_id = s.transaction_id and a.attempt_no = s.attempt_no`;

/** Per transaction. */
const MOST_OF_ONE = 100;
const CODES_OF_A_DEBT = 5;

@Injectable()
export class MoneyTroubleReader {
  constructor(@Inject(Database) private readonly db: Queryable) {}

  async duplicatePaymentOf(transactionId: number): Promise<DuplicatePaymentView[]> {
    const rows = await this.db.query<DuplicatePaymentRow>(
      `${DUPLICATE_PAYMENT} where p.transaction_id = $1 order by p.posted_at limit ${MOST_OF_ONE}`,
      [transactionId],
    );
    return rows.map(duplicatePayment);
  }

  async owedToUs(limit: number): Promise<DuplicatePaymentView[]> {
    const rows = await this.db.query<DuplicatePaymentRow>(
      `${DUPLICATE_PAYMENT} where p.unwound_at is null and not p.owed order by p.posted_at limit $1`,
      [limit],
    );
    return rows.map(duplicatePayment);
  }

  async incidentsOf(transactionId: number): Promise<IncidentView[]> {
    const rows = await this.db.query<IncidentRow>(
      `${INCIDENTS} where i.transaction_id = $1 order by i.id limit ${MOST_OF_ONE}`,
      [transactionId],
    );
    return rows.map(incident);
  }

  async openIncidents(limit: number): Promise<IncidentView[]> {
    const rows = await this.db.query<IncidentRow>(
      `${INCIDENTS} where i.resolved_at is null order by i.at, i.id limit $1`,
      [limit],
    );
    return rows.map(incident);
  }

  async openOnes({ partnerId, before, limit }: IncidentsWanted): Promise<IncidentView[]> {
    const rows = await this.db.query<IncidentRow>(
      `${INCIDENTS} where i.resolved_at is null and ($1::integer is null or ${PARTNER_SQL} = $1) and ($2::bigint is null or i.id < $2) order by i.id desc limit $3`,
      [partnerId ?? null, before ?? null, limit],
    );
    return rows.map(incident);
  }

  async frozen(limit: number): Promise<FrozenView[]> {
    const rows = await this.db.query<FrozenRow>(
      `with vanished as (
         select ${PARTNER_SQL} as partner_id, min(i.at) as since,
                json_agg(json_build_object('id', i.id, 'transaction_code', ${CODE_SQL}, 'detail', i.detail) order by i.id) as incidents
           from incidents i ${OF_WHAT}
          where i.event = 'deposit.reverted' and i.resolved_at is null group by 1),
       by_people as (
         select partner_id, frozen_at as since, json_build_object('id', id, 'reason', reason, 'by', frozen_by, 'at', frozen_at) as freeze from freezes where lifted_at is null),
       suspended as (select partner_id, told_at as since from partner_statuses where status = 'suspended')
       select f.*, (select count(*)::integer from transactions q where q.due_at is not null and q.state = 'QUEUED' and q.partner_id = f.partner_id) as held_back
         from (select partner_id, least(v.since, p.since, s.since) as since, coalesce(v.incidents, '[]'::json) as incidents, p.freeze as by_people, s.since as suspended_since
                 from vanished v full join by_people p using (partner_id) full join suspended s using (partner_id)) f
        order by f.since, f.partner_id limit $1`,
      [limit],
    );
    return rows.map(({ incidents, by_people: freeze, ...row }) => ({
      ...row,
      since: timeOf(row.since),
      suspended_since: timeOrNull(row.suspended_since),
      incidents: incidents.map((one) => ({ ...one, detail: wordsOf(one.detail) })),
      by_people: freeze && { ...freeze, reason: wordsOf(freeze.reason), at: timeOf(new Date(freeze.at)) },
    }));
  }

  async incidentById(id: number): Promise<IncidentView | undefined> {
    const rows = await this.db.query<IncidentRow>(`${INCIDENTS} where i.id = $1`, [id]);
    return rows.map(incident)[0];
  }

  async settlementsOf(transactionId: number): Promise<SettlementView[]> {
    const rows = await this.db.query<SettlementRow>(
      `${SETTLEMENTS} where s.transaction_id = $1 order by s.id limit ${MOST_OF_ONE}`,
      [transactionId],
    );
    return rows.map(settlement);
  }

  async settlementById(id: number): Promise<SettlementView | undefined> {
    const rows = await this.db.query<SettlementRow>(`${SETTLEMENTS} where s.id = $1`, [id]);
    return rows.map(settlement)[0];
  }

  /** With the first unpaid payments after FAILED, and deposits that vanished after they had paid. */
  async debts(limit: number): Promise<DebtView[]> {
    const rows = await this.db.query<{
      partner_id: number;
      asset: string;
      owed_minor: string;
      since: Date | null;
      codes: string[] | null;
    }>(
      `select a.partner_id, a.asset, (-a.balance_minor)::text as owed_minor, o.since, o.codes
         from accounts a
         cross join lateral (
           select min(x.posted_at) as since, array_agg(x.transaction_code order by x.posted_at) as codes from (
             select p.posted_at, t.transaction_code from duplicate_payment p join transactions t on t.id = p.transaction_id
              where p.owed and p.unwound_at is null and t.partner_id = a.partner_id and t.currency = a.asset
             union all
             select d.updated_at, coalesce(t.transaction_code, 'order ' || d.transaction_id) from deposits d
               left join transactions t on t.id = d.transaction_id left join orders o on o.order_number = d.transaction_id
              where d.state = 'reverted' and d.partner_id = a.partner_id and coalesce(t.currency, o.currency) = a.asset
                and exists (select from postings q where q.reference in ('deposit-vanished-paid:' || d.deposit_id, 'order-deposit-vanished:' || d.deposit_id))
              order by posted_at limit ${CODES_OF_A_DEBT}) x) o
        where a.kind = 'receivable' and a.balance_minor < 0
        order by o.since nulls first, a.name limit $1`,
      [limit],
    );
    return rows.map((row) => ({
      partner_id: row.partner_id,
      owed: moneyOf(row.owed_minor, row.asset),
      since: timeOrNull(row.since),
      transaction_codes: row.codes ?? [],
    }));
  }
}

function duplicatePayment(row: DuplicatePaymentRow): DuplicatePaymentView {
  return {
    transaction_id: Number(row.transaction_id),
    transaction_code: row.transaction_code,
    partner_id: row.partner_id,
    attempt_no: row.attempt_no,
    provider: row.provider,
    receipt_number: row.receipt_number,
    amount: moneyOf(row.amount_minor, row.currency),
    owed_by: row.owed ? 'partner' : 'us',
    posted_at: timeOf(row.posted_at),
    unwound_at: timeOrNull(row.unwound_at),
  };
}

function incident(row: IncidentRow): IncidentView {
  return {
    id: Number(row.id),
    transaction_id: Number(row.transaction_id),
    transaction_code: row.transaction_code,
    partner_id: row.partner_id,
    attempt_no: row.attempt_no,
    state: row.state,
    event: row.event,
    detail: wordsOf(row.detail),
    times: row.times,
    at: timeOf(row.at),
    last_at: timeOrNull(row.last_at),
    resolved_at: timeOrNull(row.resolved_at),
    resolved_by: row.resolved_by,
    resolution: row.resolution === null ? null : wordsOf(row.resolution),
  };
}

function settlement(row: SettlementRow): SettlementView {
  const state = stateOf(row);
  return {
    id: Number(row.id),
    transaction_id: Number(row.transaction_id),
    attempt_no: row.attempt_no,
    outcome: row.outcome,
    receipt_number: row.receipt_number,
    paid: row.paid_minor === null ? null : moneyOf(row.paid_minor, row.currency),
    evidence: wordsOf(row.evidence),
    state,
    proposed_by: row.proposed_by,
    proposed_at: timeOf(row.proposed_at),
    approved_by: row.agreed_by ?? row.approved_by,
    approved_at: timeOrNull(row.agreed_at ?? row.approved_at),
    executed_at: timeOrNull(row.approved_at),
    executes_by: timeOrNull(state === 'scheduled' ? row.lease_until : null),
    withdrawn_at: timeOrNull(row.withdrawn_at),
    superseded_why: row.superseded_why,
  };
}

function stateOf({
  approved_at: executedAt,
  withdrawn_at: withdrawnAt,
  superseded_why: why,
  agreed_at: agreedAt,
}: SettlementRow): SettlementView['state'] {
  if (executedAt !== null) return 'approved';
  if (withdrawnAt !== null) return why === null ? 'withdrawn' : 'superseded';
  return agreedAt === null ? 'proposed' : 'scheduled';
}
