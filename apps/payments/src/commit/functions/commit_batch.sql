-- The one call that commits a batch of payment commits (docs/engineers/ledger.md). Each is written whole or not at
-- all.
--
-- Everyone takes locks in this order, so that two processes cannot deadlock: keys by (partner, reference), hashes,
-- quotes, transactions, attempts, settlements, deposits, refunds, inbox marks, velocity counters by key, balances; each
-- kind by id. A new refund comes with a patch of its deposit and so holds that lock: a deposit has one live refund.
--
-- p_batch: `count` of commits, `accounts` names, one per line, and lists of rows, absent if empty; `n` is a commit's
-- number (from 0). Each step gets only its part, because copying the batch costs too much.
-- Outcomes; only `ok` changes anything:
-- - ok: committed, now or by an earlier send
-- - exists, exists_different: the key (or posting) is there, with the same or another fingerprint
-- - hash_claimed: transaction_id has the hash
-- - seen: the event was handled before
-- - insufficient: a balance would break its sign
-- - limited: a velocity limit is reached; transaction_id is minus its place (from 1) among the commit's
-- - stale: transaction, deposit or refund have another state than expected
-- - superseded: a newer claim has the attempt, or the settlement is closed
-- - again: send again, because of a conflict within this batch
create function commit_batch(p_at timestamptz, p_batch jsonb)
returns table (n integer, outcome text, transaction_id bigint) language plpgsql
-- The service's login cannot write entries itself.
security definer
-- A lock that stays held must not delay the batch: its commits are then sent one by one.
set lock_timeout = '1s'
-- Otherwise PostgreSQL plans the statements for each batch, which takes longer than running them.
set plan_cache_mode = force_generic_plan as $$
declare
  -- If an acceptance fails, its key must go too. Otherwise a resend would count as done.
  v_fallen   constant text[] := array['insufficient', 'limited', 'hash_claimed', 'quote_used', 'again', 'stale', 'seen'];
  v_outcome  text[] := array_fill('ok'::text, array[(p_batch->>'count')::integer]);
  v_existing bigint[] := array_fill(null::bigint, array[(p_batch->>'count')::integer]);
  v_taken    record;
  v_checked  record;
  v_ids      bigint[];
  v_balances numeric[];
  v_assets   text[];
  v_written  boolean;
begin
  if p_batch ? 'transactions' then
    v_taken := claim_keys(p_batch->'transactions', v_outcome, v_existing);
    v_outcome := v_taken.p_outcome;
    v_existing := v_taken.p_existing;
  end if;
  if p_batch ? 'pays' then
    v_taken := claim_pays(p_batch->'pays', v_outcome, v_existing);
    v_outcome := v_taken.p_outcome;
    v_existing := v_taken.p_existing;
  end if;
  if p_batch ? 'lone' then
    v_outcome := find_references(p_batch->'lone', v_outcome);
  end if;
  if p_batch ? 'expected' then
    v_outcome := lock_transactions(p_batch->'expected', v_outcome);
  end if;
  if p_batch ? 'attempt_patches' then
    v_outcome := lock_attempts(p_batch->'attempt_patches', v_outcome);
  end if;
  if p_batch ? 'settlements' then
    v_outcome := lock_settlements(p_batch->'settlements', v_outcome);
  end if;
  if p_batch ? 'deposit_patches' then
    v_outcome := lock_deposits(p_batch->'deposit_patches', p_batch->'refund_patches', v_outcome);
  end if;
  if p_batch ?| '{refund_patches,refunds}' then
    v_outcome := lock_refunds(p_batch->'refund_patches', p_batch->'refunds', v_outcome);
  end if;
  if p_batch ? 'marks' then
    v_outcome := mark_inbox(p_batch->'marks', v_outcome);
  end if;
  if p_batch ?| '{velocity,velocity_returns}' then
    v_taken := lock_velocity(p_at, p_batch->'velocity', p_batch->'velocity_returns', v_outcome, v_existing);
    v_outcome := v_taken.p_outcome;
    v_existing := v_taken.p_existing;
  end if;
  if p_batch ? 'accounts' then
    v_checked := check_balances(string_to_array(p_batch->>'accounts', e'\n'), p_batch->'deltas', v_outcome);
    v_outcome := v_checked.p_outcome;
    v_ids := v_checked.p_ids;
    v_balances := v_checked.p_balances;
    v_assets := v_checked.p_assets;
  end if;
  if p_batch ? 'velocity' and v_outcome @> '{limited,insufficient}' then
    v_taken := recount_velocity(p_batch->'velocity', v_outcome, v_existing);
    v_outcome := v_taken.p_outcome;
    v_existing := v_taken.p_existing;
  end if;
  if v_outcome && v_fallen then
    v_taken := undo_fallen(v_fallen, p_batch->'transactions', p_batch->'pays', p_batch->'marks', v_outcome, v_existing);
    v_outcome := v_taken.p_outcome;
    v_existing := v_taken.p_existing;
  end if;
  if 'ok' = any(v_outcome) then
    v_written := write_batch(p_at, p_batch, v_outcome, v_ids, v_balances, v_assets);
  end if;
  return query select i - 1, case v_outcome[i] when 'sent_before' then 'ok' else v_outcome[i] end, v_existing[i]
    from generate_subscripts(v_outcome, 1) as i order by 1;
end $$;
