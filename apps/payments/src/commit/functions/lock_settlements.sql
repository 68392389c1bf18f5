-- A settlement is carried out once. A constraint requires two people.
create function lock_settlements(p_settlements jsonb, inout p_outcome text[]) language plpgsql as $$
declare
  r record;
begin
  for r in
    select x.n, s.approved_at, s.withdrawn_at
      from jsonb_to_recordset(p_settlements) as x(n integer, id bigint) join settlements s on s.id = x.id
     order by x.id for no key update of s
  loop
    if (r.approved_at is not null or r.withdrawn_at is not null) and p_outcome[r.n + 1] = 'ok' then
      p_outcome[r.n + 1] := 'superseded';
    end if;
  end loop;
end $$;
