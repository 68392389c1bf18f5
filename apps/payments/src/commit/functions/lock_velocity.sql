-- Locks the counters of new payouts, and of those that fail, in the order of their keys and by one statement: two
-- batches cannot lock each other out. Payouts then count in the given order. One that does not fit is `limited`, and
-- p_existing is minus the place (from 1) of the first limit that it does not fit.
create function lock_velocity(p_at timestamptz, p_velocity jsonb, p_returns jsonb, inout p_outcome text[], inout p_existing bigint[])
language plpgsql as $$
declare
  v_amounts numeric[];
  v_payouts integer[];
  v_over    integer;
  r         record;
begin
  insert into velocity_counters as c (partner_id, per, subject, currency, span, starts_at)
    select v.partner_id, v.per, v.subject, v.currency, v.span, date_trunc(v.span, p_at, 'UTC') as starts_at
      from jsonb_to_recordset(p_velocity) as v(n integer, partner_id integer, per text, subject text, currency text, span text)
     where p_outcome[v.n + 1] = 'ok'
    union
    select c.partner_id, c.per, c.subject, c.currency, c.span, c.starts_at
      from jsonb_to_recordset(p_returns) as x(n integer, id bigint)
      join counted_payouts q on q.transaction_id = x.id
      join velocity_counters c on c.id = any(q.counters) and c.starts_at > p_at - interval '2 days'
     where p_outcome[x.n + 1] = 'ok'
     order by 1, 2, 3, 4, 5, 6
    on conflict (partner_id, per, subject, currency, span, starts_at) do update set payouts = c.payouts;

  for r in
    select x.n, min(x.amount_minor) as amount, array_agg(x.slot order by x.place) as slots,
        array_agg(x.max_minor order by x.place) as max_minor, array_agg(x.max_payouts order by x.place) as max_payouts,
        array_agg(x.counted_minor order by x.place) as counted_minor, array_agg(x.payouts order by x.place) as payouts
      from (
        select v.n, v.place, v.amount_minor, v.max_minor, v.max_payouts, c.amount_minor as counted_minor, c.payouts,
            dense_rank() over (order by c.id) as slot
          from jsonb_to_recordset(p_velocity) as v(n integer, place integer, partner_id integer, per text, subject text, currency text,
            span text, amount_minor numeric, max_minor numeric, max_payouts integer)
          join velocity_counters c on c.partner_id = v.partner_id and c.per = v.per and c.subject = v.subject
            and c.currency = v.currency and c.span = v.span and c.starts_at = date_trunc(v.span, p_at, 'UTC')
         where p_outcome[v.n + 1] = 'ok') x
     group by x.n order by x.n
  loop
    v_over := null;
    for i in 1 .. cardinality(r.slots) loop
      -- What is in the row, until one of this batch has counted there.
      v_amounts[r.slots[i]] := coalesce(v_amounts[r.slots[i]], r.counted_minor[i]);
      v_payouts[r.slots[i]] := coalesce(v_payouts[r.slots[i]], r.payouts[i]);
      if v_over is null and (v_amounts[r.slots[i]] + r.amount > r.max_minor[i] or v_payouts[r.slots[i]] >= r.max_payouts[i]) then
        v_over := i;
      end if;
    end loop;
    if v_over is not null then
      p_outcome[r.n + 1] := 'limited';
      p_existing[r.n + 1] := -v_over;
    else
      for i in 1 .. cardinality(r.slots) loop
        v_amounts[r.slots[i]] := v_amounts[r.slots[i]] + r.amount;
        v_payouts[r.slots[i]] := v_payouts[r.slots[i]] + 1;
      end loop;
    end if;
  end loop;
end $$;
