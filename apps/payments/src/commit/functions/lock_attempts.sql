-- Only the current claim may record its answer: after a lost claim it proves nothing. Nor may it replace the
-- provider's own id by another one.
create function lock_attempts(p_attempt_patches jsonb, inout p_outcome text[]) language plpgsql as $$
declare
  r record;
begin
  for r in
    select x.n, a.fence <> x.fence or a.provider_payment_id <> x.provider_payment_id as is_refused
      from jsonb_to_recordset(p_attempt_patches) as x(n integer, id bigint, attempt_no smallint, fence integer, provider_payment_id text)
      join attempts a on a.transaction_id = x.id and a.attempt_no = x.attempt_no
     order by x.id, x.attempt_no for no key update of a
  loop
    if r.is_refused and p_outcome[r.n + 1] = 'ok' then
      p_outcome[r.n + 1] := 'superseded';
    end if;
  end loop;
end $$;
