import { type Cipher, type Clock, keyIdOf, sealedPartOf } from '@vuka/runtime';

import { type AuditEntry, recordAuditEntry } from '../audit-entries.js';
import type { Database, Transaction } from '../connection/database.js';
import type { Queryable } from '../connection/queryable.js';

export const RESEAL_SQL = new URL('./reseal-progress.sql', import.meta.url);

/** A column of texts that a cipher has sealed, with the key's id in each. */
export interface SealedColumn {
  readonly table: string;
  readonly column: string;
  /** Columns of an index without gaps, with their types; rows are looked at in this order. */
  readonly key: Readonly<Record<string, string>>;
  /** More columns that the binding needs. */
  readonly reads?: readonly string[];
  readonly cipher: Cipher;
  /** As when it was sealed. Values as PostgreSQL's text. */
  boundTo(row: Readonly<Record<string, string>>): string;
  /** Only the query of a URL is sealed (`sealQuery`). */
  readonly isUrl?: true;
}

export interface ResealView {
  readonly column: string;
  /** Id of the key that seals now. */
  readonly newest: string;
  readonly looked_at: number;
  readonly resealed: number;
  /** More than 0: keep every old key, and look why. */
  readonly unopened: number;
  /** Rows by the key that had sealed them when this pass came by. */
  readonly found: Readonly<Record<string, number>>;
  readonly done: boolean;
}

interface Progress {
  readonly key_id: string;
  readonly last_key: string[] | null;
  readonly looked_at: string;
  readonly resealed: string;
  readonly unopened: string;
  readonly found: Record<string, number>;
  readonly done_at: Date | null;
}

type Row = Record<string, string> & { sealed: string };

/** Rows of one commit. */
const BATCH = 500;
/** Others lock rows in another order, and PostgreSQL ends one of two that wait for each other. */
const RETRIED = { retries: 3 };
/** Of one call: a call must end within its time. */
const BATCHES = 10;

/**
 * Seals old rows with the newest key, by keyset and in small commits with their progress: it can be killed at any
 * point, and goes on. Rows are changed only where nobody else has.
 */
export class Reseal {
  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
    private readonly columns: readonly SealedColumn[],
    private readonly batch = BATCH,
  ) {}

  /** Goes on with the pass that was stopped. `begin`: where the last one has ended, begins another. */
  async run({ begin, ...act }: Pick<AuditEntry, 'by' | 'reason'> & { readonly begin: boolean }): Promise<ResealView[]> {
    await this.prepare(begin, act);
    let left = BATCHES;
    for (const column of this.columns) while (left > 0 && (await this.next(column))) left -= 1;
    return this.views();
  }

  async views(): Promise<ResealView[]> {
    const views: ResealView[] = [];
    for (const column of this.columns) {
      const progress = await progressOf(this.db, column);
      if (progress !== undefined) views.push(viewOf(column, progress));
    }
    return views;
  }

  private async prepare(begin: boolean, { by, reason }: Pick<AuditEntry, 'by' | 'reason'>): Promise<void> {
    const at = this.clock.now();
    await this.db.inTransaction(async (tx) => {
      await tx.query(`select pg_advisory_xact_lock(hashtextextended('reseal', 0))`);
      const known = new Map<string, Progress>();
      for (const column of this.columns) {
        const progress = await progressOf(tx, column);
        if (progress !== undefined) known.set(nameOf(column), progress);
      }
      const hasEnded = this.columns.every((column) => (known.get(nameOf(column))?.done_at ?? null) !== null);
      const begun = this.columns.filter(
        (column) => (begin && hasEnded) || known.get(nameOf(column))?.key_id !== column.cipher.sealingKeyId,
      );
      for (const column of begun) await restart(tx, column, at);
      if (begun.length === 0) return;
      await recordAuditEntry(tx, {
        by,
        reason,
        act: 'sealed_columns.resealed',
        partnerId: null,
        subject: 'sealed columns',
        details: { columns: begun.map(nameOf) },
        at,
      });
    });
  }

  /** False: nothing is left of it. */
  private next(column: SealedColumn): Promise<boolean> {
    return this.db.inTransaction(async (tx) => {
      // Two commands at once take turns, and none goes over the same rows.
      const [progress] = await tx.query<Progress>('select * from reseal_progress where name = $1 for update', [
        nameOf(column),
      ]);
      if (progress === undefined || progress.done_at !== null) return false;
      const rows = await rowsBehind(tx, column, progress.last_key, this.batch);
      const { found, changes, unopened } = sealedAnew(
        column,
        rows.filter((row) => sealedIn(column, row.sealed) !== null),
      );
      const resealed = await change(tx, column, changes);
      const last = rows.at(-1);
      await tx.query(
        `update reseal_progress set last_key = coalesce($2::text[], last_key), looked_at = looked_at + $3, resealed = resealed + $4,
             unopened = unopened + $5, found = $6::jsonb, updated_at = $7, done_at = $8 where name = $1`,
        [
          nameOf(column),
          last ? Object.keys(column.key).map((name) => last[name]) : null,
          rows.length,
          resealed,
          unopened,
          JSON.stringify(added(progress.found, found)),
          this.clock.now(),
          rows.length < this.batch ? this.clock.now() : null,
        ],
      );
      return true;
    }, RETRIED);
  }
}

async function restart(tx: Transaction, column: SealedColumn, at: Date): Promise<void> {
  await tx.query('delete from reseal_progress where name = $1', [nameOf(column)]);
  await tx.query('insert into reseal_progress (name, key_id, started_at, updated_at) values ($1, $2, $3, $3)', [
    nameOf(column),
    column.cipher.sealingKeyId,
    at,
  ]);
}

const nameOf = ({ table, column }: SealedColumn): string => `${table}.${column}`;

/** null: nothing of it is sealed. */
function sealedIn({ isUrl }: SealedColumn, text: string | null): string | null {
  return text === null || text === '' ? null : isUrl === true ? sealedPartOf(text) : text;
}

async function progressOf(db: Queryable, column: SealedColumn): Promise<Progress | undefined> {
  const [row] = await db.query<Progress>('select * from reseal_progress where name = $1', [nameOf(column)]);
  return row;
}

/** Looks at rows, not at sealed ones: a batch is as quick where few are. */
function rowsBehind(
  db: Queryable,
  { table, column, key, reads = [] }: SealedColumn,
  behind: string[] | null,
  limit: number,
): Promise<Row[]> {
  const names = Object.keys(key);
  const given = Object.values(key).map((type, index) => `$${String(index + 2)}::${type}`);
  // Always of the table: in `order by`, a bare name would be that of the text beside it.
  const place = names.map((name) => `t.${name}`).join(', ');
  const where = behind === null ? '' : `where (${place}) > (${given.join(', ')})`;
  const selected = [...new Set([...names, ...reads])].map((name) => `t.${name}::text as ${name}`);
  return db.query<Row>(
    `select ${selected.join(', ')}, t.${column} as sealed from ${table} t ${where} order by ${place} limit $1`,
    [limit, ...(behind ?? [])],
  );
}

interface Changes {
  readonly found: Record<string, number>;
  readonly changes: readonly { readonly row: Row; readonly text: string }[];
  readonly unopened: number;
}

function sealedAnew(column: SealedColumn, rows: readonly Row[]): Changes {
  const { cipher } = column;
  const found: Record<string, number> = {};
  const changes: { row: Row; text: string }[] = [];
  let unopened = 0;
  for (const row of rows) {
    const sealed = sealedIn(column, row.sealed) as string;
    const keyId = keyIdOf(sealed);
    found[keyId] = (found[keyId] ?? 0) + 1;
    if (keyId === cipher.sealingKeyId) continue;
    try {
      const aad = column.boundTo(row);
      const text = cipher.seal(cipher.open(sealed, aad), aad);
      changes.push({ row, text: row.sealed.slice(0, -sealed.length) + text });
    } catch {
      unopened += 1;
    }
  }
  return { found, changes, unopened };
}

/** Only what is still as it was read. Resolves with how many. */
async function change(
  tx: Transaction,
  { table, column, key }: SealedColumn,
  changes: Changes['changes'],
): Promise<number> {
  if (changes.length === 0) return 0;
  const names = Object.keys(key);
  const lists = Object.values(key).map((type, index) => `$${String(index + 3)}::${type}[]`);
  const rows = await tx.query(
    `update ${table} t set ${column} = n.text from unnest($1::text[], $2::text[], ${lists.join(', ')}) as n (was, text, ${names.join(', ')})
      where ${names.map((name) => `t.${name} = n.${name}`).join(' and ')} and t.${column} = n.was returning 1`,
    [
      changes.map(({ row }) => row.sealed),
      changes.map(({ text }) => text),
      ...names.map((name) => changes.map(({ row }) => row[name])),
    ],
  );
  return rows.length;
}

function added(one: Record<string, number>, other: Record<string, number>): Record<string, number> {
  const sum = { ...one };
  for (const [key, count] of Object.entries(other)) sum[key] = (sum[key] ?? 0) + count;
  return sum;
}

function viewOf(column: SealedColumn, { key_id, looked_at, resealed, unopened, found, done_at }: Progress): ResealView {
  return {
    column: nameOf(column),
    newest: key_id,
    looked_at: Number(looked_at),
    resealed: Number(resealed),
    unopened: Number(unopened),
    found,
    done: done_at !== null,
  };
}
