import { readFileSync } from 'node:fs';

/** Records of one kind, sealed one after the other into blocks. */
export interface SealedChain {
  readonly name: string;
  /** A select of `xid`, `id` and `line` from the tables, so that a check does not trust a view of the database. */
  readonly rows: string;
}

const VIEW = /^create view sealed_([a-z_]+) as\n(select [^;]+);$/m;

const file = (name: string): URL => new URL(`./${name}.sql`, import.meta.url);

/** For each service's baseline, after the audit entries. */
export const SEAL_SQL: readonly URL[] = [file('seal'), file('sealed-audit-entries')];

export const AUDIT_CHAIN = sealedChain(file('sealed-audit-entries'));

/** Of a file with the view `sealed_<chain>`. */
export function sealedChain(view: URL): SealedChain {
  const [, name, rows] = VIEW.exec(readFileSync(view, 'utf8')) ?? [];
  if (name === undefined || rows === undefined) throw new Error(`${view.pathname} has no view of a sealed chain`);
  return { name, rows };
}
