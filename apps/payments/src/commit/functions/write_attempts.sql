create function write_attempts(p_at timestamptz, p_outcome text[], p_attempts jsonb, p_attempt_patches jsonb)
returns boolean language plpgsql as $$
begin
  if p_attempts is not null then
    insert into attempts (transaction_id, attempt_no, provider_reference, provider, wallet, state, amount_minor, next_at, created_at, updated_at)
      select x.id, x.attempt_no, x.provider_reference, x.provider, x.wallet, x.state, x.amount_minor, x.next_at, p_at, p_at
        from jsonb_to_recordset(p_attempts) as x(n integer, id bigint, attempt_no smallint, provider_reference uuid, provider text, wallet text,
          state text, amount_minor numeric, next_at timestamptz)
       where p_outcome[x.n + 1] = 'ok';
  end if;
  if p_attempt_patches is not null then
    update attempts a set state = x.state, lease_until = null, provider_detail = x.provider_detail, updated_at = p_at,
        -- The statement named it during the call: poll again at once.
        next_at = case when a.hinted_fence = a.fence then p_at else x.next_at end,
        receipt_number = coalesce(a.receipt_number, x.receipt_number), late_until = coalesce(x.late_until, a.late_until),
        ended_by = coalesce(x.ended_by, a.ended_by), ended_at = coalesce(a.ended_at, case when x.ended_by is not null then p_at end),
        -- lock_attempts has refused another one.
        provider_payment_id = coalesce(a.provider_payment_id, x.provider_payment_id)
      from jsonb_to_recordset(p_attempt_patches) as x(n integer, id bigint, attempt_no smallint, state text, next_at timestamptz,
        receipt_number text, provider_detail text, late_until timestamptz, ended_by text, provider_payment_id text)
     where a.transaction_id = x.id and a.attempt_no = x.attempt_no and p_outcome[x.n + 1] = 'ok';
  end if;
  return true;
end $$;
