import { actsMigrationSql, type MigrationInterface, type QueryRunner } from '@vuka/persistence';

/**
 * What partners may read of their deliveries and have sent again, bodies that expire, two live secrets during a rotation, test webhooks, and the
 * record of what people had done.
 */
export class LogAndSecrets1767000001500 implements MigrationInterface {
  public readonly name = 'LogAndSecrets1767000001500';

  public async up(runner: QueryRunner): Promise<void> {
    await runner.query(logSql);
    await runner.query(actsMigrationSql());
  }

  public async down(): Promise<void> {
    throw new Error('Bodies may be gone by now, and acts are a record: notifier has no way down from it');
  }
}

const logSql = `
-- What the receiver knows the transaction or the order by. Null in rows of releases before this one while their body is there: the body has it.
alter table deliveries add column code text;
-- When it was asked for again, last. Such a one is superseded by nothing: somebody wants it.
alter table deliveries add column resent_at timestamptz;
-- Attempts made before it was asked for again: its schedule counts from there.
alter table deliveries add column attempts_before smallint not null default 0;
-- Null once it has expired, which it does at rest alone.
alter table deliveries alter column body drop not null;
alter table deliveries add constraint deliveries_body_check check (body is not null or state <> 'pending') not valid;
create index deliveries_log_idx on deliveries (partner_id, state, created_at, id);
-- The body is looked into where there is no code.
create index deliveries_code_idx on deliveries (partner_id, (coalesce(code, body::jsonb ->> 'transaction_code', body::jsonb ->> 'order_id')));
create index deliveries_expiry_idx on deliveries (settled_at) where state <> 'pending' and body is not null;

-- Of test webhooks, which are of no transaction: above those of transactions and orders.
create sequence webhook_test_numbers minvalue 7000000000000000;

-- The secret before the last rotation: signed with, too, until previous_until.
alter table webhook_secrets add column previous_sealed_secret text;
alter table webhook_secrets add column previous_until timestamptz;
alter table webhook_secrets add constraint webhook_secrets_previous_check check ((previous_sealed_secret is null) = (previous_until is null)) not valid;
`;
