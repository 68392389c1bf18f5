create function write_outbox(p_at timestamptz, p_outcome text[], p_outbox jsonb) returns boolean language plpgsql as $$
begin
  insert into outbox (bucket, topic, key, sequence, event_id, envelope, macs, created_at)
    select x.bucket, x.topic, x.key, x.sequence, x.event_id, x.envelope, x.macs, p_at
      from jsonb_to_recordset(p_outbox) as x(n integer, bucket smallint, topic text, key text, sequence integer, event_id uuid,
        envelope text, macs text)
     where p_outcome[x.n + 1] = 'ok';
  return true;
end $$;
