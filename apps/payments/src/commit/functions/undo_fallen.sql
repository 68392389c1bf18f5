-- Failed commits give back what they took. Those that lost to them are sent again.
create function undo_fallen(p_fallen text[], p_transactions jsonb, p_pays jsonb, p_marks jsonb,
    inout p_outcome text[], inout p_existing bigint[]) language plpgsql as $$
declare
  r record;
begin
  delete from transaction_keys k
    using jsonb_to_recordset(p_transactions) as w(n integer, id bigint, partner_id integer, transaction_code text)
    where p_outcome[w.n + 1] = any(p_fallen)
      and k.partner_id = w.partner_id and k.reference = w.transaction_code and k.transaction_id = w.id;
  delete from pays y using jsonb_to_recordset(p_pays) as w(n integer, id bigint)
    where p_outcome[w.n + 1] = any(p_fallen) and y.transaction_id = w.id;
  delete from quote_uses u using jsonb_to_recordset(p_pays) as w(n integer, id bigint)
    where p_outcome[w.n + 1] = any(p_fallen) and u.transaction_id = w.id;
  delete from inbox i using jsonb_to_recordset(p_marks) as x(n integer, consumer_group text, event_id uuid, occurred_at timestamptz)
    where p_outcome[x.n + 1] = 'insufficient'
      and i.event_id = x.event_id and i.consumer_group = x.consumer_group and i.occurred_at = x.occurred_at;
  for r in
    select w.n from jsonb_to_recordset(p_transactions) as w(n integer)
      join jsonb_to_recordset(p_transactions) as fallen(n integer, id bigint) on fallen.id = p_existing[w.n + 1]
     where p_outcome[fallen.n + 1] = any(p_fallen)
  loop
    p_outcome[r.n + 1] := 'again';
    p_existing[r.n + 1] := null;
  end loop;
end $$;
