import type { MigrationInterface, QueryRunner } from '@vuka/persistence';

/**
 * commit_moves (see its first migration for the order of locks, the parameters and the outcomes) with what deposits on chain need.
 * It stands beside the one of before, which has fewer parameters and which the release before calls.
 *
 * Locks are taken in this order: keys, hashes, quotes, transactions, attempts, settlements, deposits, inbox marks, balances; each
 * kind in the order of its ids. Further outcomes: `hash_claimed` (with the transaction that has it), `quote_used`, `seen` (the event
 * was handled before). A move that falls takes with it what it had taken by then; whoever found that in this very batch is sent
 * `again`. A deposit that is not where the move expects it makes the move `stale`.
 */
export class CommitMovesWithPays1764200000001 implements MigrationInterface {
  public readonly name = 'CommitMovesWithPays1764200000001';

  public async up(runner: QueryRunner): Promise<void> {
    await runner.query(commitMovesSql);
  }

  public async down(): Promise<void> {
    throw new Error('Deposits are in the ledger: there is no way down');
  }
}

const commitMovesSql = `
create function commit_moves(
    p_at timestamptz, p_count integer, p_accounts text[],
    p_keys json, p_lone json, p_expected json, p_deltas json, p_transactions json, p_destinations json, p_patches json, p_transitions json,
    p_attempts json, p_attempt_patches json, p_holds json, p_hold_patches json, p_postings json, p_entries json, p_outbox json, p_incidents json,
    p_paid_again json, p_paid_again_patches json, p_settlements json,
    p_pays json, p_releases json, p_deposits json, p_deposit_patches json, p_marks json)
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
  v_fallen   constant text[] := array['insufficient', 'hash_claimed', 'quote_used', 'again'];
  v_made     bigint[];
  v_marked   uuid[];
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
    for r in
      select x.n, d.state as found, x.expected
        from json_to_recordset(p_deposit_patches) as x(n integer, deposit_id bigint, expected text) join deposits d on d.deposit_id = x.deposit_id
       order by x.deposit_id for no key update of d
    loop
      if r.found <> r.expected and v_outcome[r.n + 1] = 'ok' then
        v_outcome[r.n + 1] := 'stale';
      end if;
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

  -- 6. What is left is written, set by set.
  if 'ok' = any(v_outcome) then
    update accounts a set balance_minor = v_balances[x.i]
      from unnest(v_ids) with ordinality x(id, i)
     where a.id = x.id and a.balance_minor is not null and a.balance_minor <> v_balances[x.i];

    if p_transactions is not null then
      insert into transactions (id, partner_id, transaction_code, operation, currency, amount_minor, fee_minor, service_fee_minor,
          callback_url, request_id, traceparent, state, sequence, public_sequence, attempt_no, last_move_id, message, due_at, created_at, updated_at)
        select t.id, t.partner_id, t.transaction_code, t.operation, t.currency, t.amount_minor, t.fee_minor, t.service_fee_minor,
            t.callback_url, t.request_id, t.traceparent, t.state, t.sequence, 0, 0, t.move_id, t.message, t.due_at, p_at, p_at
          from json_to_recordset(p_transactions) as t(n integer, id bigint, partner_id integer, transaction_code text, operation text,
            currency text, amount_minor numeric, fee_minor numeric, service_fee_minor numeric, callback_url text, request_id text,
            traceparent text, state text, sequence integer, move_id uuid, message text, due_at timestamptz)
         where v_outcome[t.n + 1] = 'ok';
      insert into destinations (transaction_id, kind, bank_code, bank_name, mobile_network, sealed, blind_index)
        select x.id, x.kind, x.bank_code, x.bank_name, x.mobile_network, x.sealed, x.blind_index
          from json_to_recordset(p_destinations) as x(n integer, id bigint, kind text, bank_code text, bank_name text, mobile_network text,
            sealed text, blind_index text)
         where v_outcome[x.n + 1] = 'ok';
    end if;

    if p_patches is not null then
      update transactions t set state = u.state, sequence = u.sequence, public_sequence = u.public_sequence, attempt_no = u.attempt_no,
          paid_attempt_no = u.paid_attempt_no, last_move_id = u.move_id, message = u.message, failure_code = u.failure_code, receipt_number = u.receipt_number,
          public_name = u.public_name, due_at = u.due_at, park_deadline = u.park_deadline, updated_at = p_at
        from json_to_recordset(p_patches) as u(n integer, id bigint, state text, sequence integer, public_sequence integer,
            attempt_no smallint, paid_attempt_no smallint, move_id uuid, message text, failure_code text, receipt_number text, public_name text,
            due_at timestamptz, park_deadline timestamptz)
       where t.id = u.id and v_outcome[u.n + 1] = 'ok';
    end if;

    insert into transitions (transaction_id, sequence, from_state, to_state, event, attempt_no, detail, at)
      select x.id, x.sequence, x.from_state, x.to_state, x.event, x.attempt_no, x.detail, p_at
        from json_to_recordset(p_transitions) as x(n integer, id bigint, sequence integer, from_state text, to_state text, event text,
          attempt_no smallint, detail text)
       where v_outcome[x.n + 1] = 'ok';

    if p_attempts is not null then
      insert into attempts as a (transaction_id, attempt_no, rail_reference, rail, state, amount_minor, next_at, created_at, updated_at)
        select x.id, x.attempt_no, x.rail_reference, x.rail, x.state, x.amount_minor, x.next_at, p_at, p_at
          from json_to_recordset(p_attempts) as x(n integer, id bigint, attempt_no smallint, rail_reference uuid, rail text,
            state text, amount_minor numeric, next_at timestamptz)
         where v_outcome[x.n + 1] = 'ok';
    end if;

    if p_attempt_patches is not null then
      update attempts a set state = x.state, lease_until = null, rail_detail = x.rail_detail, updated_at = p_at,
          -- The statement spoke of it while this answer was on its way: look again.
          next_at = case when a.hinted_fence = a.fence then p_at else x.next_at end,
          receipt_number = coalesce(a.receipt_number, x.receipt_number), late_until = coalesce(x.late_until, a.late_until),
          ended_by = coalesce(x.ended_by, a.ended_by)
        from json_to_recordset(p_attempt_patches) as x(n integer, id bigint, attempt_no smallint, state text, next_at timestamptz,
          receipt_number text, rail_detail text, late_until timestamptz, ended_by text)
       where a.transaction_id = x.id and a.attempt_no = x.attempt_no and v_outcome[x.n + 1] = 'ok';
    end if;

    if p_holds is not null then
      insert into holds as h (transaction_id, partner_id, asset, amount_minor, state, opened_at)
        select x.id, x.partner_id, x.asset, x.amount_minor, 'open', p_at
          from json_to_recordset(p_holds) as x(n integer, id bigint, partner_id integer, asset text, amount_minor numeric)
         where v_outcome[x.n + 1] = 'ok';
    end if;

    if p_hold_patches is not null then
      for r in
        with closed as (
          update holds h set state = x.state, closed_at = p_at
            from json_to_recordset(p_hold_patches) as x(n integer, id bigint, state text)
           where h.transaction_id = x.id and h.state = 'open' and v_outcome[x.n + 1] = 'ok' returning h.transaction_id
        )
        select x.id from json_to_recordset(p_hold_patches) as x(n integer, id bigint)
          left join closed on closed.transaction_id = x.id
         where v_outcome[x.n + 1] = 'ok' and closed.transaction_id is null
      loop
        raise exception 'transaction % holds nothing that could be closed', r.id;
      end loop;
    end if;

    if p_postings is not null then
      with made as (
        insert into postings as q (reference, kind, transaction_id, at)
          select x.reference, x.kind, x.id, p_at from json_to_recordset(p_postings) as x(n integer, id bigint, reference text, kind text)
           where v_outcome[x.n + 1] = 'ok' order by x.reference
          returning q.id, q.reference
      )
      insert into entries (posting_id, leg_no, from_account, to_account, asset, amount_minor, at)
        select made.id, x.leg_no, v_ids[x.source + 1], v_ids[x.target + 1],
            case when v_assets[x.source + 1] = v_assets[x.target + 1] then v_assets[x.source + 1] end, x.amount, p_at
          from json_to_recordset(p_entries) as x(reference text, leg_no smallint, source integer, target integer, amount numeric)
          join made on made.reference = x.reference;
    end if;

    if p_outbox is not null then
      insert into outbox (bucket, topic, key, sequence, event_id, envelope, created_at)
        select x.bucket, x.topic, x.key, x.sequence, x.event_id, x.envelope, p_at
          from json_to_recordset(p_outbox) as x(n integer, bucket smallint, topic text, key text, sequence integer, event_id uuid, envelope text)
         where v_outcome[x.n + 1] = 'ok';
    end if;

    if p_releases is not null then
      update pays y set released_at = p_at from json_to_recordset(p_releases) as x(n integer, id bigint)
       where y.transaction_id = x.id and y.released_at is null and v_outcome[x.n + 1] = 'ok';
      update quote_uses u set released_at = p_at from json_to_recordset(p_releases) as x(n integer, id bigint)
       where u.transaction_id = x.id and u.released_at is null and v_outcome[x.n + 1] = 'ok';
    end if;

    if p_deposits is not null then
      insert into deposits (deposit_id, transaction_id, partner_id, chain, asset, decimals, received_minor, rate, shortfall_minor, is_main, quote_passed_over, state, created_at, updated_at)
        select x.deposit_id, x.id, x.partner_id, x.chain, x.asset, x.decimals, x.received_minor, x.rate, x.shortfall_minor, x.is_main,
            x.quote_passed_over, x.state, p_at, p_at
          from json_to_recordset(p_deposits) as x(n integer, deposit_id bigint, id bigint, partner_id integer, chain text, asset text,
            decimals smallint, received_minor numeric, rate numeric, shortfall_minor numeric, is_main boolean, quote_passed_over text, state text)
         where v_outcome[x.n + 1] = 'ok' order by x.deposit_id;
    end if;

    if p_deposit_patches is not null then
      update deposits d set state = x.state, updated_at = p_at
        from json_to_recordset(p_deposit_patches) as x(n integer, deposit_id bigint, state text)
       where d.deposit_id = x.deposit_id and v_outcome[x.n + 1] = 'ok';
    end if;

    if p_paid_again is not null then
      insert into paid_again (transaction_id, attempt_no, receipt_number, rail, amount_minor, owed, posted_at)
        select x.id, x.attempt_no, x.receipt_number, x.rail, x.amount_minor, x.owed, p_at
          from json_to_recordset(p_paid_again) as x(n integer, id bigint, attempt_no smallint, receipt_number text, rail text,
            amount_minor numeric, owed boolean)
         where v_outcome[x.n + 1] = 'ok';
    end if;

    if p_paid_again_patches is not null then
      update paid_again p set owed = p.owed or x.owed,
          unwound_at = case when p.receipt_number = x.unwound and p.attempt_no = x.attempt_no then p_at else p.unwound_at end
        from json_to_recordset(p_paid_again_patches) as x(n integer, id bigint, attempt_no smallint, unwound text, owed boolean)
       where p.transaction_id = x.id and p.unwound_at is null and v_outcome[x.n + 1] = 'ok';
    end if;

    if p_settlements is not null then
      update settlements s set approved_by = x.approved_by, approved_at = p_at
        from json_to_recordset(p_settlements) as x(n integer, id bigint, approved_by text)
       where s.id = x.id and v_outcome[x.n + 1] = 'ok';
    end if;

    if p_incidents is not null then
      for r in
        select x.id, x.attempt_no, x.state, x.event, x.detail
          from json_to_recordset(p_incidents) as x(n integer, id bigint, attempt_no smallint, state text, event text, detail text)
         where v_outcome[x.n + 1] = 'ok'
      loop
        update incidents i set times = i.times + 1, last_at = p_at
         where i.transaction_id = r.id and i.attempt_no = r.attempt_no and i.state = r.state and i.event = r.event and i.resolved_at is null;
        if not found then
          insert into incidents (transaction_id, attempt_no, state, event, detail, at) values (r.id, r.attempt_no, r.state, r.event, r.detail, p_at);
        end if;
      end loop;
    end if;
  end if;

  return query select i - 1, case v_outcome[i] when 'sent_before' then 'ok' else v_outcome[i] end, v_existing[i]
    from generate_subscripts(v_outcome, 1) as i order by 1;
end $$;
`;
