-- Locks balances by id. Commits then spend in the given order, so that only the one without money fails. Output
-- arrays follow p_accounts; p_balances is null for system accounts.
create function check_balances(p_accounts text[], p_deltas jsonb,
    inout p_outcome text[], out p_ids bigint[], out p_balances numeric[], out p_assets text[]) language plpgsql as $$
declare
  v_kinds text[];
  v_poor  boolean;
  v_at    integer;
  r       record;
begin
  perform 1 from accounts a where a.name = any(p_accounts) and a.balance_minor is not null order by a.id for no key update;
  select array_agg(a.id order by x.i), array_agg(a.balance_minor order by x.i), array_agg(a.kind order by x.i),
      array_agg(a.asset order by x.i)
    into p_ids, p_balances, v_kinds, p_assets
    from unnest(p_accounts) with ordinality x(name, i) left join accounts a on a.name = x.name;
  if array_position(p_ids, null) is not null then
    raise exception 'account % does not exist', p_accounts[array_position(p_ids, null)];
  end if;
  for r in
    select m.n, m.accounts, m.amounts
      from jsonb_to_recordset(p_deltas) as m(n integer, accounts integer[], amounts numeric[]) order by m.n
  loop
    continue when p_outcome[r.n + 1] <> 'ok';
    v_poor := false;
    for i in 1 .. cardinality(r.accounts) loop
      v_at := r.accounts[i] + 1;
      if p_balances[v_at] is not null then
        p_balances[v_at] := p_balances[v_at] + r.amounts[i];
        v_poor := v_poor or case when v_kinds[v_at] = 'receivable' then p_balances[v_at] > 0 else p_balances[v_at] < 0 end;
      end if;
    end loop;
    if v_poor then
      p_outcome[r.n + 1] := 'insufficient';
      for i in 1 .. cardinality(r.accounts) loop
        v_at := r.accounts[i] + 1;
        p_balances[v_at] := p_balances[v_at] - r.amounts[i];
      end loop;
    end if;
  end loop;
end $$;
