create function write_transitions(p_at timestamptz, p_outcome text[], p_transitions jsonb) returns boolean language plpgsql as $$
begin
  insert into transitions (transaction_id, sequence, from_state, to_state, event, attempt_no, detail, at)
    select x.id, x.sequence, x.from_state, x.to_state, x.event, x.attempt_no, x.detail, p_at
      from jsonb_to_recordset(p_transitions) as x(n integer, id bigint, sequence integer, from_state text, to_state text, event text,
        attempt_no smallint, detail text)
     where p_outcome[x.n + 1] = 'ok';
  return true;
end $$;
