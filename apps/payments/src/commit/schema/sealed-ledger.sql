-- A posting with all its legs. Its entries have its time, so that one partition is read.
create view sealed_ledger as
select p.xid, p.id,
    json_build_array(p.xid, p.id, p.reference, p.kind, p.transaction_id, p.at at time zone 'UTC',
      (select json_agg(json_build_array(e.leg_no, e.from_account, e.to_account, e.asset, e.amount_minor) order by e.leg_no)
         from entries e where e.posting_id = p.id and e.at = p.at))::text as line
  from postings p;
insert into seal_chains values ('ledger', 'postings');
