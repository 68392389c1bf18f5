export const ADJUSTMENT_CHECKS: readonly { readonly rule: string; readonly sql: string }[] = [
  {
    rule: 'each approved adjustment is posted once, with its amount, and no other one is',
    sql: `with posted as (
            select p.reference, p.kind, e.asset, e.amount_minor, f.name as source, t.name as target from postings p
              left join entries e on e.posting_id = p.id left join accounts f on f.id = e.from_account left join accounts t on t.id = e.to_account
             where p.kind in ('wallet_topped_up', 'wallet_debited')),
          agreed as (
            select 'wallet-topped-up:' || id as reference, case direction when 'fund' then 'wallet_topped_up' else 'wallet_debited' end as kind, currency as asset, amount_minor,
                   case direction when 'fund' then 'bank:' || currency else 'wallet:' || partner_id || ':' || currency end as source,
                   case direction when 'fund' then 'wallet:' || partner_id || ':' || currency else 'bank:' || currency end as target
              from adjustments where approved_at is not null)
          select coalesce(a.reference, p.reference) as reference, a.amount_minor::text as agreed, p.amount_minor::text as posted
            from agreed a full join posted p on p.reference = a.reference
           where (p.kind, p.asset, p.amount_minor, p.source, p.target) is distinct from (a.kind, a.asset, a.amount_minor, a.source, a.target)`,
  },
];
