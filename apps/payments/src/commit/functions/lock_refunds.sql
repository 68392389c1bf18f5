-- New refunds need no lock: the patch of their deposit holds it.
create function lock_refunds(p_refund_patches jsonb, p_refunds jsonb, inout p_outcome text[]) language plpgsql as $$
declare
  v_taken bigint[] := '{}';
  r       record;
begin
  for r in
    select x.n, x.refund_id, f.state as found, x.expected
      from jsonb_to_recordset(p_refund_patches) as x(n integer, refund_id bigint, expected text)
      join refunds f on f.refund_id = x.refund_id
     order by x.refund_id, x.n for no key update of f
  loop
    continue when p_outcome[r.n + 1] <> 'ok';
    if r.found <> r.expected then
      p_outcome[r.n + 1] := 'stale';
    elsif r.refund_id = any(v_taken) then
      p_outcome[r.n + 1] := 'again';
    else
      v_taken := v_taken || r.refund_id;
    end if;
  end loop;
  for r in
    select x.n, f.refund_id = x.refund_id as is_this
      from jsonb_to_recordset(p_refunds) as x(n integer, refund_id bigint, deposit_id bigint)
      join refunds f on f.deposit_id = x.deposit_id and f.state <> 'FAILED'
  loop
    continue when p_outcome[r.n + 1] <> 'ok';
    p_outcome[r.n + 1] := case when r.is_this then 'exists' else 'stale' end;
  end loop;
end $$;
