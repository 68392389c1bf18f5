const MOVED = `
  select 'float-movement:' || m.id as reference, m.kind, x.leg_no, x.asset, x.minor,
         case when y.is_back then x.target else x.source end as source, case when y.is_back then x.source else x.target end as target
    from float_movements m
    cross join lateral (select m.kind in ('float_withdrawn', 'provider_fee_returned', 'bank_withdrawn', 'stablecoin_bought') as is_back,
                               'rail:' || m.provider || ':' || m.wallet || ':' || m.currency as rail, 'bank:' || m.currency as bank) y
    cross join lateral (
      select 0 as leg_no, m.currency as asset, m.amount_minor as minor, y.rail as source, y.bank as target where m.kind in ('float_funded', 'float_withdrawn')
      union all select 0, m.currency, m.amount_minor, 'rail_cost:' || m.currency, y.rail where m.kind in ('provider_fee', 'provider_fee_returned')
      union all select 0, m.currency, m.amount_minor, y.bank, 'treasury:' || m.currency where m.kind in ('bank_funded', 'bank_withdrawn')
      union all select 0, m.asset, m.tokens_minor, 'fx:' || m.asset, 'chain:' || split_part(m.asset, '@', 2) || ':' || m.asset where m.kind in ('stablecoin_sold', 'stablecoin_bought')
      union all select 1, m.currency, m.amount_minor, y.bank, 'fx:' || m.currency where m.kind in ('stablecoin_sold', 'stablecoin_bought')) x
   where m.approved_at is not null`;

export const FLOAT_CHECKS: readonly { readonly rule: string; readonly sql: string }[] = [
  {
    rule: 'each approved float movement is posted once, with its amounts and accounts, and no other one is',
    sql: `with agreed as (${MOVED}),
          posted as (
            select p.reference, p.kind, e.leg_no, e.asset, e.amount_minor as minor, f.name as source, t.name as target from postings p
              left join entries e on e.posting_id = p.id left join accounts f on f.id = e.from_account left join accounts t on t.id = e.to_account
             where p.kind in ('float_funded', 'float_withdrawn', 'provider_fee_returned', 'bank_funded', 'bank_withdrawn', 'stablecoin_sold', 'stablecoin_bought')
                or (p.kind = 'provider_fee' and p.reference not like 'provider-fee:%'))
          select coalesce(a.reference, p.reference) as reference, a.minor::text as agreed, p.minor::text as posted
            from agreed a full join posted p on p.reference = a.reference and p.leg_no = a.leg_no
           where (p.kind, p.asset, p.minor, p.source, p.target) is distinct from (a.kind, a.asset, a.minor, a.source, a.target)`,
  },
  {
    rule: 'each fee told by a provider is posted on the float of an attempt that it paid',
    sql: `select p.reference, t.name as float from postings p join entries e on e.posting_id = p.id join accounts t on t.id = e.to_account
            left join attempts a on a.transaction_id = p.transaction_id and a.state = 'PAID' and p.reference = 'provider-fee:' || a.transaction_id || ':' || a.attempt_no
           where p.kind = 'provider_fee' and p.reference like 'provider-fee:%'
             and t.name is distinct from 'rail:' || a.provider || ':' || a.wallet || ':' || e.asset`,
  },
  {
    rule: 'each payment is posted on the float of the attempt that made it',
    sql: `select p.reference, r.name as float from postings p join transactions t on t.id = p.transaction_id
            join entries e on e.posting_id = p.id join accounts r on r.id in (e.from_account, e.to_account) and r.kind = 'rail'
            join attempts a on a.transaction_id = t.id and a.attempt_no = coalesce(t.paid_attempt_no, t.attempt_no)
           where p.kind in ('payout_settled', 'payout_reversed') and r.name <> 'rail:' || a.provider || ':' || a.wallet || ':' || t.currency
          union all
          select p.reference, r.name from postings p join transactions t on t.id = p.transaction_id
            join entries e on e.posting_id = p.id join accounts r on r.id in (e.from_account, e.to_account) and r.kind = 'rail'
           where p.kind in ('duplicate_payment', 'duplicate_payment_ours', 'duplicate_payment_returned', 'duplicate_payment_ours_returned')
             and not exists (select from duplicate_payment d where d.transaction_id = t.id and r.name = 'rail:' || d.provider || ':' || d.wallet || ':' || t.currency)`,
  },
];
