-- A payout that was limited by one of its batch which then lacked money is sent again.
create function recount_velocity(p_velocity jsonb, inout p_outcome text[], inout p_existing bigint[]) language plpgsql as $$
declare
  r record;
begin
  for r in
    select distinct v.n
      from jsonb_to_recordset(p_velocity) as v(n integer, partner_id integer, per text, subject text, currency text, span text)
      join jsonb_to_recordset(p_velocity) as fallen(n integer, partner_id integer, per text, subject text, currency text, span text)
        on fallen.n < v.n and fallen.partner_id = v.partner_id and fallen.per = v.per and fallen.subject = v.subject
          and fallen.currency = v.currency and fallen.span = v.span
     where p_outcome[v.n + 1] = 'limited' and p_outcome[fallen.n + 1] = 'insufficient'
  loop
    p_outcome[r.n + 1] := 'again';
    p_existing[r.n + 1] := null;
  end loop;
end $$;
