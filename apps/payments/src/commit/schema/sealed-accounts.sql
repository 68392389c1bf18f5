-- Entries name accounts by id, so what an id is called is sealed too.
create view sealed_accounts as
select a.xid, a.id, json_build_array(a.xid, a.id, a.name, a.kind, a.partner_id, a.asset)::text as line
  from accounts a;
insert into seal_chains values ('accounts', 'accounts');
