create function write_refunds(p_at timestamptz, p_outcome text[], p_refunds jsonb, p_refund_patches jsonb)
returns boolean language plpgsql as $$
begin
  if p_refunds is not null then
    insert into refunds (refund_id, partner_id, transaction_id, deposit_id, chain, asset, decimals, amount_minor, address, origin, state,
        created_at, updated_at)
      select x.refund_id, x.partner_id, x.transaction_id, x.deposit_id, x.chain, x.asset, x.decimals, x.amount_minor, x.address, x.origin,
          'HELD', p_at, p_at
        from jsonb_to_recordset(p_refunds) as x(n integer, refund_id bigint, partner_id integer, transaction_id bigint, deposit_id bigint,
          chain text, asset text, decimals smallint, amount_minor numeric, address text, origin text)
       where p_outcome[x.n + 1] = 'ok' order by x.refund_id;
  end if;
  if p_refund_patches is not null then
    update refunds f set state = x.state, transaction_hash = coalesce(x.transaction_hash, f.transaction_hash),
        failure = coalesce(x.failure, f.failure), told_sequence = coalesce(x.told_sequence, f.told_sequence), updated_at = p_at
      from jsonb_to_recordset(p_refund_patches) as x(n integer, refund_id bigint, state text, transaction_hash text, failure text,
        told_sequence integer)
     where f.refund_id = x.refund_id and p_outcome[x.n + 1] = 'ok';
  end if;
  return true;
end $$;
