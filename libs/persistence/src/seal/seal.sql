-- Records that are committed are sealed into blocks (docs/engineers/ledger.md, "The seal"). A block has the rows of a
-- chain from one (xid, id), exclusive, to another. Rows are read below the oldest running transaction, so that none
-- that commits late is passed over. Their xids are numbers, because xid8 has no BRIN index.

-- `source` has the rows; the view `sealed_<chain>` has their text.
create table seal_chains (
  chain  text constraint seal_chains_pk primary key,
  source text not null
);

-- A restore, or another server, begins a new one.
create table seal_epochs (
  epoch             integer constraint seal_epochs_pk primary key,
  system_identifier bigint not null,
  timeline          integer not null,
  why               text not null,
  begun_at          timestamptz not null
);

create table seal_blocks (
  chain     text not null,
  number    bigint not null,
  epoch     integer not null,
  from_xid  bigint not null,
  from_id   bigint not null,
  to_xid    bigint not null,
  to_id     bigint not null,
  row_count integer not null,
  -- SHA-256 over the SHA-256 of each row's text.
  root      bytea not null,
  -- Hash of the block before; zeros in the first.
  previous  bytea not null,
  hash      bytea not null,
  sealed_at timestamptz not null,
  constraint seal_blocks_pk primary key (chain, number),
  constraint seal_blocks_hash_check check (length(root) = 32 and length(previous) = 32 and length(hash) = 32),
  constraint seal_blocks_rows_check check (row_count > 0 and (to_xid, to_id) > (from_xid, from_id))
);
create function refuse_changed_blocks() returns trigger language plpgsql as $$
begin
  raise exception 'sealed blocks are a record: rows are added and never changed or removed';
end $$;
create trigger blocks_are_kept before update or delete or truncate on seal_blocks for each statement execute function refuse_changed_blocks();

-- By people, after a restore that the server itself does not show. With the rights of its owner for its search path.
create function begin_seal_epoch(p_why text) returns integer language plpgsql security definer as $$
declare
  v_epoch integer := coalesce((select max(e.epoch) from seal_epochs e), 0) + 1;
begin
  insert into seal_epochs (epoch, system_identifier, timeline, why, begun_at)
    select v_epoch, s.system_identifier, c.timeline_id, p_why, clock_timestamp() from pg_control_system() s, pg_control_checkpoint() c;
  return v_epoch;
end $$;

-- The present epoch. A recovery to an earlier moment ends in another timeline, a copy by dump in another system.
create function seal_epoch() returns integer language plpgsql as $$
declare
  v_epoch integer;
begin
  select e.epoch into v_epoch from seal_epochs e, pg_control_system() s, pg_control_checkpoint() c
   where e.epoch = (select max(x.epoch) from seal_epochs x)
     and (e.system_identifier, e.timeline) = (s.system_identifier, c.timeline_id);
  return coalesce(v_epoch, begin_seal_epoch('a server or timeline without an epoch'));
end $$;

create function seal_hash(p_chain text, p_block seal_blocks) returns bytea language sql stable as $$
  select sha256(convert_to(concat_ws('|', 'vuka.seal.1', current_schema(), p_chain, p_block.number, p_block.epoch, p_block.from_xid, p_block.from_id,
    p_block.to_xid, p_block.to_id, p_block.row_count, encode(p_block.root, 'hex'), encode(p_block.previous, 'hex'),
    (extract(epoch from p_block.sealed_at) * 1000000)::bigint), 'UTF8'))
$$;

-- The next block of at most `p_most` rows; none where nothing is new, or another process seals. Throws where the
-- cluster's xids are behind the chain.
create function seal_next(p_chain text, p_most integer)
returns table (number bigint, epoch integer, hash text, row_count integer) language plpgsql security definer
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  v_source  text := (select c.source from seal_chains c where c.chain = p_chain);
  v_block   seal_blocks;
  v_horizon bigint := pg_snapshot_xmin(pg_current_snapshot())::text::bigint;
  v_upto    bigint;
begin
  if v_source is null then
    raise exception 'there is no chain %', p_chain;
  end if;
  if not pg_try_advisory_xact_lock(hashtext(current_schema() || '.seal.' || p_chain)) then
    return;
  end if;
  select b.number, b.to_xid, b.to_id, b.hash into v_block.number, v_block.from_xid, v_block.from_id, v_block.previous
    from seal_blocks b where b.chain = p_chain order by b.number desc limit 1;
  v_block.number := coalesce(v_block.number, 0) + 1;
  v_block.from_xid := coalesce(v_block.from_xid, 0);
  v_block.from_id := coalesce(v_block.from_id, 0);
  v_block.previous := coalesce(v_block.previous, decode(repeat('00', 32), 'hex'));
  if v_block.from_xid >= pg_snapshot_xmax(pg_current_snapshot())::text::bigint then
    raise exception 'chain % is ahead of this cluster: its rows come from another one', p_chain;
  end if;
  -- A bound by id, so that a backlog is not read whole for each block. Late commits have lower ids and are within it.
  execute format('select max(w.xid) from (select xid from %I where id > $1 order by id limit $2) w', v_source)
    into v_upto using v_block.from_id, p_most;
  for i in 1..2 loop
    execute format('select l.xid, l.id from (select xid, id from %I
        where xid >= $1 and (xid, id) > ($1, $2) and xid < $3 and xid <= $4 order by xid, id limit $5) l
      order by l.xid desc, l.id desc limit 1', v_source)
      into v_block.to_xid, v_block.to_id using v_block.from_xid, v_block.from_id, v_horizon, coalesce(v_upto, v_horizon), p_most;
    exit when v_block.to_xid is not null;
    v_upto := v_horizon;
  end loop;
  if v_block.to_xid is null then
    return;
  end if;
  execute format('select count(*), sha256(string_agg(sha256(convert_to(line, ''UTF8'')), ''''::bytea order by xid, id)) from %I
      where xid >= $1 and xid <= $3 and (xid, id) > ($1, $2) and (xid, id) <= ($3, $4)', 'sealed_' || p_chain)
    into v_block.row_count, v_block.root using v_block.from_xid, v_block.from_id, v_block.to_xid, v_block.to_id;
  v_block.chain := p_chain;
  v_block.epoch := seal_epoch();
  v_block.sealed_at := clock_timestamp();
  v_block.hash := seal_hash(p_chain, v_block);
  insert into seal_blocks select v_block.*;
  return query select v_block.number, v_block.epoch, encode(v_block.hash, 'hex'), v_block.row_count;
end $$;
