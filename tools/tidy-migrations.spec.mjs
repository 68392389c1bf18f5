import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from '@jest/globals';

import { ROOT } from './run.mjs';
import { LANDED, LANDED_INDEXES, MIGRATION_RULE } from './tidy-migrations.mjs';

const NEW = 'apps/payments/src/store/next.migration.ts';

const migration = (sql, { first = '', down = 'drop table notes' } = {}) => `${first}
export class Next1800000000000 {
  public async up(runner) {
    await runner.query(nextSql);
  }

  public async down(runner) {
    await runner.query('${down}');
    await runner.query(withoutSql);
  }
}

const nextSql = \`
${sql};
\`;

const withoutSql = \`
alter table transactions drop column note;
\`;
`;

const found = (sql, options) => MIGRATION_RULE.find(NEW, migration(sql, options));

describe('migrations take nothing from the release before', () => {
  it.each([
    'drop table transactions',
    'DROP TABLE IF EXISTS transactions',
    'alter table transactions drop column message',
    'alter table transactions drop message',
    'alter table transactions drop if exists message',
    'alter table only transactions\n  add column note text,\n  drop column message',
    'alter table transactions rename to payouts',
    'alter table transactions rename column message to text',
    'alter table transactions rename message to text',
    'alter table transactions add column note text not null',
    'alter table transactions add note text not null',
    'alter table transactions alter column amount_minor type bigint',
    'alter table transactions alter amount_minor set data type bigint',
    'alter table transactions alter column message set not null',
    'alter table transactions alter column polls drop default',
    "alter table transactions add constraint transactions_state_check check (state in ('A', 'B'))",
    'alter table transactions add foreign key (partner_id) references partners (id)',
    'alter table transactions add constraint transactions_code_key unique (transaction_code)',
    'create unique index concurrently transactions_code_key on transactions (transaction_code)',
    'alter table claims add column kind text default 1;\ncreate unique index concurrently claims_kind_key on claims (kind) where kind is not null',
    'create unique index concurrently claims_chain_key on claims (chain) where chain is not null',
    'drop function commit_moves',
    'truncate transactions',
    'delete from transactions where state is null',
    'create table notes (id bigint);\ndrop table holds',
  ])('%s: would be seen', (sql) => {
    expect(found(sql)).toHaveLength(1);
  });

  it.each([
    'alter table claims add column order_number bigint;\ncreate unique index concurrently claims_order_key on claims (order_number, chain) where order_number is not null',
    'create table notes (id bigint not null, constraint notes_id_check check (id > 0));\ncreate unique index notes_key on notes (id);\nalter table notes add constraint c check (id < 9)',
    'alter table transactions add column note text',
    "alter table transactions add column note text not null default ''",
    "alter table transactions add column note text default '' not null",
    'alter table transactions add column n bigint not null generated always as identity',
    'alter table transactions add constraint transactions_note_check check (note is null or length(note) < 9) not valid',
    'alter table transactions validate constraint transactions_note_check',
    'alter table transactions drop constraint transactions_note_check',
    'alter table transactions alter column message drop not null',
    'create index concurrently transactions_note_idx on transactions (note)',
    'drop index transactions_note_idx',
    '-- drop table transactions',
    'create function tidy() returns void language plpgsql as $$ begin delete from transactions; end $$',
  ])('%s: is what it should be', (sql) => {
    expect(found(sql)).toEqual([]);
  });

  it('lets a release be named that did without it, one that is known', () => {
    const sql = 'alter table transactions drop column message';
    expect(found(sql, { first: '// contract: 5272640 reads message from the transition' })).toEqual([]);
    expect(found(sql, { first: '// contract: 1234567 reads message from the transition' })).toEqual([expect.stringContaining('1234567')]);
    expect(found(sql, { first: '// contract: 5272640' })).toHaveLength(1);
  });

  it('looks at the SQL of libraries that migrations call, by its name', () => {
    const library = (name) => `export function ${name}(): string {\n  return \`\nalter table inbox drop column event_id;\n\`;\n}\n`;
    expect(MIGRATION_RULE.find('libs/messaging/src/inbox.ts', library('nextInboxMigrationSql'))).toHaveLength(1);
    expect(MIGRATION_RULE.find('libs/messaging/src/inbox.ts', library('inboxMigrationSql'))).toEqual([]);
    expect(MIGRATION_RULE.applies('libs/messaging/src/inbox.spec.ts')).toBe(false);
  });

  it('excuses only what is there', () => {
    const files = [...LANDED].filter((name) => name.includes('/'));
    expect(files.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
    expect(files.every(MIGRATION_RULE.applies)).toBe(true);
  });
});

describe('migrations build no index under a lock that writers wait for', () => {
  it.each([
    'create index transactions_note_idx on transactions (note)',
    'CREATE INDEX IF NOT EXISTS transactions_note_idx\n  ON transactions USING btree (note)',
    'create index on transactions (note)',
    'create table notes (id bigint);\ncreate index notes_idx on notes (id);\ncreate index transactions_note_idx on transactions (note)',
    'alter table claims add column order_number bigint;\ncreate unique index claims_order_key on claims (order_number) where order_number is not null',
  ])('%s: would be seen', (sql) => {
    expect(found(sql)).toEqual([expect.stringContaining('create index concurrently')]);
    // It takes nothing away, and no release that is named makes the lock shorter.
    expect(found(sql, { first: '// contract: 5272640 reads nothing of it' })).toHaveLength(1);
  });

  it.each([
    'create index concurrently transactions_note_idx on transactions (note)',
    'create index concurrently if not exists transactions_note_idx on transactions (note)',
    'create table notes (id bigint);\ncreate index notes_idx on notes (id);\ncreate index on notes (id)',
    'create index outbox_key_idx on only outbox (key)',
    '-- create index transactions_note_idx on transactions (note)',
  ])('%s: is what it should be', (sql) => {
    expect(found(sql)).toEqual([]);
  });

  it('is not asked of the way down', () => {
    expect(found('create table notes (id bigint)', { down: 'create index transactions_note_idx on transactions (note)' })).toEqual([]);
  });

  it('excuses by name what is there, and nothing else in the same migration', () => {
    for (const [path, indexes] of LANDED_INDEXES) {
      const source = readFileSync(join(ROOT, path), 'utf8');
      expect([path, MIGRATION_RULE.find(path, source)]).toEqual([path, []]);
      for (const index of indexes) expect(MIGRATION_RULE.find(path, source.replaceAll(index, 'another_idx'))).toEqual([expect.stringContaining('another_idx')]);
    }
  });
});
