create function write_postings(p_at timestamptz, p_outcome text[], p_postings jsonb, p_entries jsonb,
    p_ids bigint[], p_assets text[]) returns boolean language plpgsql
-- Otherwise connections that allow lookups only join the batch by loops. No table is read here.
set enable_hashjoin = on as $$
begin
  with made as (
    insert into postings as q (reference, kind, transaction_id, at)
      select x.reference, x.kind, x.id, p_at from jsonb_to_recordset(p_postings) as x(n integer, id bigint, reference text, kind text)
       where p_outcome[x.n + 1] = 'ok' order by x.reference
      returning q.id, q.reference
  )
  insert into entries (posting_id, leg_no, from_account, to_account, asset, amount_minor, at)
    select made.id, x.leg_no, p_ids[x.source + 1], p_ids[x.target + 1],
        -- Two assets in one leg give null, which the table refuses.
        case when p_assets[x.source + 1] = p_assets[x.target + 1] then p_assets[x.source + 1] end, x.amount, p_at
      from jsonb_to_recordset(p_entries) as x(n integer, reference text, leg_no smallint, source integer, target integer, amount numeric)
      join made on made.reference = x.reference
      -- If two commits of a batch have the same posting, only one is ok.
     where p_outcome[x.n + 1] = 'ok';
  return true;
end $$;
