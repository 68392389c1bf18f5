create function write_deposits(p_at timestamptz, p_outcome text[], p_deposits jsonb, p_deposit_patches jsonb)
returns boolean language plpgsql as $$
begin
  if p_deposits is not null then
    insert into deposits (deposit_id, transaction_id, partner_id, chain, asset, decimals, received_minor, rate, shortfall_minor, is_main,
        quote_passed_over, state, transaction_hash, created_at, updated_at)
      select x.deposit_id, x.id, x.partner_id, x.chain, x.asset, x.decimals, x.received_minor, x.rate, x.shortfall_minor, x.is_main,
          x.quote_passed_over, x.state, x.transaction_hash, p_at, p_at
        from jsonb_to_recordset(p_deposits) as x(n integer, deposit_id bigint, id bigint, partner_id integer, chain text, asset text,
          decimals smallint, received_minor numeric, rate numeric, shortfall_minor numeric, is_main boolean,
          quote_passed_over text, state text, transaction_hash text)
       where p_outcome[x.n + 1] = 'ok' order by x.deposit_id;
  end if;
  if p_deposit_patches is not null then
    update deposits d set state = x.state, updated_at = p_at
      from jsonb_to_recordset(p_deposit_patches) as x(n integer, deposit_id bigint, state text)
     where d.deposit_id = x.deposit_id and p_outcome[x.n + 1] = 'ok';
  end if;
  return true;
end $$;
