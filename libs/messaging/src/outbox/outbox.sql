-- Log order is (xid, id), read only below the oldest running transaction: with `id > last` a reader would lose late
-- commits. For order within a key, lock the aggregate before the first write, so that the later writer has the later
-- xid. `for update` is enough for two writers. A third gets its xid before its turn: take an advisory lock first, or
-- let readers use `sequence`.
--
-- xids belong to the cluster: readers refuse cursors restored into another.
create table outbox (
  xid        xid8 not null default pg_current_xact_id(),
  id         bigint generated always as identity,
  bucket     smallint not null,
  topic      text not null,
  key        text not null,
  sequence   integer not null,
  event_id   uuid not null,
  envelope   text not null,
  -- One for each reader (authors/event-keys.ts); null in the embedded profile.
  macs       text,
  created_at timestamptz not null,
  -- The only index.
  constraint outbox_pk primary key (bucket, xid, id, created_at),
  constraint outbox_bucket_check check (bucket >= 0 and bucket < 16)
) partition by range (created_at);
-- Rows without a month's partition: late maintenance must refuse no payment.
create table outbox_default partition of outbox default;
create table outbox_cursors (
  consumer_group text not null,
  bucket         smallint not null,
  xid            xid8 not null,
  id             bigint not null,
  constraint outbox_cursors_pk primary key (consumer_group, bucket)
) with (fillfactor = 50);

-- A function, so that planner settings hold: with statistics of a tiny partition a session would keep a sequential
-- scan through the next burst. Planned once: planning over partitions costs ten times the read. `lateral` forces a
-- nested loop, which keeps each bucket's order.
create function outbox_read(buckets smallint[], xids xid8[], ids bigint[], topics text[], max_bytes integer, batch integer)
returns table (bucket smallint, xid text, id text, topic text, key text, sequence integer, event_id uuid, bytes integer, envelope text, macs text)
language plpgsql stable
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set plan_cache_mode = force_generic_plan
as $$
begin
  return query
    select r.bucket, r.xid::text, r.id::text, r.topic, r.key, r.sequence, r.event_id, octet_length(r.envelope),
           case when r.topic = any(topics) and octet_length(r.envelope) <= max_bytes then r.envelope end,
           case when r.topic = any(topics) then r.macs end
    from unnest(buckets, xids, ids) as c(bucket, xid, id)
    cross join lateral (
      select o.* from outbox o
      where o.bucket = c.bucket and (o.xid, o.id) > (c.xid, c.id)
        and o.xid < pg_snapshot_xmin(pg_current_snapshot())
      order by o.xid, o.id
      limit batch
    ) r;
end $$;
