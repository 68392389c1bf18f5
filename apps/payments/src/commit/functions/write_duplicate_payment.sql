create function write_duplicate_payment(p_at timestamptz, p_outcome text[], p_duplicate_payment jsonb, p_duplicate_payment_patches jsonb)
returns boolean language plpgsql as $$
begin
  insert into duplicate_payment (transaction_id, attempt_no, receipt_number, provider, wallet, amount_minor, owed, posted_at)
    select x.id, x.attempt_no, x.receipt_number, x.provider, x.wallet, x.amount_minor, x.owed, p_at
      from jsonb_to_recordset(p_duplicate_payment) as x(n integer, id bigint, attempt_no smallint, receipt_number text, provider text, wallet text,
        amount_minor numeric, owed boolean)
     where p_outcome[x.n + 1] = 'ok';
  update duplicate_payment p set owed = p.owed or x.owed,
      unwound_at = case when p.receipt_number = x.unwound and p.attempt_no = x.attempt_no then p_at else p.unwound_at end
    from jsonb_to_recordset(p_duplicate_payment_patches) as x(n integer, id bigint, attempt_no smallint, unwound text, owed boolean)
   where p.transaction_id = x.id and p.unwound_at is null and p_outcome[x.n + 1] = 'ok';
  return true;
end $$;
