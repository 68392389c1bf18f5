import type { MigrationInterface, QueryRunner } from '@vuka/persistence';

/** What decides whether an attempt may be sent again, and settlements that wait for the call that is out. */
export class CallsUnderWay1768000002000 implements MigrationInterface {
  public readonly name = 'CallsUnderWay1768000002000';

  public async up(runner: QueryRunner): Promise<void> {
    await runner.query(attemptsSql);
    await runner.query(settlementsSql);
  }

  public async down(): Promise<void> {
    throw new Error('What providers have acknowledged is not forgotten: there is no way down');
  }
}

const attemptsSql = `
alter table attempts
  -- The first commit of SENDING: from here the provider's promise to dedupe counts. Null in what was sent before this was kept.
  add column first_sent_at   timestamptz,
  -- No call that pays has left later than this. Null in what was sent before this was kept.
  add column sent_until      timestamptz,
  -- The provider has said that it has the id: it is never sent again.
  add column acknowledged_at timestamptz,
  -- Two people have agreed on its outcome: nobody claims it for a call that may pay.
  add column settlement_id   bigint;

-- What is PENDING is marked by the next poll; what was, and is unknown now, is known by its history.
update attempts a set acknowledged_at = a.updated_at
 where a.state = 'UNKNOWN' and exists (
   select from transitions x where x.transaction_id = a.transaction_id and x.attempt_no = a.attempt_no and x.event in ('submitted', 'mismatch'));
`;

const settlementsSql = `
alter table settlements
  -- The second person's word. approved_by and approved_at are of the commit that carries it out.
  add column agreed_by      text,
  add column agreed_at      timestamptz,
  -- Where the transaction stood by then: once it has moved, they have agreed on something else.
  add column agreed_state   text,
  -- What a call that was under way has recorded since then stands behind it.
  add column agreed_sequence integer,
  -- It was overtaken by what the provider said; withdrawn_at is set as well, for it is no longer open.
  add column superseded_why text,
  add constraint settlements_agreed_check check (
    (agreed_by is null) = (agreed_at is null) and (agreed_by is null) = (agreed_state is null) and (agreed_by is null) = (agreed_sequence is null) and (agreed_by is null or lower(agreed_by) <> lower(proposed_by))) not valid;
alter table settlements validate constraint settlements_agreed_check;
`;
