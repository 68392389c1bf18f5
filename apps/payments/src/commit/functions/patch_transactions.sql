create function patch_transactions(p_at timestamptz, p_outcome text[], p_patches jsonb) returns boolean language plpgsql as $$
begin
  update transactions t set state = u.state, sequence = u.sequence, public_sequence = u.public_sequence, attempt_no = u.attempt_no,
      paid_attempt_no = u.paid_attempt_no, last_commit_id = u.commit_id, message = u.message, failure_code = u.failure_code,
      receipt_number = u.receipt_number, public_name = u.public_name, due_at = u.due_at, park_deadline = u.park_deadline, updated_at = p_at
    from jsonb_to_recordset(p_patches) as u(n integer, id bigint, state text, sequence integer, public_sequence integer,
        attempt_no smallint, paid_attempt_no smallint, commit_id uuid, message text, failure_code text, receipt_number text, public_name text,
        due_at timestamptz, park_deadline timestamptz)
   where t.id = u.id and p_outcome[u.n + 1] = 'ok';
  return true;
end $$;
