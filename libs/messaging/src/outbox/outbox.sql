-- What a producer keeps: its log of events, and how far each consumer group has read it.
--
-- The log's order is (xid, id), read only below the oldest transaction still running. An id is handed out before the
-- commit, so a reader that asks `id > last` would lose whatever commits late. Order within a key holds because one writer
-- of the key waits for the other: lock the aggregate before the transaction's first write, so that the later writer also
-- has the later xid. `for update` gives that to two writers. With three, whoever waits for a changed row has its xid
-- before its turn: who needs the order takes an advisory lock first, and readers of the others go by `sequence`.
--
-- xids are the cluster's own. A dump restored into another cluster must not keep the old cursors: a reader refuses to
-- start when a cursor is ahead of the cluster.
create table outbox (
  xid        xid8 not null default pg_current_xact_id(),
  id         bigint generated always as identity,
  bucket     smallint not null,
  topic      text not null,
  key        text not null,
  sequence   integer not null,
  event_id   uuid not null,
  envelope   text not null,
  created_at timestamptz not null,
  -- The one index, once per partition: the key, the order of the log and the cursor's way in.
  constraint outbox_pk primary key (bucket, xid, id, created_at),
  constraint outbox_bucket_check check (bucket >= 0 and bucket < 16)
) partition by range (created_at);
-- What no month holds yet lands here: a late maintenance run refuses no money.
create table outbox_default partition of outbox default;
create table outbox_cursors (
  consumer_group text not null,
  bucket         smallint not null,
  xid            xid8 not null,
  id             bigint not null,
  constraint outbox_cursors_pk primary key (consumer_group, bucket)
) with (fillfactor = 50);

-- Reads all buckets of a group in one call. A function, because the planner's switches must hold for it: with statistics
-- of a tiny partition the plan is a sequential scan, the session keeps it, and in the next burst every read scans the
-- whole burst. With the switches each partition is read through its key alone: one probe and the rows wanted. The plan is
-- made once, because planning over the partitions costs ten times the read. `lateral` allows only a nested loop, which
-- gives each bucket's rows together and in their order.
create function outbox_read(buckets smallint[], xids xid8[], ids bigint[], topics text[], max_bytes integer, batch integer)
returns table (bucket smallint, xid text, id text, topic text, key text, sequence integer, event_id uuid, bytes integer, envelope text)
language plpgsql stable
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set plan_cache_mode = force_generic_plan
as $$
begin
  return query
    select r.bucket, r.xid::text, r.id::text, r.topic, r.key, r.sequence, r.event_id, octet_length(r.envelope),
           case when r.topic = any(topics) and octet_length(r.envelope) <= max_bytes then r.envelope end
    from unnest(buckets, xids, ids) as c(bucket, xid, id)
    cross join lateral (
      select o.* from outbox o
      where o.bucket = c.bucket and (o.xid, o.id) > (c.xid, c.id)
        and o.xid < pg_snapshot_xmin(pg_current_snapshot())
      order by o.xid, o.id
      limit batch
    ) r;
end $$;
