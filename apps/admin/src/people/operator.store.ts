import type { Role } from '@vuka/contracts';
import { samePerson } from '@vuka/domain';
import type { KnownOperator } from '@vuka/http';
import { type Database, type Queryable, recordAuditEntry } from '@vuka/persistence';

export interface Operator {
  readonly name: string;
  readonly role: Role;
  /** null: removed. */
  readonly credentialSha256: string | null;
  /** null: there from the beginning. */
  readonly madeBy: string | null;
  readonly madeAt: Date;
  readonly removedAt: Date | null;
  readonly removedBy: string | null;
}

const COLUMNS = `name, role, credential_sha256 as "credentialSha256", made_by as "madeBy", made_at as "madeAt", removed_at as "removedAt", removed_by as "removedBy"`;

/** Those there ever were, the first first. Few, so that all are read. */
export function allOperators(db: Queryable): Promise<Operator[]> {
  return db.query<Operator>(`select ${COLUMNS} from operators order by id`);
}

/** Until the transaction ends nobody else changes one. */
export async function lockOperators(tx: Queryable): Promise<Operator[]> {
  await tx.query('lock table operators in share row exclusive mode');
  return allOperators(tx);
}

export async function insertOperator(
  tx: Queryable,
  { name, role, credentialSha256 }: Pick<Operator, 'name' | 'role' | 'credentialSha256'>,
  madeBy: string | null,
  at: Date,
): Promise<void> {
  await tx.query(
    'insert into operators (name, role, credential_sha256, made_by, made_at) values ($1, $2, $3, $4, $5)',
    [name, role, credentialSha256, madeBy, at],
  );
}

export function named(all: readonly Operator[], name: string): Operator | undefined {
  return all.find((one) => samePerson(one.name, name));
}

/**
 * The person from the beginning to whom an account goes back: who asked for it, who had asked for that one, and so on.
 * A name that nobody was given (in the sandbox) stands for itself.
 */
export function rootOf(all: readonly Operator[], name: string): string {
  const seen = new Set<string>();
  for (let at = named(all, name); at !== undefined && !seen.has(at.name); at = named(all, at.madeBy)) {
    seen.add(at.name);
    if (at.madeBy === null) return at.name;
    if (named(all, at.madeBy) === undefined) return at.madeBy;
  }
  return name;
}

/** One is the other's, or both were made by the same person. */
export function areRelated(all: readonly Operator[], one: string, other: string): boolean {
  return samePerson(one, other) || samePerson(rootOf(all, one), rootOf(all, other));
}

/**
 * Writes down the people of a file whose names were never given: the first ones, and later whoever the owner of the
 * deployment lets in where nobody is left to agree. Returns the names, [] for most starts.
 */
export function takeFrom(db: Database, file: readonly KnownOperator[], at: Date): Promise<string[]> {
  return db.inTransaction(async (tx) => {
    const all = await lockOperators(tx);
    const taken = file.flatMap(({ name, ...rest }) =>
      name === null || named(all, name) !== undefined ? [] : [{ ...rest, name }],
    );
    for (const one of taken) {
      await insertOperator(tx, one, null, at);
      const what = { act: 'operator.made', partnerId: null, subject: one.name, reason: 'in the secrets file of admin' };
      await recordAuditEntry(tx, { ...what, by: 'setup', details: { role: one.role }, at });
    }
    return taken.map(({ name }) => name);
  });
}
