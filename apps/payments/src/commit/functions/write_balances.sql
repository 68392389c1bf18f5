create function write_balances(p_ids bigint[], p_balances numeric[]) returns boolean language plpgsql as $$
begin
  update accounts a set balance_minor = p_balances[x.i]
    from unnest(p_ids) with ordinality x(id, i)
   where a.id = x.id and a.balance_minor is not null and a.balance_minor <> p_balances[x.i];
  return true;
end $$;
