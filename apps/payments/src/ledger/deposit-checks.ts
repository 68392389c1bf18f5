/** Standing rules of deposits on chain: each one's value came in once, and is where its row says. */
export const DEPOSIT_CHECKS: readonly { readonly rule: string; readonly sql: string }[] = [
  {
    rule: 'deposits that are unapplied add up to what is on that account, by partner and asset',
    sql: `select coalesce(d.partner_id, a.partner_id) as partner_id, coalesce(d.asset, a.asset) as asset, d.minor::text as deposits, a.balance_minor::text as account
            from (select partner_id, asset, sum(received_minor) as minor from deposits where state = 'unapplied' group by 1, 2) d
            full join (select partner_id, asset, balance_minor from accounts where kind = 'unapplied' and balance_minor <> 0) a
              on a.partner_id = d.partner_id and a.asset = d.asset
           where d.minor is distinct from a.balance_minor`,
  },
  {
    rule: 'each deposit came into the ledger once, from its chain, with all that it is',
    sql: `with arrived as (
            select q.reference, f.name as chain, e.asset, sum(e.amount_minor) as minor from postings q join entries e on e.posting_id = q.id
              join accounts f on f.id = e.from_account where q.kind in ('P2', 'P3') group by 1, 2, 3)
          select coalesce('deposit:' || d.deposit_id, a.reference) as reference, d.received_minor::text as deposit, a.minor::text as posted
            from deposits d full join arrived a on a.reference = 'deposit:' || d.deposit_id
           where a.minor is distinct from d.received_minor or a.asset is distinct from d.asset or a.chain is distinct from 'chain:' || d.chain || ':' || d.asset`,
  },
  {
    rule: 'a deposit funds a transaction from its verdict on, and no longer than until that fails',
    sql: `select d.deposit_id, d.state, t.id, t.state as transaction_state from deposits d join transactions t on t.id = d.transaction_id
           where d.state = 'funding' and t.state in ('AWAITING_FUNDS', 'CONFIRMING', 'FAILED')
              or d.is_main and d.state not in ('funding', 'reverted') and t.state <> 'FAILED'`,
  },
  {
    rule: 'what is credited of deposits was posted, and nothing else was',
    sql: `with moved as (
            select case q.kind when 'P14' then split_part(q.reference, ':', 2)::bigint when 'P12_wallet' then f.deposit_id else d.deposit_id end as deposit_id
              from postings q left join deposits d on q.kind = 'P6' and d.transaction_id = q.transaction_id and d.is_main
              left join refunds f on q.kind = 'P12_wallet' and f.refund_id = split_part(q.reference, ':', 2)::bigint
             where q.kind in ('P14', 'P12_wallet') or (q.kind = 'P6' and d.deposit_id is not null)),
          kept as (select deposit_id from deposits where state = 'credited')
          select coalesce(kept.deposit_id, moved.deposit_id) as deposit_id, kept.deposit_id is not null as kept, moved.deposit_id is not null as posted
            from kept full join moved using (deposit_id)
           where (kept.deposit_id is null or moved.deposit_id is null)
             and not exists (select from deposits gone where gone.deposit_id = coalesce(kept.deposit_id, moved.deposit_id) and gone.state = 'reverted')`,
  },
  {
    rule: 'what vanished was taken back once and whole, to its chain, and nothing else was',
    sql: `with taken as (
            select q.reference, split_part(q.reference, ':', 2)::bigint as deposit_id, e.asset, f.name as chain, e.amount_minor as minor
              from postings q join entries e on e.posting_id = q.id join accounts f on f.id = e.to_account
             where q.kind in ('P10a', 'P10b', 'P10b_unapplied', 'P10b_refunding') and f.kind = 'chain'
               -- Signed after that: it was given again, and is owed (P10b).
               and not exists (select from postings u where q.kind = 'P10b_refunding' and u.reference = 'p10b-refunding-unwind:' || split_part(q.reference, ':', 2)))
          select coalesce(d.deposit_id, t.deposit_id) as deposit_id, d.received_minor::text as deposit, t.minor::text as taken
            from (select * from deposits where state = 'reverted') d full join taken t on t.deposit_id = d.deposit_id
           where t.minor is distinct from d.received_minor or t.asset is distinct from d.asset or t.chain is distinct from 'chain:' || d.chain || ':' || d.asset
              or (select count(*) from taken twice where twice.deposit_id = d.deposit_id) > 1`,
  },
  {
    rule: 'a hash is claimed once by a partner while it is not released, and only what failed has released its own',
    sql: `select y.transaction_id, t.state from pays y join transactions t on t.id = y.transaction_id where y.released_at is not null and t.state <> 'FAILED'`,
  },
];
