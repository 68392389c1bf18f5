import type { MigrationInterface, QueryRunner } from '@vuka/persistence';

import { WRITES_SQL } from './commit-moves-with-refunds-writes.js';

/**
 * commit_moves (see its first migration for the order of locks, the parameters and the outcomes, and the one with pays) with refunds.
 * It stands beside those of before, which have fewer parameters and which the releases before call.
 *
 * Locks are taken in this order: keys, hashes, quotes, transactions, attempts, settlements, deposits, refunds, inbox marks, balances; each
 * kind in the order of its ids. Whoever makes a refund holds the lock of its deposit (it patches the deposit in the same move), so a
 * deposit has one live refund. A deposit or a refund that is not where the move expects it makes the move `stale`; one that an earlier
 * move of the same batch takes has the later one sent `again`, for it would decide on what is not so any more. A first move may fall on that, too, or on its
 * event having been handled: its key goes with it, or it would be taken for done when it comes again.
 */
export class CommitMovesWithRefunds1765000001101 implements MigrationInterface {
  public readonly name = 'CommitMovesWithRefunds1765000001101';

  public async up(runner: QueryRunner): Promise<void> {
    await runner.query(commitMovesSql);
  }

  public async down(): Promise<void> {
    throw new Error('Refunds are in the ledger: there is no way down');
  }
}

/** Frozen; the migration of orders writes it again with one line changed. */
const commitMovesSql = `
create function commit_moves(
    p_at timestamptz, p_count integer, p_accounts text[],
    p_keys json, p_lone json, p_expected json, p_deltas json, p_transactions json, p_destinations json, p_patches json, p_transitions json,
    p_attempts json, p_attempt_patches json, p_holds json, p_hold_patches json, p_postings json, p_entries json, p_outbox json, p_incidents json,
    p_paid_again json, p_paid_again_patches json, p_settlements json,
    p_pays json, p_releases json, p_deposits json, p_deposit_patches json, p_marks json, p_refunds json, p_refund_patches json)
returns table (n integer, outcome text, transaction_id bigint) language plpgsql
-- A lock that somebody keeps must not hold up everybody's batch: it is then sent move by move.
set lock_timeout = '1s' as $$
#variable_conflict use_column
declare
  v_outcome  text[] := array_fill('ok'::text, array[p_count]);
  v_existing bigint[] := array_fill(null::bigint, array[p_count]);
  v_ids      bigint[];
  v_balances numeric[];
  v_kinds    text[];
  v_assets   text[];
  v_poor     boolean;
  v_fallen   constant text[] := array['insufficient', 'hash_claimed', 'quote_used', 'again', 'stale', 'seen'];
  v_made     bigint[];
  v_marked   uuid[];
  v_taken    bigint[];
  r          record;
  d          record;
begin
  -- 1. Keys. Who inserts first owns the reference; a holder of the same key still under way makes us wait for its fate.
  if p_keys is not null then
    with made as (
      insert into transaction_keys as k (partner_id, reference, transaction_id, fingerprint)
      select partner_id, reference, id, fingerprint
        from json_to_recordset(p_keys) as w(n integer, id bigint, partner_id integer, reference text, fingerprint text)
       order by partner_id, reference, n
      on conflict do nothing returning k.transaction_id
    ) select array_agg(made.transaction_id) into v_made from made;
    -- A new statement sees what others committed while we waited.
    for r in
      select w.n, w.id, w.fingerprint as sent, k.transaction_id, k.fingerprint as kept
        from json_to_recordset(p_keys) as w(n integer, id bigint, partner_id integer, reference text, fingerprint text)
        join transaction_keys k on k.partner_id = w.partner_id and k.reference = w.reference
       where w.id <> all(coalesce(v_made, '{}'))
    loop
      v_existing[r.n + 1] := r.transaction_id;
      v_outcome[r.n + 1] := case
        when r.transaction_id = r.id then 'sent_before'
        when r.kept = r.sent then 'exists'
        else 'exists_different' end;
    end loop;
  end if;

  -- 1b. Claims of hashes, then uses of quotes, of those whose key is theirs. Who lost to a claim that is gone meanwhile tries again.
  if p_pays is not null then
    with made as (
      insert into pays as y (transaction_id, partner_id, chain, transaction_hash, asset, quote_id, refund_address)
      select id, partner_id, chain, transaction_hash, asset, quote_id, refund_address
        from json_to_recordset(p_pays) as w(n integer, id bigint, partner_id integer, chain text, transaction_hash text, asset text,
          quote_id uuid, refund_address text)
       where v_outcome[w.n + 1] = 'ok' order by partner_id, chain, transaction_hash, n
      on conflict do nothing returning y.transaction_id
    ) select array_agg(made.transaction_id) into v_made from made;
    for r in
      select w.n, y.transaction_id as owner
        from json_to_recordset(p_pays) as w(n integer, id bigint, partner_id integer, chain text, transaction_hash text)
        left join pays y on y.partner_id = w.partner_id and y.chain = w.chain and y.transaction_hash = w.transaction_hash and y.released_at is null
       where v_outcome[w.n + 1] = 'ok' and w.id <> all(coalesce(v_made, '{}'))
    loop
      v_outcome[r.n + 1] := case when r.owner is null then 'again' else 'hash_claimed' end;
      v_existing[r.n + 1] := r.owner;
    end loop;

    with made as (
      insert into quote_uses as u (transaction_id, quote_id)
      select id, quote_id from json_to_recordset(p_pays) as w(n integer, id bigint, quote_id uuid)
       where v_outcome[w.n + 1] = 'ok' and quote_id is not null order by quote_id, n
      on conflict do nothing returning u.transaction_id
    ) select array_agg(made.transaction_id) into v_made from made;
    for r in
      select w.n, u.transaction_id as owner from json_to_recordset(p_pays) as w(n integer, id bigint, quote_id uuid)
        left join quote_uses u on u.quote_id = w.quote_id and u.released_at is null
       where v_outcome[w.n + 1] = 'ok' and w.quote_id is not null and w.id <> all(coalesce(v_made, '{}'))
    loop
      v_outcome[r.n + 1] := case when r.owner is null then 'again' else 'quote_used' end;
      v_existing[r.n + 1] := r.owner;
    end loop;
  end if;

  -- 2. A posting that belongs to no transaction (an opening, a top-up) is known by its reference.
  if p_lone is not null then
    for r in
      select l.n from json_to_recordset(p_lone) as l(n integer, reference text) join postings q on q.reference = l.reference
    loop
      v_outcome[r.n + 1] := 'exists';
    end loop;
  end if;

  -- 3. Compare-and-set on the sequence, under the row locks.
  if p_expected is not null then
    perform 1 from transactions t
      where t.id in (select e.id from json_to_recordset(p_expected) as e(id bigint)) order by t.id for no key update;
    for r in
      select e.n, e.expected, e.move_id, t.sequence, t.last_move_id
        from json_to_recordset(p_expected) as e(n integer, id bigint, expected integer, move_id uuid)
        left join transactions t on t.id = e.id
    loop
      if r.last_move_id = r.move_id then
        v_outcome[r.n + 1] := 'sent_before';
      elsif r.sequence is distinct from r.expected then
        v_outcome[r.n + 1] := 'stale';
      end if;
    end loop;
  end if;

  -- An answer is taken only from the claim that still holds the attempt: what a lapsed claim heard is no proof any more.
  if p_attempt_patches is not null then
    for r in
      select x.n, a.fence as held, x.fence
        from json_to_recordset(p_attempt_patches) as x(n integer, id bigint, attempt_no smallint, fence integer)
        join attempts a on a.transaction_id = x.id and a.attempt_no = x.attempt_no
       order by x.id, x.attempt_no for no key update of a
    loop
      if r.held <> r.fence and v_outcome[r.n + 1] = 'ok' then
        v_outcome[r.n + 1] := 'superseded';
      end if;
    end loop;
  end if;

  -- A settlement is carried out once, and by somebody else than who proposed it (a constraint says so).
  if p_settlements is not null then
    for r in
      select x.n, s.approved_at, s.withdrawn_at
        from json_to_recordset(p_settlements) as x(n integer, id bigint) join settlements s on s.id = x.id
       order by x.id for no key update of s
    loop
      if (r.approved_at is not null or r.withdrawn_at is not null) and v_outcome[r.n + 1] = 'ok' then
        v_outcome[r.n + 1] := 'superseded';
      end if;
    end loop;
  end if;

  -- A deposit's value leaves one place once.
  if p_deposit_patches is not null then
    v_taken := '{}';
    for r in
      select x.n, x.deposit_id, d.state as found, x.expected, x.state
        from json_to_recordset(p_deposit_patches) as x(n integer, deposit_id bigint, expected text, state text) join deposits d on d.deposit_id = x.deposit_id
       order by x.deposit_id, x.n for no key update of d
    loop
      continue when v_outcome[r.n + 1] <> 'ok';
      if r.found <> r.expected then
        v_outcome[r.n + 1] := 'stale';
      elsif r.expected = 'refunding' and r.state <> 'refunding' and exists (
          select from refunds f where f.deposit_id = r.deposit_id and f.state = 'HELD'
             and not exists (select from json_to_recordset(p_refund_patches) as y(n integer, refund_id bigint) where y.n = r.n and y.refund_id = f.refund_id)) then
        -- It leaves that place together with its refund, which was not there when this was decided.
        v_outcome[r.n + 1] := 'stale';
      elsif r.deposit_id = any(v_taken) then
        v_outcome[r.n + 1] := 'again';
      else
        v_taken := v_taken || r.deposit_id;
      end if;
    end loop;
  end if;

  -- A refund goes on by one move at a time; a deposit has one that lives.
  if p_refund_patches is not null then
    v_taken := '{}';
    for r in
      select x.n, x.refund_id, f.state as found, x.expected
        from json_to_recordset(p_refund_patches) as x(n integer, refund_id bigint, expected text) join refunds f on f.refund_id = x.refund_id
       order by x.refund_id, x.n for no key update of f
    loop
      continue when v_outcome[r.n + 1] <> 'ok';
      if r.found <> r.expected then
        v_outcome[r.n + 1] := 'stale';
      elsif r.refund_id = any(v_taken) then
        v_outcome[r.n + 1] := 'again';
      else
        v_taken := v_taken || r.refund_id;
      end if;
    end loop;
  end if;
  if p_refunds is not null then
    for r in
      select x.n, f.refund_id = x.refund_id as is_this
        from json_to_recordset(p_refunds) as x(n integer, refund_id bigint, deposit_id bigint)
        join refunds f on f.deposit_id = x.deposit_id and f.state <> 'FAILED'
    loop
      continue when v_outcome[r.n + 1] <> 'ok';
      v_outcome[r.n + 1] := case when r.is_this then 'exists' else 'stale' end;
    end loop;
  end if;

  -- Marks of events that were handled. A second delivery finds the first one's.
  if p_marks is not null then
    with made as (
      insert into inbox as i (consumer_group, event_id, occurred_at)
      select consumer_group, event_id, occurred_at
        from json_to_recordset(p_marks) as x(n integer, consumer_group text, event_id uuid, occurred_at timestamptz)
       where v_outcome[x.n + 1] = 'ok' order by event_id
      on conflict do nothing returning i.event_id
    ) select array_agg(made.event_id) into v_marked from made;
    for r in
      select x.n from json_to_recordset(p_marks) as x(n integer, consumer_group text, event_id uuid, occurred_at timestamptz)
        join inbox i on i.event_id = x.event_id and i.consumer_group = x.consumer_group and i.occurred_at = x.occurred_at
       where v_outcome[x.n + 1] <> 'sent_before' and x.event_id <> all(coalesce(v_marked, '{}'))
    loop
      v_outcome[r.n + 1] := 'seen';
    end loop;
  end if;

  -- 4. Balances: locked in id order, then each move in the order given, so that a poor one falls alone.
  perform 1 from accounts a where a.name = any(p_accounts) and a.balance_minor is not null order by a.id for no key update;
  select array_agg(a.id order by x.i), array_agg(a.balance_minor order by x.i), array_agg(a.kind order by x.i), array_agg(a.asset order by x.i)
    into v_ids, v_balances, v_kinds, v_assets
    from unnest(p_accounts) with ordinality x(name, i) left join accounts a on a.name = x.name;
  if array_position(v_ids, null) is not null then
    raise exception 'account % does not exist', p_accounts[array_position(v_ids, null)];
  end if;
  for r in select m.n, m.deltas from json_to_recordset(p_deltas) as m(n integer, deltas json) order by m.n loop
    continue when v_outcome[r.n + 1] <> 'ok';
    v_poor := false;
    for d in select (e->>0)::integer + 1 as i, (e->>1)::numeric as amount from json_array_elements(r.deltas) e loop
      if v_balances[d.i] is not null then
        v_balances[d.i] := v_balances[d.i] + d.amount;
        v_poor := v_poor or case when v_kinds[d.i] = 'receivable' then v_balances[d.i] > 0 else v_balances[d.i] < 0 end;
      end if;
    end loop;
    if v_poor then
      v_outcome[r.n + 1] := 'insufficient';
      for d in select (e->>0)::integer + 1 as i, (e->>1)::numeric as amount from json_array_elements(r.deltas) e loop
        v_balances[d.i] := v_balances[d.i] - d.amount;
      end loop;
    end if;
  end loop;

  -- 5. A move that falls takes with it what it had taken; who found that in this very batch is to be sent again.
  if v_outcome && v_fallen then
    delete from transaction_keys k
      using json_to_recordset(p_keys) as w(n integer, id bigint, partner_id integer, reference text)
      where v_outcome[w.n + 1] = any(v_fallen) and k.partner_id = w.partner_id and k.reference = w.reference and k.transaction_id = w.id;
    delete from pays y using json_to_recordset(p_pays) as w(n integer, id bigint)
      where v_outcome[w.n + 1] = any(v_fallen) and y.transaction_id = w.id;
    delete from quote_uses u using json_to_recordset(p_pays) as w(n integer, id bigint)
      where v_outcome[w.n + 1] = any(v_fallen) and u.transaction_id = w.id;
    delete from inbox i using json_to_recordset(p_marks) as x(n integer, consumer_group text, event_id uuid, occurred_at timestamptz)
      where v_outcome[x.n + 1] = 'insufficient' and i.event_id = x.event_id and i.consumer_group = x.consumer_group and i.occurred_at = x.occurred_at;
    for r in
      select w.n from json_to_recordset(p_keys) as w(n integer)
        join json_to_recordset(p_keys) as fallen(n integer, id bigint) on fallen.id = v_existing[w.n + 1]
       where v_outcome[fallen.n + 1] = any(v_fallen)
    loop
      v_outcome[r.n + 1] := 'again';
      v_existing[r.n + 1] := null;
    end loop;
  end if;

${WRITES_SQL}

  return query select i - 1, case v_outcome[i] when 'sent_before' then 'ok' else v_outcome[i] end, v_existing[i]
    from generate_subscripts(v_outcome, 1) as i order by 1;
end $$;
`;
