-- A deposit's value leaves one place once.
create function lock_deposits(p_deposit_patches jsonb, p_refund_patches jsonb, inout p_outcome text[]) language plpgsql as $$
declare
  v_taken bigint[] := '{}';
  r       record;
begin
  for r in
    select x.n, x.deposit_id, d.state as found, x.expected, x.state
      from jsonb_to_recordset(p_deposit_patches) as x(n integer, deposit_id bigint, expected text, state text)
      join deposits d on d.deposit_id = x.deposit_id
     order by x.deposit_id, x.n for no key update of d
  loop
    continue when p_outcome[r.n + 1] <> 'ok';
    if r.found <> r.expected then
      p_outcome[r.n + 1] := 'stale';
    elsif r.expected = 'refunding' and r.state <> 'refunding' and exists (
        select from refunds f where f.deposit_id = r.deposit_id and f.state <> 'FAILED'
           and not exists (
             select from jsonb_to_recordset(p_refund_patches) as y(n integer, refund_id bigint)
              where y.n = r.n and y.refund_id = f.refund_id)) then
      -- It leaves only with its refund, which was created after this decision.
      p_outcome[r.n + 1] := 'stale';
    elsif r.deposit_id = any(v_taken) then
      p_outcome[r.n + 1] := 'again';
    else
      v_taken := v_taken || r.deposit_id;
    end if;
  end loop;
end $$;
