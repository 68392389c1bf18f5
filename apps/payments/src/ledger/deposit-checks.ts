/** An account on which deposits wait, and the state of those whose value is there. */
const waitingOn = (kind: 'unapplied' | 'refunding'): { readonly rule: string; readonly sql: string } => ({
  rule: `deposits that are ${kind} add up to what is on that account, by partner and asset`,
  sql: `select coalesce(d.partner_id, a.partner_id) as partner_id, coalesce(d.asset, a.asset) as asset, d.minor::text as deposits, a.balance_minor::text as account
          from (select partner_id, asset, sum(received_minor) as minor from deposits where state = '${kind}' group by 1, 2) d
          full join (select partner_id, asset, balance_minor from accounts where kind = '${kind}' and balance_minor <> 0) a
            on a.partner_id = d.partner_id and a.asset = d.asset
         where d.minor is distinct from a.balance_minor`,
});

/** Standing rules of deposits on chain: each one's value came in once, and is where its row says. */
export const DEPOSIT_CHECKS: readonly { readonly rule: string; readonly sql: string }[] = [
  waitingOn('unapplied'),
  waitingOn('refunding'),
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
              or d.is_main and d.state <> 'funding' and t.state <> 'FAILED'`,
  },
  {
    rule: 'what is credited or refunded of deposits was posted, and nothing else was',
    sql: `with moved as (
            select case q.kind when 'P14' then split_part(q.reference, ':', 2)::bigint else d.deposit_id end as deposit_id,
                case q.kind when 'P7' then 'refunding' else 'credited' end as state
              from postings q left join deposits d on d.transaction_id = q.transaction_id and d.is_main
             where q.kind in ('P7', 'P14') or (q.kind = 'P6' and d.deposit_id is not null)),
          kept as (select deposit_id, state from deposits where state in ('credited', 'refunding'))
          select deposit_id, kept.state, moved.state as posted from kept full join moved using (deposit_id) where kept.state is distinct from moved.state`,
  },
  {
    rule: 'a hash is claimed once by a partner while it is not released, and only what failed has released its own',
    sql: `select y.transaction_id, t.state from pays y join transactions t on t.id = y.transaction_id where y.released_at is not null and t.state <> 'FAILED'`,
  },
];
