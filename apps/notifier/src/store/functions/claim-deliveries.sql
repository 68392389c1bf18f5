-- One call: a process that sleeps between statements would keep a queue locked.
-- - Statements after a queue's lock see what was committed before. One statement would miss a delivery committed
--   between snapshot and lock, and delay its queue.
-- - Waits only for the first queue, holding no lock; skips all other locked rows. Writers lock queues last and in
--   order: no deadlock.
-- - A queue gets the smallest share of: all, its host, its partner, slow ones, its own.
-- p_..._free: places left, else p_per_.... Keys: deliveryQueueKey() in delivery-places.ts.
create function claim_deliveries(
  p_now timestamptz, p_lease_until timestamptz, p_limit integer, p_delivery_queues integer,
  p_per_delivery_queue integer, p_delivery_queue_keys text[], p_delivery_queue_free integer[],
  p_per_host integer, p_hosts text[], p_host_free integer[],
  p_per_partner integer, p_partners bigint[], p_partner_free integer[],
  p_slow text[], p_slow_free integer
) returns table (
  delivery_queues integer, id bigint, occurred_at timestamptz, fence integer, transaction_id bigint, sequence integer, partner_id bigint, event_type text,
  callback_url text, host text, traceparent text, body text, attempts smallint, attempts_before smallint
) language plpgsql set lock_timeout = '200ms' as $claim$
#variable_conflict use_column
declare
  full_delivery_queues text[] := array(select k from unnest(p_delivery_queue_keys, p_delivery_queue_free) as free (k, places) where places <= 0) || case when p_slow_free <= 0 then p_slow else '{}' end;
  full_hosts text[] := array(select h from unnest(p_hosts, p_host_free) as free (h, places) where places <= 0);
  full_partners bigint[] := array(select p from unnest(p_partners, p_partner_free) as free (p, places) where places <= 0);
  looked_at integer;
  delivery_queue_partners bigint[];
  delivery_queue_hosts text[];
  delivery_queue_places integer[];
begin
  -- In turn, without full ones as far as the window reaches.
  select count(*), (array_agg(due.partner_id order by due.turn_at, due.partner_id, due.host) filter (where due.is_free))[:p_delivery_queues],
         (array_agg(due.host order by due.turn_at, due.partner_id, due.host) filter (where due.is_free))[:p_delivery_queues]
    into looked_at, delivery_queue_partners, delivery_queue_hosts
    from (
      select l.partner_id, l.host, l.turn_at, l.host <> all (full_hosts) and l.partner_id <> all (full_partners)
               and l.partner_id || ' ' || l.host <> all (full_delivery_queues) as is_free
        from delivery_queues l
       where l.due_at is not null and l.held_until is null and l.turn_at <= p_now
       order by l.turn_at, l.partner_id, l.host
       limit 4 * p_delivery_queues
    ) due;
  if looked_at = 4 * p_delivery_queues
     and (coalesce(cardinality(delivery_queue_partners), 0) < p_delivery_queues or (select count(distinct p) from unnest(delivery_queue_partners) as chosen (p)) < p_delivery_queues / 2) then
    -- Full queues or few partners fill the window: take one queue of each partner before any second.
    with recursive pending as (
      (select l.partner_id from delivery_queues l where l.due_at is not null and l.held_until is null order by l.partner_id limit 1)
      union all
      select (select l.partner_id from delivery_queues l
               where l.due_at is not null and l.held_until is null and l.partner_id > pending.partner_id order by l.partner_id limit 1)
        from pending where pending.partner_id is not null
    ), due as (
      select l.partner_id, l.host, l.turn_at, l.place
        from pending cross join lateral (
          select l.partner_id, l.host, l.turn_at, row_number() over (order by l.turn_at) as place from delivery_queues l
           where l.partner_id = pending.partner_id and l.due_at is not null and l.held_until is null and l.turn_at <= p_now and l.host <> all (full_hosts)
             and l.partner_id || ' ' || l.host <> all (full_delivery_queues)
           order by l.turn_at limit greatest(8, 8 * p_delivery_queues / (select count(*) from pending))
        ) l
       where pending.partner_id <> all (full_partners)
       order by l.place, l.turn_at, l.partner_id, l.host limit p_delivery_queues
    )
    select array_agg(due.partner_id order by due.turn_at, due.partner_id, due.host), array_agg(due.host order by due.turn_at, due.partner_id, due.host)
      into delivery_queue_partners, delivery_queue_hosts from due;
  end if;
  if p_slow_free > 0 then
    -- A probe takes a slow place.
    select delivery_queue_partners || array_agg(due.partner_id order by due.turn_at), delivery_queue_hosts || array_agg(due.host order by due.turn_at)
      into delivery_queue_partners, delivery_queue_hosts
      from (
        select l.partner_id, l.host, l.turn_at from delivery_queues l
         where l.due_at is not null and l.held_until is not null and l.turn_at <= p_now
           and l.host <> all (full_hosts) and l.partner_id <> all (full_partners)
         order by l.turn_at, l.partner_id, l.host limit least(p_slow_free, p_delivery_queues)
      ) due;
  end if;
  if coalesce(cardinality(delivery_queue_partners), 0) = 0 then return; end if;

  begin
    perform from delivery_queues l where l.partner_id = delivery_queue_partners[1] and l.host = delivery_queue_hosts[1] for update;
  exception when lock_not_available then
    -- Serve the others without it.
  end;
  select array_agg(mine.partner_id order by mine.turn_at, mine.partner_id, mine.host), array_agg(mine.host order by mine.turn_at, mine.partner_id, mine.host)
    into delivery_queue_partners, delivery_queue_hosts
    from (
      select l.partner_id, l.host, l.turn_at
        from unnest(delivery_queue_partners, delivery_queue_hosts) as delivery_queue (partner_id, host)
        join delivery_queues l on l.partner_id = delivery_queue.partner_id and l.host = delivery_queue.host
       where l.due_at is not null and l.turn_at <= p_now
         for update of l skip locked
    ) mine;
  delivery_queues := coalesce(cardinality(delivery_queue_partners), 0);
  if delivery_queues = 0 then return; end if;

  with delivery_queue as (
    select delivery_queue.*, held.is_held or delivery_queue.partner_id || ' ' || delivery_queue.host = any (p_slow) as is_slow,
           case when held.is_held then 1 else coalesce(own.places, p_per_delivery_queue) end as own_places,
           coalesce(hosts.places, p_per_host) as host_places,
           coalesce(partners.places, p_per_partner) as partner_places
      from unnest(delivery_queue_partners, delivery_queue_hosts) with ordinality as delivery_queue (partner_id, host, place)
      cross join lateral (
        select l.held_until is not null as is_held from delivery_queues l where l.partner_id = delivery_queue.partner_id and l.host = delivery_queue.host
      ) held
      left join unnest(p_delivery_queue_keys, p_delivery_queue_free) as own (key, places) on own.key = delivery_queue.partner_id || ' ' || delivery_queue.host
      left join unnest(p_hosts, p_host_free) as hosts (host, places) on hosts.host = delivery_queue.host
      left join unnest(p_partners, p_partner_free) as partners (partner_id, places) on partners.partner_id = delivery_queue.partner_id
  ), ranked as (
    select delivery_queue.*, row_number() over (order by delivery_queue.place) as rank,
           row_number() over (partition by delivery_queue.host order by delivery_queue.place) as rank_of_host,
           row_number() over (partition by delivery_queue.partner_id order by delivery_queue.place) as rank_of_partner,
           row_number() over (partition by delivery_queue.is_slow order by delivery_queue.place) as rank_of_slow
      from delivery_queue
  ), served as (
    select * from ranked
     where rank <= p_limit and rank_of_host <= host_places and rank_of_partner <= partner_places and (not is_slow or rank_of_slow <= p_slow_free)
  )
  select array_agg(given.partner_id order by given.place), array_agg(given.host order by given.place), array_agg(given.places order by given.place)
    into delivery_queue_partners, delivery_queue_hosts, delivery_queue_places
    from (
      select served.partner_id, served.host, served.place, least(
               own_places, p_limit / count(*) over (), host_places / count(*) over (partition by served.host), partner_places / count(*) over (partition by served.partner_id),
               case when is_slow then p_slow_free / count(*) over (partition by is_slow) end
             )::integer as places
        from served
    ) given;

  -- The lease's end, so an abandoned delivery is due again.
  return query
    with due as (
      select d.id, d.occurred_at
        from unnest(delivery_queue_partners, delivery_queue_hosts, delivery_queue_places) as delivery_queue (partner_id, host, places)
        cross join lateral (
          select d.id, d.occurred_at from deliveries d
           where d.state = 'pending' and d.partner_id = delivery_queue.partner_id and d.host = delivery_queue.host and d.next_attempt_at <= p_now
           order by d.next_attempt_at, d.id limit delivery_queue.places
        ) d
    ), locked as (
      select d.id, d.occurred_at from due join deliveries d on d.id = due.id and d.occurred_at = due.occurred_at
       where d.state = 'pending' and d.next_attempt_at <= p_now
         for update of d skip locked
    ), claimed as (
      update deliveries d set fence = d.fence + 1, next_attempt_at = p_lease_until
        from locked where d.id = locked.id and d.occurred_at = locked.occurred_at
      returning d.*
    )
    select delivery_queues, c.id, c.occurred_at, c.fence, c.transaction_id, c.sequence, c.partner_id, c.event_type, c.callback_url, c.host, c.traceparent, c.body, c.attempts,
           c.attempts_before
      from claimed c order by c.id;
  if not found then
    return query select delivery_queues, null::bigint, null::timestamptz, null::integer, null::bigint, null::integer, null::bigint, null::text, null::text, null::text, null::text, null::text, null::smallint, null::smallint;
  end if;

  update delivery_queues l set
      served_at = p_now,
      held_until = case when l.held_until is not null then p_lease_until end,
      is_probed = l.held_until is not null,
      due_at = (select d.next_attempt_at from deliveries d
                 where d.state = 'pending' and d.partner_id = l.partner_id and d.host = l.host
                 order by d.next_attempt_at, d.id limit 1)
    from unnest(delivery_queue_partners, delivery_queue_hosts) as delivery_queue (partner_id, host)
   where l.partner_id = delivery_queue.partner_id and l.host = delivery_queue.host;
end $claim$;
