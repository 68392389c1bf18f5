import type { Queryable } from '@vuka/persistence';

import { ADJUSTMENT_CHECKS } from './adjustment-checks.js';
import { DEPOSIT_CHECKS } from './deposit-checks.js';
import { FLOAT_CHECKS } from './float-checks.js';
import { REFUND_CHECKS } from './refund-checks.js';
import { PAYMENT_STANDS_SQL } from '../transactions/index.js';

/** Empty if the rule holds. */
export interface LedgerCheck {
  readonly rule: string;
  readonly broken: readonly Readonly<Record<string, unknown>>[];
}

export interface LedgerReport {
  readonly ok: boolean;
  readonly checks: readonly LedgerCheck[];
  /** Summed from entries, in minor units. */
  readonly balances: readonly { readonly name: string; readonly balanceMinor: string }[];
}

const BROKEN_ROWS_SHOWN = 20;

const FLOWS = `
  select account, sum(amount) as minor from (
    select from_account as account, -amount_minor as amount from entries
    union all select to_account, amount_minor from entries) x group by account`;

/** docs/engineers/ledger.md, "Standing checks". Each query finds violations; all run in one snapshot. */
const CHECKS: readonly { readonly rule: string; readonly sql: string }[] = [
  {
    rule: 'each asset sums to zero over all accounts',
    sql: `with flows as (${FLOWS}) select a.asset, sum(f.minor)::text as sum from flows f join accounts a on a.id = f.account group by a.asset having sum(f.minor) <> 0`,
  },
  {
    rule: 'each stored balance equals the sum of its entries',
    sql: `with flows as (${FLOWS}) select a.name, a.balance_minor::text as kept, coalesce(f.minor, 0)::text as entries
            from accounts a left join flows f on f.account = a.id where a.balance_minor is not null and a.balance_minor <> coalesce(f.minor, 0)`,
  },
  {
    // The seal reads entries by their postings.
    rule: 'each entry belongs to a posting of its time',
    sql: `select e.posting_id, e.leg_no from entries e left join postings p on p.id = e.posting_id and p.at = e.at where p.id is null`,
  },
  {
    rule: 'both accounts of an entry have its asset',
    sql: `select e.posting_id, e.leg_no from entries e left join accounts s on s.id = e.from_account left join accounts t on t.id = e.to_account
           where s.asset is distinct from e.asset or t.asset is distinct from e.asset`,
  },
  {
    rule: 'providers, banks and chains never have a balance below zero',
    // Duplicate payments are the provider's own money until settled. Manual debits may have come by no bank that the
    // ledger knows: treasury is not included yet.
    sql: `with flows as (${FLOWS}), again as (
            select 'rail:' || p.provider || ':' || p.wallet || ':' || t.currency as name, sum(p.amount_minor) as minor from duplicate_payment p join transactions t on t.id = p.transaction_id
             where p.unwound_at is null group by 1
            union all select 'bank:' || currency, sum(amount_minor) from adjustments where direction = 'debit' and approved_at is not null group by 1)
          select a.name, f.minor::text as balance from flows f join accounts a on a.id = f.account left join again on again.name = a.name
           where a.kind in ('rail', 'bank', 'chain') and f.minor > coalesce(again.minor, 0)`,
  },
  {
    rule: 'open holds equal the held balance, by partner and asset',
    sql: `select coalesce(h.partner_id, a.partner_id) as partner_id, coalesce(h.asset, a.asset) as asset, h.held::text as holds, a.balance_minor::text as held
            from (select partner_id, asset, sum(amount_minor) as held from holds where state = 'open' group by 1, 2) h
            full join (select partner_id, asset, balance_minor from accounts where kind = 'held' and balance_minor <> 0) a
              on a.partner_id = h.partner_id and a.asset = h.asset
           where h.held is distinct from a.balance_minor`,
  },
  {
    rule: 'a transaction has an open hold exactly while it is neither ended nor waiting for its deposit',
    sql: `select t.id, t.state, h.state as hold from transactions t left join holds h on h.transaction_id = t.id
           where (t.state in ('COMPLETE', 'FAILED', 'REVERSED', 'AWAITING_FUNDS', 'CONFIRMING')) = (h.state is not distinct from 'open')`,
  },
  ...ADJUSTMENT_CHECKS,
  ...FLOAT_CHECKS,
  ...DEPOSIT_CHECKS,
  ...REFUND_CHECKS,
  {
    rule: 'an attempt that may still pay is the current attempt of its transaction, and the transaction waits for it',
    sql: `select a.transaction_id, a.attempt_no, a.state, t.state as transaction_state from attempts a join transactions t on t.id = a.transaction_id
           where a.state in ('INTENT', 'SENDING', 'PENDING', 'UNKNOWN')
             and (t.attempt_no <> a.attempt_no or t.state not in ('SUBMITTING', 'SUBMITTED', 'IN_DOUBT', 'REVIEW'))`,
  },
  {
    rule: 'each duplicate payment that was not returned is posted, and no other one is',
    sql: `with posted as (
            select transaction_id, sum(case when kind in ('duplicate_payment', 'duplicate_payment_ours') then 1 when kind in ('duplicate_payment_returned', 'duplicate_payment_ours_returned') then -1 else 0 end) as standing
              from postings where kind in ('duplicate_payment', 'duplicate_payment_ours', 'duplicate_payment_returned', 'duplicate_payment_ours_returned') group by transaction_id),
          kept as (select transaction_id, count(*) filter (where unwound_at is null) as standing from duplicate_payment group by transaction_id)
          select transaction_id, posted.standing::text as posted, kept.standing::text as kept from posted full join kept using (transaction_id)
           where posted.standing is distinct from kept.standing`,
  },
  {
    rule: 'a partner owes a duplicate payment exactly when it has its money back',
    sql: `select p.transaction_id, t.state, p.owed from duplicate_payment p join transactions t on t.id = p.transaction_id
           where p.unwound_at is null and p.owed <> (t.state in ('FAILED', 'REVERSED') and not ${PAYMENT_STANDS_SQL})`,
  },
  {
    rule: 'every posting has an entry',
    sql: `select p.reference from postings p where not exists (select 1 from entries e where e.posting_id = p.id)`,
  },
  {
    rule: 'the state of a transaction is the last state of its history',
    sql: `select t.id, t.state, t.sequence from transactions t left join transitions x on x.transaction_id = t.id and x.sequence = t.sequence
           where x.to_state is distinct from t.state`,
  },
  {
    rule: 'each transaction is due, has an open attempt, has ended, is in review, or waits for its deposit',
    sql: `select t.id, t.state from transactions t
            left join attempts a on a.transaction_id = t.id and a.attempt_no = t.attempt_no and a.state in ('INTENT', 'SENDING', 'PENDING', 'UNKNOWN')
           where t.state not in ('COMPLETE', 'FAILED', 'REVERSED', 'REVIEW', 'AWAITING_FUNDS', 'CONFIRMING') and t.due_at is null and a.next_at is null`,
  },
];

/** Reads only. Needs one snapshot (repeatable read). */
export async function checkLedger(snapshot: Queryable): Promise<LedgerReport> {
  const checks: LedgerCheck[] = [];
  for (const { rule, sql } of CHECKS) {
    checks.push({ rule, broken: await snapshot.query(`select * from (${sql}) broken limit ${BROKEN_ROWS_SHOWN}`) });
  }
  const balances = await snapshot.query<{ name: string; minor: string }>(
    `with flows as (${FLOWS}) select a.name, coalesce(f.minor, 0)::text as minor from accounts a left join flows f on f.account = a.id order by a.name`,
  );
  return {
    ok: checks.every((check) => check.broken.length === 0),
    checks,
    balances: balances.map(({ name, minor }) => ({ name, balanceMinor: minor })),
  };
}
