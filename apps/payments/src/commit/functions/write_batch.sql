-- Writes what is left of a batch, part by part. p_ids, p_balances and p_assets come from check_balances.
create function write_batch(p_at timestamptz, p_batch jsonb, p_outcome text[], p_ids bigint[], p_balances numeric[], p_assets text[])
returns void language plpgsql as $$
begin
  if p_batch ? 'transactions' then
    perform write_transactions(p_at, p_outcome, p_batch->'transactions', p_batch->'destinations');
  end if;
  if p_batch ? 'patches' then
    perform patch_transactions(p_at, p_outcome, p_batch->'patches');
  end if;
  if p_batch ? 'transitions' then
    perform write_transitions(p_at, p_outcome, p_batch->'transitions');
  end if;
  if p_batch ?| '{attempts,attempt_patches}' then
    perform write_attempts(p_at, p_outcome, p_batch->'attempts', p_batch->'attempt_patches');
  end if;
  if p_batch ?| '{holds,hold_patches}' then
    perform write_holds(p_at, p_outcome, p_batch->'holds', p_batch->'hold_patches');
  end if;
  if p_batch ? 'postings' then
    perform write_postings(p_at, p_outcome, p_batch->'postings', p_batch->'entries', p_ids, p_balances, p_assets);
  end if;
  if p_batch ? 'outbox' then
    perform write_outbox(p_at, p_outcome, p_batch->'outbox');
  end if;
  if p_batch ? 'releases' then
    perform release_claims(p_at, p_outcome, p_batch->'releases');
  end if;
  if p_batch ?| '{deposits,deposit_patches}' then
    perform write_deposits(p_at, p_outcome, p_batch->'deposits', p_batch->'deposit_patches');
  end if;
  if p_batch ?| '{refunds,refund_patches}' then
    perform write_refunds(p_at, p_outcome, p_batch->'refunds', p_batch->'refund_patches');
  end if;
  if p_batch ?| '{paid_again,paid_again_patches}' then
    perform write_paid_again(p_at, p_outcome, p_batch->'paid_again', p_batch->'paid_again_patches');
  end if;
  if p_batch ? 'settlements' then
    perform approve_settlements(p_at, p_outcome, p_batch->'settlements');
  end if;
  if p_batch ? 'incidents' then
    perform write_incidents(p_at, p_outcome, p_batch->'incidents');
  end if;
end $$;
