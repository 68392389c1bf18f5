create view sealed_audit_entries as
select a.xid, a.id,
    json_build_array(a.xid, a.id, a.at at time zone 'UTC', a.by_whom, a.act, a.partner_id, a.subject, a.reason, a.approved_by, a.details, a.role, a.operation_id)::text as line
  from audit_entries a;
insert into seal_chains values ('audit_entries', 'audit_entries');
