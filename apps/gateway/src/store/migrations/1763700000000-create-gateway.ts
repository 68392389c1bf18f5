import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateGateway1763700000000 implements MigrationInterface {
  readonly name = 'CreateGateway1763700000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table partners (
        id bigint generated always as identity (maxvalue 9007199254740991) constraint partners_pkey primary key,
        name text not null constraint partners_name_key unique,
        email text not null,
        webhook_url text,
        created_at timestamptz not null
      )`);
    await runner.query(`
      create table api_keys (
        visible_prefix text constraint api_keys_pkey primary key,
        partner_id bigint not null constraint api_keys_partner_fkey references partners (id),
        kind text not null constraint api_keys_kind_check check (kind in ('consumer', 'checkout')),
        hash bytea not null constraint api_keys_hash_check check (length(hash) = 32),
        created_at timestamptz not null,
        expires_at timestamptz,
        revoked_at timestamptz
      )`);
    await runner.query('create index api_keys_partner_idx on api_keys (partner_id, kind)');
    await runner.query(`
      create table idempotency_keys (
        partner_id bigint not null,
        operation text not null,
        key text not null constraint idempotency_keys_key_check check (length(key) between 1 and 255),
        fingerprint text not null,
        transaction_code text not null,
        response text,
        runs integer not null default 1,
        lease_token uuid not null,
        leased_until timestamptz not null,
        expires_at timestamptz not null,
        constraint idempotency_keys_pkey primary key (partner_id, operation, key)
      )`);
    await runner.query('create index idempotency_keys_expiry_idx on idempotency_keys (expires_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table idempotency_keys, api_keys, partners');
  }
}
