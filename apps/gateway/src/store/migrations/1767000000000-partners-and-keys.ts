import { deadLetterReplayMigrationSql, deadLettersMigrationSql, inboxMigrationSql, outboxMigrationSql } from '@vuka/messaging';
import { actsMigrationSql, type MigrationInterface, type QueryRunner } from '@vuka/persistence';

/** What the platform team does to partners and keys, what it leaves behind, and what other services are told of it. */
export class PartnersAndKeys1767000000000 implements MigrationInterface {
  readonly name = 'PartnersAndKeys1767000000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(columnsSql);
    await runner.query(outboxMigrationSql());
    await runner.query(inboxMigrationSql());
    await runner.query(deadLettersMigrationSql());
    await runner.query(deadLetterReplayMigrationSql());
    await runner.query(actsMigrationSql());
  }

  async down(): Promise<void> {
    throw new Error('Acts are the record of what people did: the gateway has no way down from here');
  }
}

const columnsSql = `
alter table partners
  -- Null: active.
  add column suspended_at         timestamptz,
  -- Counts the changes of its status that others are told of.
  add column status_sequence      integer not null default 0,
  -- When webhook_url became what it is; null: nobody knows.
  add column webhook_set_at       timestamptz,
  -- The last default that a receiver's 410 ended, and when.
  add column webhook_disabled_at  timestamptz,
  add column webhook_disabled_url text,
  -- Its own rows of limits and service fees, as in VUKA_TERMS_FILE; null: the deployment's hold.
  add column terms                jsonb;

-- What was set before this release, was set before anything that this release is told of.
update partners set webhook_set_at = created_at where webhook_url is not null;

-- A gateway of the release before sets the URL alone. Its time is then unknown, and not that of the URL before it.
create function forget_when_webhook_was_set() returns trigger language plpgsql as $body$
begin
  new.webhook_set_at := null;
  return new;
end $body$;
create trigger partners_webhook_set_at before update of webhook_url on partners
  for each row when (new.webhook_set_at is not distinct from old.webhook_set_at) execute function forget_when_webhook_was_set();

alter table api_keys
  add column label        text,
  -- Null: everything that its kind may do.
  add column scopes       text[],
  -- CIDRs that it may be used from; null: any.
  add column addresses    text[],
  add column created_by   text,
  add column revoked_by   text,
  add column last_used_at timestamptz,
  -- The visible prefix of the key that came in its place.
  add column replaced_by  text;
`;
