/** The last part of that commit_moves: whatever is left of a batch is written. Landed with its migration, and frozen with it. */
export const WRITES_SQL = `  -- 6. What is left is written, set by set.
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
          from json_to_recordset(p_entries) as x(n integer, reference text, leg_no smallint, source integer, target integer, amount numeric)
          join made on made.reference = x.reference
          -- Of two moves of one batch that are the same posting, one fell.
         where v_outcome[x.n + 1] = 'ok';
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
      insert into deposits (deposit_id, transaction_id, partner_id, chain, asset, decimals, received_minor, rate, shortfall_minor, is_main, quote_passed_over, state,
          transaction_hash, created_at, updated_at)
        select x.deposit_id, x.id, x.partner_id, x.chain, x.asset, x.decimals, x.received_minor, x.rate, x.shortfall_minor, x.is_main,
            x.quote_passed_over, x.state, x.transaction_hash, p_at, p_at
          from json_to_recordset(p_deposits) as x(n integer, deposit_id bigint, id bigint, partner_id integer, chain text, asset text,
            decimals smallint, received_minor numeric, rate numeric, shortfall_minor numeric, is_main boolean, quote_passed_over text, state text,
            transaction_hash text)
         where v_outcome[x.n + 1] = 'ok' order by x.deposit_id;
    end if;

    if p_deposit_patches is not null then
      update deposits d set state = x.state, updated_at = p_at
        from json_to_recordset(p_deposit_patches) as x(n integer, deposit_id bigint, state text)
       where d.deposit_id = x.deposit_id and v_outcome[x.n + 1] = 'ok';
    end if;

    if p_refunds is not null then
      insert into refunds (refund_id, partner_id, transaction_id, deposit_id, chain, asset, decimals, amount_minor, address, origin, state, created_at, updated_at)
        select x.refund_id, x.partner_id, x.transaction_id, x.deposit_id, x.chain, x.asset, x.decimals, x.amount_minor, x.address, x.origin, 'HELD', p_at, p_at
          from json_to_recordset(p_refunds) as x(n integer, refund_id bigint, partner_id integer, transaction_id bigint, deposit_id bigint, chain text, asset text,
            decimals smallint, amount_minor numeric, address text, origin text)
         where v_outcome[x.n + 1] = 'ok' order by x.refund_id;
    end if;

    if p_refund_patches is not null then
      update refunds f set state = x.state, transaction_hash = coalesce(x.transaction_hash, f.transaction_hash), failure = coalesce(x.failure, f.failure),
          told_sequence = coalesce(x.told_sequence, f.told_sequence), updated_at = p_at
        from json_to_recordset(p_refund_patches) as x(n integer, refund_id bigint, state text, transaction_hash text, failure text, told_sequence integer)
       where f.refund_id = x.refund_id and v_outcome[x.n + 1] = 'ok';
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
  end if;`;
