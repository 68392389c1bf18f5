import { USED_SQL } from '../value/index.js';
import { PAYMENT_STANDS_SQL } from '../transactions/index.js';

/** Checkout splits orders with more deposits into several events. */
const USES_TOLD_AT_ONCE = 40;

/** Each deposit's value came in once, and is where its row says. */
export const DEPOSIT_CHECKS: readonly { readonly rule: string; readonly sql: string }[] = [
  {
    rule: 'unapplied deposits, minus what orders used of them, equal the unapplied balance, by partner and asset',
    sql: `select coalesce(d.partner_id, a.partner_id) as partner_id, coalesce(d.asset, a.asset) as asset, d.minor::text as deposits, a.balance_minor::text as account
            from (select partner_id, asset, sum(d.received_minor - ${USED_SQL}) as minor from deposits d where state in ('unapplied', 'ordered') group by 1, 2) d
            full join (select partner_id, asset, balance_minor from accounts where kind = 'unapplied' and balance_minor <> 0) a
              on a.partner_id = d.partner_id and a.asset = d.asset
           where d.minor is distinct from a.balance_minor`,
  },
  {
    rule: 'each deposit is posted once, from its chain, with its full value',
    sql: `with arrived as (
            select q.reference, f.name as chain, e.asset, sum(e.amount_minor) as minor from postings q join entries e on e.posting_id = q.id
              join accounts f on f.id = e.from_account where q.kind in ('deposit_received', 'deposit_unapplied') group by 1, 2, 3)
          select coalesce('deposit:' || d.deposit_id, a.reference) as reference, d.received_minor::text as deposit, a.minor::text as posted
            from deposits d full join arrived a on a.reference = 'deposit:' || d.deposit_id
           where a.minor is distinct from d.received_minor or a.asset is distinct from d.asset or a.chain is distinct from 'chain:' || d.chain || ':' || d.asset`,
  },
  {
    rule: 'a deposit funds a transaction from its verdict until the transaction fails unpaid',
    // A FAILED transaction that was paid before its refund was granted uses its deposit again.
    sql: `select d.deposit_id, d.state, t.id, t.state as transaction_state from deposits d join transactions t on t.id = d.transaction_id
           where d.state = 'funding' and (t.state in ('AWAITING_FUNDS', 'CONFIRMING') or t.state = 'FAILED' and (
                     not ${PAYMENT_STANDS_SQL} or exists (select from refunds f where f.deposit_id = d.deposit_id and f.state <> 'FAILED')))
              or d.is_main and d.state not in ('funding', 'reverted') and t.state <> 'FAILED'`,
  },
  {
    rule: 'each credited deposit is posted as credited, and no other one is',
    sql: `with moved as (
            select case q.kind when 'refund_failed_to_wallet' then f.deposit_id when 'payout_released' then d.deposit_id when 'payout_reversed' then d.deposit_id else split_part(q.reference, ':', 2)::bigint end as deposit_id
              from postings q left join deposits d on q.kind in ('payout_released', 'payout_reversed') and d.transaction_id = q.transaction_id and d.is_main
              left join refunds f on q.kind = 'refund_failed_to_wallet' and f.refund_id = split_part(q.reference, ':', 2)::bigint
             where q.kind in ('unapplied_credited', 'refund_failed_to_wallet') or (q.kind = 'payout_released' and d.deposit_id is not null)
                -- REVERSED says so by itself.
                or (q.kind = 'payout_reversed' and d.deposit_id is not null and exists (select from transactions t where t.id = q.transaction_id and t.state = 'FAILED'))
                -- An order's, whole. What it has used in part is where the rest is.
                or (q.kind = 'order_settled' and exists (select from entries e join deposits w on w.asset = e.asset and w.received_minor = e.amount_minor
                     where e.posting_id = q.id and w.deposit_id = split_part(q.reference, ':', 2)::bigint))),
          kept as (select deposit_id from deposits where state = 'credited')
          select coalesce(kept.deposit_id, moved.deposit_id) as deposit_id, kept.deposit_id is not null as kept, moved.deposit_id is not null as posted
            from kept full join moved using (deposit_id)
           where (kept.deposit_id is null or moved.deposit_id is null)
             and not exists (select from deposits gone where gone.deposit_id = coalesce(kept.deposit_id, moved.deposit_id) and gone.state = 'reverted')`,
  },
  {
    rule: 'each vanished deposit is reversed once, in full, to its chain, and no other one is',
    // In parts if an order used some. Restored value (a signed refund, a COMPLETE order) is owed.
    sql: `with taken as (
            select split_part(q.reference, ':', 2)::bigint as deposit_id, e.asset, c.name as chain,
                   sum(case when c.id = e.to_account then e.amount_minor else -e.amount_minor end) as minor
              from postings q join entries e on e.posting_id = q.id join accounts c on c.id in (e.from_account, e.to_account) and c.kind = 'chain'
             where q.kind in ('deposit_vanished_unpaid', 'deposit_vanished_paid', 'order_deposit_vanished', 'unapplied_deposit_vanished', 'unapplied_deposit_restored', 'refunding_deposit_vanished', 'refunding_deposit_restored') group by 1, 2, 3)
          select coalesce(d.deposit_id, t.deposit_id) as deposit_id, d.received_minor::text as deposit, t.minor::text as taken
            from (select * from deposits where state = 'reverted') d full join taken t on t.deposit_id = d.deposit_id
           where t.minor is distinct from d.received_minor or t.asset is distinct from d.asset or t.chain is distinct from 'chain:' || d.chain || ':' || d.asset`,
  },
  {
    rule: 'an order is credited its amount, from its own deposits, after it has ended',
    // With very many deposits, in several commits.
    sql: `with shares as (
            select q.id, q.transaction_id, d.transaction_id as deposited, d.state from postings q
              left join deposits d on d.deposit_id = split_part(q.reference, ':', 2)::bigint where q.kind = 'order_settled'),
          credited as (
            select s.transaction_id, sum(e.amount_minor) filter (where a.kind = 'wallet' and a.asset = t.currency) as minor,
                   bool_and(s.deposited is not distinct from s.transaction_id and s.state <> 'ordered') as own
              from shares s left join transactions t on t.id = s.transaction_id join entries e on e.posting_id = s.id join accounts a on a.id = e.to_account group by 1)
          select coalesce(t.id, c.transaction_id) as id, t.amount_minor::text as amount, c.minor::text as credited, c.own
            from (select * from transactions where operation = 'checkout') t full join credited c on c.transaction_id = t.id
           where t.id is null or c.minor is null or not c.own or t.state <> 'COMPLETE' or c.minor > t.amount_minor
              or (c.minor < t.amount_minor and (select count(*) from deposits d where d.transaction_id = t.id) < ${USES_TOLD_AT_ONCE}) or not exists (select from order_credits o where o.transaction_id = t.id)`,
  },
  {
    rule: 'the tolerance that a pay got equals the shortfall of its deposit, and a returned payout returns all of it',
    // Payouts that older releases returned have no such entry.
    sql: `with ours as (
            select q.transaction_id, sum(e.amount_minor) filter (where q.kind = 'shortfall_covered') as given, sum(e.amount_minor) filter (where q.kind = 'payout_reversed') as back
              from postings q join entries e on e.posting_id = q.id join accounts f on f.kind = 'fx' and f.id in (e.from_account, e.to_account)
             where q.kind in ('shortfall_covered', 'payout_reversed') group by 1)
          select coalesce(d.transaction_id, o.transaction_id) as transaction_id, d.shortfall_minor::text as kept, o.given::text as given, o.back::text as back
            from (select * from deposits where shortfall_minor > 0) d full join ours o on o.transaction_id = d.transaction_id
           where o.given is distinct from d.shortfall_minor or o.back <> coalesce(d.shortfall_minor, 0)`,
  },
  {
    rule: 'only a failed pay has released its transaction hash',
    sql: `select y.transaction_id, t.state from pays y join transactions t on t.id = y.transaction_id where y.released_at is not null and t.state <> 'FAILED'`,
  },
];
