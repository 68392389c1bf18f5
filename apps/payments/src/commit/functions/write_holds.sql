create function write_holds(p_at timestamptz, p_outcome text[], p_holds jsonb, p_hold_patches jsonb)
returns boolean language plpgsql as $$
declare
  v_closed bigint[];
  v_id     bigint;
begin
  if p_holds is not null then
    insert into holds (transaction_id, partner_id, asset, amount_minor, state, opened_at)
      select x.id, x.partner_id, x.asset, x.amount_minor, 'open', p_at
        from jsonb_to_recordset(p_holds) as x(n integer, id bigint, partner_id integer, asset text, amount_minor numeric)
       where p_outcome[x.n + 1] = 'ok';
  end if;
  if p_hold_patches is not null then
    with closed as (
      update holds h set state = x.state, closed_at = p_at
        from jsonb_to_recordset(p_hold_patches) as x(n integer, id bigint, state text)
       where h.transaction_id = x.id and h.state = 'open' and p_outcome[x.n + 1] = 'ok' returning h.transaction_id
    ) select array_agg(closed.transaction_id) into v_closed from closed;
    -- A second close is a bug, and the whole batch fails.
    select x.id into v_id from jsonb_to_recordset(p_hold_patches) as x(n integer, id bigint)
     where p_outcome[x.n + 1] = 'ok' and x.id <> all(coalesce(v_closed, '{}')) limit 1;
    if found then
      raise exception 'transaction % holds nothing that could be closed', v_id;
    end if;
  end if;
  return true;
end $$;
