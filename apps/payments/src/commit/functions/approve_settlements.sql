create function approve_settlements(p_at timestamptz, p_outcome text[], p_settlements jsonb) returns boolean language plpgsql as $$
begin
  update settlements s set approved_by = x.approved_by, approved_at = p_at
    from jsonb_to_recordset(p_settlements) as x(n integer, id bigint, approved_by text)
   where s.id = x.id and p_outcome[x.n + 1] = 'ok';
  return true;
end $$;
