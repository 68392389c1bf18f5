-- The one call that commits a batch of moves (docs/engineers/ledger.md). A move happens whole or not at all.
--
-- Everyone takes locks in the same order, so that two processes cannot deadlock. The order is: keys by (partner, reference),
-- hashes, quotes, transactions, attempts, settlements, deposits, refunds, inbox marks, balances; each kind in the order of its ids.
-- Whoever makes a refund patches its deposit in the same move and so holds its lock: a deposit has one live refund.
--
-- p_batch is one object. `count` is the number of moves and `accounts` the names of their accounts, one per line.
-- Every other part is a list of rows, left out where it is empty; `n` ties a row to its move (from 0, without gaps).
-- Each step gets only its own part: copying the whole batch for every step would cost too much.
-- The outcome of a move:
--   ok                committed now, or when this very move was sent before
--   exists            the key (or the posting) is there with the same fingerprint
--   exists_different  the key is there with another fingerprint
--   hash_claimed      another transaction of the partner has the hash; transaction_id says which
--   quote_used        somebody has the quote
--   seen              the event was handled before
--   insufficient      a balance would break its sign
--   stale             the transaction, deposit or refund is not where the move expects it
--   superseded        the attempt was claimed by somebody else since, or the settlement is not open any more
--   again             to be sent again: it lost to a move of this batch that fell, or that takes the same deposit or refund
-- Only `ok` changes anything.
create function commit_batch(p_at timestamptz, p_batch jsonb)
returns table (n integer, outcome text, transaction_id bigint) language plpgsql
-- A lock that somebody keeps must not hold up everybody's batch: its moves are then sent one by one.
set lock_timeout = '1s'
-- Without it PostgreSQL plans the statements with arrays of names and ids anew for each batch. That takes longer than running them.
set plan_cache_mode = force_generic_plan as $$
declare
  -- A first move may fall on its deposit or on its event. Its key goes with it, or it would count as done when it comes again.
  v_fallen   constant text[] := array['insufficient', 'hash_claimed', 'quote_used', 'again', 'stale', 'seen'];
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
  if p_batch ? 'accounts' then
    v_checked := check_balances(string_to_array(p_batch->>'accounts', e'\n'), p_batch->'deltas', v_outcome);
    v_outcome := v_checked.p_outcome;
    v_ids := v_checked.p_ids;
    v_balances := v_checked.p_balances;
    v_assets := v_checked.p_assets;
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
