-- A payout that fails gives back what it counted, if its hour and day are not long over.
create function count_velocity(p_at timestamptz, p_outcome text[], p_velocity jsonb, p_returns jsonb)
returns boolean language plpgsql as $$
begin
  if p_velocity is not null then
    with counted as (
      select v.id, c.id as counter, v.amount_minor
        from jsonb_to_recordset(p_velocity) as v(n integer, id bigint, partner_id integer, per text, subject text, currency text,
          span text, amount_minor numeric)
        join velocity_counters c on c.partner_id = v.partner_id and c.per = v.per and c.subject = v.subject
          and c.currency = v.currency and c.span = v.span and c.starts_at = date_trunc(v.span, p_at, 'UTC')
       where p_outcome[v.n + 1] = 'ok'
    ), noted as (
      insert into counted_payouts (transaction_id, counters, amount_minor, counted_at)
        select counted.id, array_agg(counted.counter), min(counted.amount_minor), p_at from counted group by counted.id
    )
    update velocity_counters c set amount_minor = c.amount_minor + s.amount, payouts = c.payouts + s.payouts
      from (select counter, sum(amount_minor) as amount, count(*) as payouts from counted group by counter) s
     where c.id = s.counter;
  end if;
  if p_returns is not null then
    with given_back as (
      delete from counted_payouts q using jsonb_to_recordset(p_returns) as x(n integer, id bigint)
       where q.transaction_id = x.id and p_outcome[x.n + 1] = 'ok' returning q.counters, q.amount_minor
    )
    update velocity_counters c set amount_minor = c.amount_minor - s.amount, payouts = c.payouts - s.payouts
      from (select u.counter, sum(g.amount_minor) as amount, count(*) as payouts
              from given_back g, unnest(g.counters) as u(counter) group by u.counter) s
     where c.id = s.counter and c.starts_at > p_at - interval '2 days';
  end if;
  return true;
end $$;
