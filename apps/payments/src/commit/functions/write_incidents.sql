-- A repeat of an open incident is only counted.
create function write_incidents(p_at timestamptz, p_outcome text[], p_incidents jsonb) returns boolean language plpgsql as $$
declare
  r record;
begin
  for r in
    select x.id, x.attempt_no, x.state, x.event, x.detail
      from jsonb_to_recordset(p_incidents) as x(n integer, id bigint, attempt_no smallint, state text, event text, detail text)
     where p_outcome[x.n + 1] = 'ok'
  loop
    update incidents i set times = i.times + 1, last_at = p_at
     where i.transaction_id = r.id and i.attempt_no = r.attempt_no and i.state = r.state and i.event = r.event and i.resolved_at is null;
    if not found then
      insert into incidents (transaction_id, attempt_no, state, event, detail, at)
        values (r.id, r.attempt_no, r.state, r.event, r.detail, p_at);
    end if;
  end loop;
  return true;
end $$;
