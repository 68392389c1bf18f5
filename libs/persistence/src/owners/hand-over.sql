-- A service makes its tables with its login, in a schema that the login owns. The last step of that transaction is
-- vuka_owners.hand_over: schema, tables and functions go to `<login>_owner`, as which nobody logs in. The login keeps
-- what `p_rights` names for a table, else select, insert, update and delete; on sequences usage; on views select.
-- It can be done once: afterwards the login owns no schema. Run this as superuser in each database; it can be repeated.
create schema if not exists vuka_owners;
create or replace function vuka_owners.hand_over(p_rights jsonb) returns void language plpgsql security definer
set search_path = pg_catalog, pg_temp as $hand_over$
declare
  v_login  constant text := session_user;
  v_schema constant text := substr(session_user, 6);
  v_owner  constant text := session_user || '_owner';
  v_each   record;
  v_rights text;
begin
  if v_login !~ '^vuka_[a-z][a-z0-9_]{0,40}$' or not exists (
      select from pg_namespace where nspname = v_schema and nspowner = v_login::regrole) then
    raise exception '% owns no schema of its name', v_login;
  end if;
  execute format('alter schema %I owner to %I', v_schema, v_owner);
  execute format('grant usage on schema %I to %I', v_schema, v_login);
  for v_each in
    select c.oid::regclass as name, c.relname, c.relkind, c.relispartition, d.deptype from pg_class c
      -- The sequence of a column follows its table.
      left join pg_depend d on d.classid = 'pg_class'::regclass and d.objid = c.oid and d.objsubid = 0 and c.relkind = 'S' and d.deptype in ('a', 'i')
     where c.relnamespace = v_schema::regnamespace and c.relkind in ('r', 'p', 'v', 'S') and d.deptype is distinct from 'i'
     -- After its table, with which its rights change.
     order by c.relkind = 'S'
  loop
    if v_each.deptype is null then
      execute format('alter table %s owner to %I', v_each.name, v_owner);
    end if;
    -- A partition is written and read by its table's rights.
    if v_each.relispartition then
      continue;
    end if;
    v_rights := coalesce(p_rights->>v_each.relname,
      case v_each.relkind when 'v' then 'select' when 'S' then 'usage, select' else 'select, insert, update, delete' end);
    if v_rights !~ '^[a-z_, ()]+$' then
      raise exception 'not a list of rights: %', v_rights;
    end if;
    execute format('grant %s on %s to %I', v_rights, v_each.name, v_login);
  end loop;
  for v_each in
    select p.oid::regprocedure as name, p.prosecdef from pg_proc p where p.pronamespace = v_schema::regnamespace
  loop
    -- Else a function that runs as its owner could be led to other tables.
    if v_each.prosecdef then
      execute format('alter function %s set search_path = %I, pg_temp', v_each.name, v_schema);
    end if;
    execute format('alter function %s owner to %I', v_each.name, v_owner);
  end loop;
  if to_regprocedure(format('%I.begin_seal_epoch(text)', v_schema)) is not null then
    execute format('revoke all on function %I.begin_seal_epoch(text) from public', v_schema);
  end if;
end $hand_over$;
revoke all on function vuka_owners.hand_over(jsonb) from public;
