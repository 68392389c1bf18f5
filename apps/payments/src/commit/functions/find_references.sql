-- A posting without a transaction (opening, top-up) is identified by its reference.
create function find_references(p_lone jsonb, inout p_outcome text[]) language plpgsql as $$
declare
  r record;
begin
  for r in
    select l.n from jsonb_to_recordset(p_lone) as l(n integer, reference text) join postings q on q.reference = l.reference
  loop
    p_outcome[r.n + 1] := 'exists';
  end loop;
end $$;
