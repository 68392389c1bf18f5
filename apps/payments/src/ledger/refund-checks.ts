import { USED_SQL } from '../value/index.js';

/** The ledger holds their value on `refunding`. */
const UNDER_WAY = `('HELD', 'GRANTED', 'SIGNED', 'BROADCAST')`;
const UNSIGNED = `('HELD', 'GRANTED')`;

/** By posting; a reversal belongs to the newest refund of its deposit. */
const MOVED = `
  select f.refund_id, case when a.id = e.to_account then e.amount_minor else -e.amount_minor end as minor
    from postings q join entries e on e.posting_id = q.id join accounts a on a.id in (e.from_account, e.to_account) and a.kind = 'refunding'
    join refunds f on case
      when q.kind in ('refund_held', 'refund_hold_withdrawn') then f.origin = 'refund_held' and f.transaction_id = q.transaction_id
      when q.kind in ('refunding_deposit_vanished', 'refunding_deposit_restored') then f.refund_id = (select max(newest.refund_id) from refunds newest where newest.deposit_id = split_part(q.reference, ':', 2)::bigint)
      else f.refund_id = split_part(q.reference, ':', 2)::bigint end
   where q.kind in ('refund_held', 'refund_hold_withdrawn', 'refunding_deposit_vanished', 'refunding_deposit_restored', 'unapplied_refund_held', 'refund_settled', 'refund_failed_to_unapplied', 'refund_failed_to_wallet')`;

export const REFUND_CHECKS: readonly { readonly rule: string; readonly sql: string }[] = [
  {
    rule: 'open refunds equal the refunding balance, by partner and asset',
    sql: `select coalesce(f.partner_id, a.partner_id) as partner_id, coalesce(f.asset, a.asset) as asset, f.minor::text as refunds, a.balance_minor::text as account
            from (select partner_id, asset, sum(minor) as minor from (
                    select partner_id, asset, amount_minor as minor from refunds where state in ${UNDER_WAY}
                    -- Of a release without refunds: it gets its own within the minute.
                    union all select partner_id, asset, received_minor from deposits d
                     where state = 'refunding' and not exists (select from refunds r where r.deposit_id = d.deposit_id)) x group by 1, 2) f
            full join (select partner_id, asset, balance_minor from accounts where kind = 'refunding' and balance_minor <> 0) a
              on a.partner_id = f.partner_id and a.asset = f.asset
           where f.minor is distinct from a.balance_minor`,
  },
  {
    rule: 'each refund holds its whole value until it ends, and nothing afterwards',
    sql: `select f.refund_id, f.state, f.amount_minor::text as amount, m.minor::text as held
            from refunds f left join (select refund_id, sum(minor) as minor from (${MOVED}) x group by 1) m on m.refund_id = f.refund_id
           where m.minor is distinct from case when f.state in ${UNDER_WAY} then f.amount_minor else 0 end`,
  },
  {
    rule: 'a deposit is refunding until its refund is signed, and refunded afterwards, unless it vanished',
    sql: `select d.deposit_id, d.state, f.refund_id, f.state as refund_state
            from deposits d left join refunds f on f.deposit_id = d.deposit_id and f.state <> 'FAILED'
           where case when f.state is null then d.state = 'refunded'
                      when f.state in ${UNSIGNED} then d.state <> 'refunding'
                      else d.state not in ('refunded', 'reverted') end
              or f.refund_id is not null and (f.asset <> d.asset or f.amount_minor <> d.received_minor - ${USED_SQL} or f.partner_id <> d.partner_id)`,
  },
  {
    rule: 'failed-paid-and-refunding: a FAILED transaction that was paid and is refunded on chain is owed by its partner, with an incident',
    // A standing payment is payout_settled if known before a signature was possible; else duplicate_payment, which
    // the partner owes.
    sql: `select t.id, f.refund_id, f.state as refund_state, a.attempt_no, a.owed from transactions t
            join deposits d on d.transaction_id = t.id and d.is_main
            join refunds f on f.deposit_id = d.deposit_id and f.state <> 'FAILED'
            left join duplicate_payment a on a.transaction_id = t.id and a.unwound_at is null
           where t.state = 'FAILED' and (
                 exists (select from postings q where q.transaction_id = t.id and q.kind = 'payout_settled')
                   and not exists (select from postings q where q.transaction_id = t.id and q.kind = 'payout_reversed')
              or a.transaction_id is not null and not (a.owed
                   and (select coalesce(sum(case q.kind when 'duplicate_payment' then 1 else -1 end), 0) from postings q where q.transaction_id = t.id and q.kind in ('duplicate_payment', 'duplicate_payment_returned')) > 0
                   and exists (select from incidents i where i.transaction_id = t.id and i.attempt_no = a.attempt_no)))`,
  },
];
