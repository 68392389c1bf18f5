-- Hashes, then quotes. If the winning claim has gone, the loser is sent again.
create function claim_pays(p_pays jsonb, inout p_outcome text[], inout p_existing bigint[]) language plpgsql as $$
declare
  v_made bigint[];
  r      record;
begin
  with made as (
    insert into pays as y (transaction_id, partner_id, chain, transaction_hash, asset, quote_id, refund_address)
    select id, partner_id, chain, transaction_hash, asset, quote_id, refund_address
      from jsonb_to_recordset(p_pays) as w(n integer, id bigint, partner_id integer, chain text, transaction_hash text, asset text,
        quote_id uuid, refund_address text)
     where p_outcome[w.n + 1] = 'ok' order by partner_id, chain, transaction_hash, n
    on conflict do nothing returning y.transaction_id
  ) select array_agg(made.transaction_id) into v_made from made;
  for r in
    select w.n, y.transaction_id as owner
      from jsonb_to_recordset(p_pays) as w(n integer, id bigint, partner_id integer, chain text, transaction_hash text)
      left join pays y on y.partner_id = w.partner_id and y.chain = w.chain and y.transaction_hash = w.transaction_hash
        and y.released_at is null
     where p_outcome[w.n + 1] = 'ok' and w.id <> all(coalesce(v_made, '{}'))
  loop
    p_outcome[r.n + 1] := case when r.owner is null then 'again' else 'hash_claimed' end;
    p_existing[r.n + 1] := r.owner;
  end loop;

  with made as (
    insert into quote_uses as u (transaction_id, quote_id)
    select id, quote_id from jsonb_to_recordset(p_pays) as w(n integer, id bigint, quote_id uuid)
     where p_outcome[w.n + 1] = 'ok' and quote_id is not null order by quote_id, n
    on conflict do nothing returning u.transaction_id
  ) select array_agg(made.transaction_id) into v_made from made;
  for r in
    select w.n, u.transaction_id as owner from jsonb_to_recordset(p_pays) as w(n integer, id bigint, quote_id uuid)
      left join quote_uses u on u.quote_id = w.quote_id and u.released_at is null
     where p_outcome[w.n + 1] = 'ok' and w.quote_id is not null and w.id <> all(coalesce(v_made, '{}'))
  loop
    p_outcome[r.n + 1] := case when r.owner is null then 'again' else 'quote_used' end;
    p_existing[r.n + 1] := r.owner;
  end loop;
end $$;
