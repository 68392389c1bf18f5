-- A second delivery finds the first one's mark.
create function mark_inbox(p_marks jsonb, inout p_outcome text[]) language plpgsql as $$
declare
  v_marked uuid[];
  r        record;
begin
  with made as (
    insert into inbox as i (consumer_group, event_id, occurred_at)
    select consumer_group, event_id, occurred_at
      from jsonb_to_recordset(p_marks) as x(n integer, consumer_group text, event_id uuid, occurred_at timestamptz)
     where p_outcome[x.n + 1] = 'ok' order by event_id
    on conflict do nothing returning i.event_id
  ) select array_agg(made.event_id) into v_marked from made;
  for r in
    select x.n from jsonb_to_recordset(p_marks) as x(n integer, consumer_group text, event_id uuid, occurred_at timestamptz)
      join inbox i on i.event_id = x.event_id and i.consumer_group = x.consumer_group and i.occurred_at = x.occurred_at
     where p_outcome[x.n + 1] <> 'sent_before' and x.event_id <> all(coalesce(v_marked, '{}'))
  loop
    p_outcome[r.n + 1] := 'seen';
  end loop;
end $$;
