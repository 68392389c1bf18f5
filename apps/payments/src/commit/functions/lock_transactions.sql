-- Compare-and-set on the sequence, under the row locks.
create function lock_transactions(p_expected jsonb, inout p_outcome text[]) language plpgsql as $$
declare
  r record;
begin
  perform 1 from transactions t
    where t.id in (select e.id from jsonb_to_recordset(p_expected) as e(id bigint)) order by t.id for no key update;
  for r in
    select e.n, e.expected, e.commit_id, t.sequence, t.last_commit_id
      from jsonb_to_recordset(p_expected) as e(n integer, id bigint, expected integer, commit_id uuid)
      left join transactions t on t.id = e.id
  loop
    if r.last_commit_id = r.commit_id then
      p_outcome[r.n + 1] := 'sent_before';
    elsif r.sequence is distinct from r.expected then
      p_outcome[r.n + 1] := 'stale';
    end if;
  end loop;
end $$;
