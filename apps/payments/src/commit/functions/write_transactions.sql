create function write_transactions(p_at timestamptz, p_outcome text[], p_transactions jsonb)
returns boolean language plpgsql as $$
begin
  -- A key that a failover has lost: what it has sealed could never be opened again.
  if exists (
    select from jsonb_to_recordset(p_transactions) as x(n integer, key_id bigint)
     where x.key_id is not null and p_outcome[x.n + 1] = 'ok'
       and not exists (select from recipient_keys k where k.id = x.key_id and k.erased_at is null)
  ) then
    raise exception 'the data key of a recipient is gone' using errcode = 'foreign_key_violation', constraint = 'destinations_key_stands';
  end if;
  insert into transactions (id, partner_id, transaction_code, operation, currency, amount_minor, fee_minor, service_fee_minor,
      callback_url, request_id, traceparent, state, sequence, public_sequence, attempt_no, last_commit_id, message, due_at,
      created_at, updated_at)
    select t.id, t.partner_id, t.transaction_code, t.operation, t.currency, t.amount_minor, t.fee_minor, t.service_fee_minor,
        t.callback_url, t.request_id, t.traceparent, t.state, t.sequence, 0, 0, t.commit_id, t.message, t.due_at, p_at, p_at
      from jsonb_to_recordset(p_transactions) as t(n integer, id bigint, partner_id integer, transaction_code text, operation text,
        currency text, amount_minor numeric, fee_minor numeric, service_fee_minor numeric, callback_url text, request_id text,
        traceparent text, state text, sequence integer, commit_id uuid, message text, due_at timestamptz)
     where p_outcome[t.n + 1] = 'ok';
  insert into destinations (transaction_id, kind, bank_code, bank_name, mobile_network, key_id, sealed, blind_index)
    select x.id, x.kind, x.bank_code, x.bank_name, x.mobile_network, x.key_id, x.sealed, x.blind_index
      from jsonb_to_recordset(p_transactions) as x(n integer, id bigint, kind text, bank_code text, bank_name text, mobile_network text,
        key_id bigint, sealed text, blind_index text)
     where p_outcome[x.n + 1] = 'ok';
  return true;
end $$;
