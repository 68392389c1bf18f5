create function release_claims(p_at timestamptz, p_outcome text[], p_releases jsonb) returns boolean language plpgsql as $$
begin
  update pays y set released_at = p_at from jsonb_to_recordset(p_releases) as x(n integer, id bigint)
   where y.transaction_id = x.id and y.released_at is null and p_outcome[x.n + 1] = 'ok';
  update quote_uses u set released_at = p_at from jsonb_to_recordset(p_releases) as x(n integer, id bigint)
   where u.transaction_id = x.id and u.released_at is null and p_outcome[x.n + 1] = 'ok';
  return true;
end $$;
