import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

import type { Database } from '@vuka/persistence';

export type Mark = 'number' | 'name' | 'token' | 'key';

/** Where a planted text was found. */
export interface Found {
  readonly place: string;
  readonly mark: Mark;
}

export interface Allowed {
  /** Start of the place. */
  readonly place: string;
  readonly marks: readonly Mark[];
  readonly why: string;
}

/** Every place in which a planted text may be. Each must be found, or its line goes. */
export const ALLOWED: readonly Allowed[] = [
  { place: 'folder provider', marks: ['number', 'name'], why: 'the sandbox provider plays a company of its own' },
  { place: 'folder sandbox.json', marks: ['key'], why: 'the keys of the sandbox’s own partners, for its owner alone' },
  { place: 'status', marks: ['number', 'name'], why: 'a partner reads what it has sent itself' },
  { place: 'webhook', marks: ['name', 'token'], why: 'a partner is told, at the URL that it gave' },
  { place: 'deliveries', marks: ['name', 'token'], why: 'a partner reads what it was told, and where' },
  { place: 'log banner', marks: ['key'], why: 'npm start shows the sandbox’s own keys to the person at the terminal' },
];

/** As text, as PostgreSQL shows bytes, and inside base64 at each of its three offsets. */
function formsOf(text: string): string[] {
  const bytes = Buffer.from(text);
  const inBase64 = [0, 1, 2].map((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
    // Its first and last letters also hold bits of neighbours.
    return encoded.slice(Math.ceil((offset * 4) / 3), Math.floor(((offset + bytes.length) * 4) / 3) - 1);
  });
  return [
    text,
    bytes.toString('hex'),
    ...inBase64,
    ...inBase64.map((one) => one.replaceAll('+', '-').replaceAll('/', '_')),
  ];
}

export class Scan {
  readonly found: Found[] = [];
  private readonly forms: readonly (readonly [Mark, string])[];

  constructor(marks: readonly (readonly [Mark, string])[]) {
    this.forms = marks.flatMap(([mark, text]) => formsOf(text).map((form) => [mark, form] as const));
  }

  look(place: string, text: string): void {
    for (const [mark, form] of this.forms) if (text.includes(form)) this.found.push({ place, mark });
  }

  /** What is nowhere allowed. */
  leaks(): string[] {
    const isAllowed = ({ place, mark }: Found): boolean =>
      ALLOWED.some((one) => place.startsWith(one.place) && one.marks.includes(mark));
    return [...new Set(this.found.filter((one) => !isAllowed(one)).map(({ place, mark }) => `${mark} in ${place}`))];
  }

  /** Lines of the list for which nothing was found. */
  idle(): string[] {
    return ALLOWED.flatMap(({ place, marks }) =>
      marks
        .filter((mark) => !this.found.some((one) => one.mark === mark && one.place.startsWith(place)))
        .map((mark) => `${mark} in ${place}`),
    );
  }
}

/** Every row of every table and partition of every schema, as text. */
export async function rowsOf(db: Database): Promise<{ table: string; text: string }[]> {
  const tables = await db.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
      where schemaname not in ('pg_catalog', 'information_schema') order by 1`,
  );
  const all: { table: string; text: string }[] = [];
  for (const { name } of tables) {
    const rows = await db.query<{ text: string }>(`select t::text as text from ${name} t`);
    all.push({ table: name, text: rows.map(({ text }) => text).join('\n') });
  }
  return all;
}

/** Files of a data folder, the database's own pages and log included. */
export function* filesIn(folder: string, at = folder): Generator<{ name: string; text: string }> {
  for (const entry of readdirSync(at, { withFileTypes: true })) {
    const path = join(at, entry.name);
    if (entry.isDirectory()) yield* filesIn(folder, path);
    else if (entry.isFile()) yield { name: relative(folder, path), text: readFileSync(path, 'latin1') };
  }
}
