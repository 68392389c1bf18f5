-- The first insert owns a reference. An open one makes us wait. A fingerprint has one print for each of gateway's index
-- keys: the first is kept, and any of them may be the one that is kept already.
create function claim_keys(p_transactions jsonb, inout p_outcome text[], inout p_existing bigint[]) language plpgsql as $$
declare
  v_made bigint[];
  r      record;
begin
  with made as (
    insert into transaction_keys as k (partner_id, reference, transaction_id, fingerprint)
    select partner_id, transaction_code, id, split_part(fingerprint, ' ', 1)
      from jsonb_to_recordset(p_transactions) as w(n integer, id bigint, partner_id integer, transaction_code text, fingerprint text)
     order by partner_id, transaction_code, n
    on conflict do nothing returning k.transaction_id
  ) select array_agg(made.transaction_id) into v_made from made;
  if cardinality(v_made) = jsonb_array_length(p_transactions) then return; end if;
  -- A new statement sees what others committed while we waited.
  for r in
    select w.n, w.id, w.fingerprint as sent, k.transaction_id, k.fingerprint as kept
      from jsonb_to_recordset(p_transactions) as w(n integer, id bigint, partner_id integer, transaction_code text, fingerprint text)
      join transaction_keys k on k.partner_id = w.partner_id and k.reference = w.transaction_code
     where w.id <> all(coalesce(v_made, '{}'))
  loop
    p_existing[r.n + 1] := r.transaction_id;
    p_outcome[r.n + 1] := case
      when r.transaction_id = r.id then 'sent_before'
      when r.kept = any (string_to_array(r.sent, ' ')) then 'exists'
      else 'exists_different' end;
  end loop;
end $$;
