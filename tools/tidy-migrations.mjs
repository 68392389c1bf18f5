// A service is deployed and rolled back alone, and two of its releases run side by side meanwhile: a migration may add to what the release before
// uses, and take nothing away from it (expand). What is taken away later, when no release uses it any more, says which release was the first
// without it (contract): `// contract: <release of libs/contracts/samples/releases.json> <what it stopped using>`.
// And the release before goes on working while it runs: no index is built under a lock that its writers wait for.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { ROOT } from './run.mjs';

/** Landed before there were two releases of anything. Never longer: new ones keep the rule. */
export const LANDED = new Set([
  'apps/payments/src/store/schema.migration.ts',
  'apps/payments/src/store/commit-moves.migration.ts',
  'apps/payments/src/store/payout-troubles.migration.ts',
  'apps/payments/src/store/commit-moves-with-troubles.migration.ts',
  'apps/payments/src/store/lists.migration.ts',
  // SQL that these call.
  'outboxMigrationSql', 'inboxMigrationSql', 'deadLettersMigrationSql', 'deadLetterReplayMigrationSql',
]);

/** Plain indexes on tables that were there before, of migrations that landed before there was a rule. Never longer either. */
export const LANDED_INDEXES = new Map([
  ['apps/payments/src/store/refunds.migration.ts', ['deposits_transfer_idx']],
  ['apps/payments/src/store/vanished-deposits.migration.ts', ['incidents_vanished_idx']],
  ['apps/payments/src/store/waiting-pays.migration.ts', ['transactions_waiting_idx']],
]);

const MIGRATION = /^apps\/[^/]+\/src\/store\/(.*\.migration|migrations\/.*)\.ts$/;
const LIBRARY = /^libs\/[^/]+\/src\/(?!.*\.spec(-support)?\.ts$).*\.ts$/;
const LIBRARY_SQL = /^export (?:function|const) (\w+MigrationSql)\b[\s\S]*?^[}`]/gm;

/** What a clause of a statement takes from the release before. Clauses of `alter table` are judged one by one, after its table. */
const TAKES = [
  [/^drop (table|column|view|materialized view|function|procedure|sequence|schema|type|domain)\b/, 'drops what the release before may use'],
  [/^drop (?!constraint|index|trigger|default|not null|expression|identity|\()[a-z_"]+/, 'drops what the release before may use'],
  [/^(truncate|delete from)\b/, 'takes rows away'],
  [/^rename\b/, 'renames what the release before knows by its name'],
  [/^add (?:column )?(?:if not exists )?(?!constraint\b|primary\b|unique\b|check\b|foreign\b|exclude\b).*\bnot null\b(?!.*\b(default|generated)\b)(?<!\b(default|generated)\b.*)/, 'adds a column that the release before does not fill'],
  [/^alter (?:column )?\S+ (?:set data )?type\b/, 'changes a type'],
  [/^alter (?:column )?\S+ set not null\b/, 'refuses what the release before may leave out'],
  [/^alter (?:column )?\S+ drop (default|identity|expression)\b/, 'drops a default that the release before may rely on'],
  [/^add (?:constraint \S+ )?(?:check|foreign key|primary key|unique|exclude)\b(?!.*\bnot valid\b)/, 'adds a constraint that is not NOT VALID: it may refuse what the release before writes, and reads the whole table under a lock'],
  [/^create unique index\b/, 'refuses rows that the release before may write'],
];

/** An index, and its table, that is not built beside those who write to the table. `on only` builds nothing, and waits for its partitions' indexes. */
const PLAIN_INDEX = /^create (?:unique )?index (?!concurrently\b)(?:if not exists )?(?:(?!on\b)(\S+) )?on (?!only\b)([^\s(]+)/;
const INSTEAD =
  'is built under a lock that every writer of the table waits for. Instead, in a migration of its own with `public readonly transaction = false`: '
  + '`drop index concurrently if exists`, for a build that broke off leaves an invalid one, then `create index concurrently`, each in a query of its own';

/** A column that the release before does not know, and leaves null. */
const ADDED_NULLABLE = /^add (?:column )?(?:if not exists )?(?!constraint\b)(\S+) (?!.*\b(?:default|generated|not null)\b)/;

const withoutComments = (sql) => sql.replace(/--[^\n]*/g, ' ').replace(/\/\*[\s\S]*?\*\//g, ' ');

/** The texts of a source: what stands in quotes of any kind. */
const textsOf = (source) => [...source.matchAll(/`((?:[^`\\]|\\.)*)`|'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"/g)].map((match) => match[1] ?? match[2] ?? match[3]);

/** Without the way down, and without what only the way down names. */
function wayUp(source) {
  const up = source.replace(/^ {2}(?:public )?async down\([\s\S]*?^ {2}\}$/m, '');
  return up.replace(/^const (\w+) =\s*`(?:[^`\\]|\\.)*`;?$/gm, (constant, name) => (up.split(new RegExp(String.raw`\b${name}\b`)).length > 2 ? constant : ''));
}

/** The bodies of functions in the database are code of their own release, not changes of tables. */
const withoutBodies = (sql) => sql.replace(/\$(\w*)\$[\s\S]*?\$\1\$/g, '$body$');

function clausesOf(statement) {
  const [, table, rest] = /^alter table (?:if exists )?(?:only )?(\S+) ([\s\S]*)$/.exec(statement) ?? [];
  if (table === undefined) return [{ table: /^create unique index .*? on (?:only )?([^\s(]+)/.exec(statement)?.[1], clause: statement }];
  return splitOutsideBrackets(rest).map((clause) => ({ table, clause }));
}

function splitOutsideBrackets(text) {
  const parts = [''];
  let depth = 0;
  for (const character of text) {
    depth += character === '(' ? 1 : character === ')' ? -1 : 0;
    if (character === ',' && depth === 0) parts.push('');
    else parts[parts.length - 1] += character;
  }
  return parts.map((part) => part.trim());
}

function statementsOf(source) {
  const sql = textsOf(wayUp(source)).map((text) => withoutBodies(withoutComments(text)));
  return sql.flatMap((text) => text.split(';')).map((statement) => statement.replace(/\s+/g, ' ').trim().toLowerCase().replace(/\bdrop (\w+ )?if exists /g, 'drop $1'));
}

/** The tables that these create: nobody uses them yet. */
const freshIn = (statements) => new Set(statements.flatMap((statement) => /^create (?:unlogged )?table (?:if not exists )?([^\s(]+)/.exec(statement)?.[1] ?? []));

/** What partners and events would wait for, however short the table of a test is. */
function heldUp(source, landed = []) {
  const statements = statementsOf(source);
  const fresh = freshIn(statements);
  return statements.flatMap((statement) => {
    const [, index, table] = PLAIN_INDEX.exec(statement) ?? [];
    return table === undefined || fresh.has(table) || landed.includes(index) ? [] : [`${index ?? 'an index'} on ${table} ${INSTEAD}`];
  });
}

function taken(source) {
  const statements = statementsOf(source);
  const fresh = freshIn(statements);
  const clauses = statements.flatMap(clausesOf);
  const added = new Set(clauses.flatMap(({ table, clause }) => {
    const column = ADDED_NULLABLE.exec(clause)?.[1];
    return column === undefined ? [] : [`${table}.${column}`];
  }));
  return clauses.flatMap(({ table, clause }) => {
    if (fresh.has(table)) return [];
    const only = /^create unique index .* where (\S+) is not null$/.exec(clause)?.[1];
    if (only !== undefined && added.has(`${table}.${only}`)) return [];
    const why = TAKES.find(([pattern]) => pattern.test(clause))?.[1];
    return why === undefined ? [] : [`${why}: ${clause.slice(0, 100)}`];
  });
}

const releases = () => JSON.parse(readFileSync(join(ROOT, 'libs/contracts/samples/releases.json'), 'utf8'));

function findIn(path, name, source) {
  if (LANDED.has(name)) return [];
  // No release that is named makes a lock shorter.
  return [...heldUp(source, LANDED_INDEXES.get(name)).map((finding) => `${path} ${finding}`), ...takenIn(path, source)];
}

function takenIn(path, source) {
  const findings = taken(source);
  if (findings.length === 0) return [];
  const [, release] = /\/\/ contract: (\S+) \S/.exec(source) ?? [];
  if (release === undefined) return findings.map((finding) => `${path} ${finding}`);
  return releases().includes(release) ? [] : [`${path} names the release ${release}, which libs/contracts/samples/releases.json does not know`];
}

export const MIGRATION_RULE = {
  applies: (path) => MIGRATION.test(path) || LIBRARY.test(path),
  find: (path, text) =>
    MIGRATION.test(path) ? findIn(path, path, text) : [...text.matchAll(LIBRARY_SQL)].flatMap(([source, name]) => findIn(`${path} ${name}`, name, source)),
};
