create function write_paid_again(p_at timestamptz, p_outcome text[], p_paid_again jsonb, p_paid_again_patches jsonb)
returns boolean language plpgsql as $$
begin
  insert into paid_again (transaction_id, attempt_no, receipt_number, rail, amount_minor, owed, posted_at)
    select x.id, x.attempt_no, x.receipt_number, x.rail, x.amount_minor, x.owed, p_at
      from jsonb_to_recordset(p_paid_again) as x(n integer, id bigint, attempt_no smallint, receipt_number text, rail text,
        amount_minor numeric, owed boolean)
     where p_outcome[x.n + 1] = 'ok';
  update paid_again p set owed = p.owed or x.owed,
      unwound_at = case when p.receipt_number = x.unwound and p.attempt_no = x.attempt_no then p_at else p.unwound_at end
    from jsonb_to_recordset(p_paid_again_patches) as x(n integer, id bigint, attempt_no smallint, unwound text, owed boolean)
   where p.transaction_id = x.id and p.unwound_at is null and p_outcome[x.n + 1] = 'ok';
  return true;
end $$;
