-- p_ids, p_balances and p_assets come from check_balances. Steps are called by assignment, because `perform` runs a
-- query for each.
create function write_batch(p_at timestamptz, p_batch jsonb, p_outcome text[], p_ids bigint[], p_balances numeric[], p_assets text[])
returns boolean language plpgsql as $$
declare
  v_written boolean;
begin
  if p_batch ? 'transactions' then
    v_written := write_transactions(p_at, p_outcome, p_batch->'transactions');
  end if;
  if p_batch ? 'patches' then
    v_written := patch_transactions(p_at, p_outcome, p_batch->'patches');
  end if;
  if p_batch ? 'transitions' then
    v_written := write_transitions(p_at, p_outcome, p_batch->'transitions');
  end if;
  if p_batch ?| '{attempts,attempt_patches}' then
    v_written := write_attempts(p_at, p_outcome, p_batch->'attempts', p_batch->'attempt_patches');
  end if;
  if p_batch ?| '{holds,hold_patches}' then
    v_written := write_holds(p_at, p_outcome, p_batch->'holds', p_batch->'hold_patches');
  end if;
  if p_batch ? 'postings' then
    v_written := write_balances(p_ids, p_balances);
    v_written := write_postings(p_at, p_outcome, p_batch->'postings', p_batch->'entries', p_ids, p_assets);
  end if;
  if p_batch ?| '{velocity,velocity_returns}' then
    v_written := count_velocity(p_at, p_outcome, p_batch->'velocity', p_batch->'velocity_returns');
  end if;
  if p_batch ? 'outbox' then
    v_written := write_outbox(p_at, p_outcome, p_batch->'outbox');
  end if;
  if p_batch ? 'releases' then
    v_written := release_claims(p_at, p_outcome, p_batch->'releases');
  end if;
  if p_batch ?| '{deposits,deposit_patches}' then
    v_written := write_deposits(p_at, p_outcome, p_batch->'deposits', p_batch->'deposit_patches');
  end if;
  if p_batch ?| '{refunds,refund_patches}' then
    v_written := write_refunds(p_at, p_outcome, p_batch->'refunds', p_batch->'refund_patches');
  end if;
  if p_batch ?| '{duplicate_payment,duplicate_payment_patches}' then
    v_written := write_duplicate_payment(p_at, p_outcome, p_batch->'duplicate_payment', p_batch->'duplicate_payment_patches');
  end if;
  if p_batch ? 'settlements' then
    v_written := approve_settlements(p_at, p_outcome, p_batch->'settlements');
  end if;
  if p_batch ? 'incidents' then
    v_written := write_incidents(p_at, p_outcome, p_batch->'incidents');
  end if;
  return true;
end $$;
