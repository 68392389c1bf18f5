import { ROLES, type Role } from '@vuka/contracts';
import { fail, nameOf, ok, type Problem, type Result } from '@vuka/domain';
import type { KnownOperator } from '@vuka/http';
import { type Database, recordAuditEntry, type Transaction } from '@vuka/persistence';
import type { Clock } from '@vuka/runtime';

import { allOperators, insertOperator, lockOperators, named, type Operator, rootOf } from './operator.store.js';

export interface OperatorView {
  readonly name: string;
  readonly role: Role;
  readonly state: 'in force' | 'removed';
  /** null: there from the beginning. */
  readonly made_by: string | null;
  /** Who made that one, and so on, at the end. Two with the same one cannot approve each other's. */
  readonly goes_back_to: string;
  readonly made_at: string;
  readonly removed_at: string | null;
  readonly removed_by: string | null;
}

interface Word {
  readonly name: string;
  readonly by: string;
  readonly reason: string;
}

/** People whom admin knows. Errors: not_found, invalid_request. */
export class Operators {
  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
  ) {}

  async known(): Promise<KnownOperator[]> {
    const all = await allOperators(this.db);
    return all.flatMap(({ name, role, credentialSha256 }) =>
      credentialSha256 === null ? [] : [{ name, role, credentialSha256 }],
    );
  }

  all(): Promise<Operator[]> {
    return allOperators(this.db);
  }

  async list(): Promise<OperatorView[]> {
    const all = await this.all();
    return all.map((one) => operatorView(all, one));
  }

  make(wish: Word & { readonly role: Role; readonly credentialSha256: string }): Promise<Result<OperatorView>> {
    const name = nameOf(wish.name);
    return this.change('operator.made', { ...wish, name }, async (tx, all) => {
      if (named(all, name) !== undefined) return invalid(`There is or was an operator ${name}. A name is given once`);
      const taken = credentialTaken(all, wish.credentialSha256);
      if (taken !== null) return taken;
      await insertOperator(tx, { ...wish, name }, wish.by, this.clock.now());
      return null;
    });
  }

  changeRole(wish: Word & { readonly role: Role }): Promise<Result<OperatorView>> {
    return this.change('operator.role_changed', wish, async (tx, all) => {
      const one = inForce(all, wish.name);
      if (one === undefined) return nobody(wish.name);
      await tx.query('update operators set role = $2 where name = $1', [one.name, wish.role]);
      return null;
    });
  }

  /** A new credential in the place of one that was lost. */
  recover(wish: Word & { readonly credentialSha256: string }): Promise<Result<OperatorView>> {
    return this.change('operator.recovered', wish, async (tx, all) => {
      const one = inForce(all, wish.name);
      if (one === undefined) return nobody(wish.name);
      const taken = credentialTaken(all, wish.credentialSha256);
      if (taken !== null) return taken;
      await tx.query('update operators set credential_sha256 = $2 where name = $1', [one.name, wish.credentialSha256]);
      return null;
    });
  }

  /** At once: the credential opens nothing more. */
  remove(wish: Word): Promise<Result<OperatorView>> {
    return this.change('operator.removed', wish, async (tx, all) => {
      const one = inForce(all, wish.name);
      if (one === undefined) return nobody(wish.name);
      await tx.query(
        'update operators set credential_sha256 = null, removed_at = $2, removed_by = $3 where name = $1',
        [one.name, this.clock.now(), wish.by],
      );
      return null;
    });
  }

  private change(
    act: string,
    { name, by, reason, role }: Word & { readonly role?: Role },
    work: (tx: Transaction, all: readonly Operator[]) => Promise<{ ok: false; error: Problem } | null>,
  ): Promise<Result<OperatorView>> {
    return this.db.inTransaction<Result<OperatorView>>(async (tx) => {
      const refused = await work(tx, await lockOperators(tx));
      if (refused !== null) return refused;
      const all = await allOperators(tx);
      const one = named(all, name);
      if (one === undefined) return nobody(name);
      const details = role === undefined ? {} : { role };
      await recordAuditEntry(tx, {
        by,
        act,
        partnerId: null,
        subject: one.name,
        reason,
        details,
        at: this.clock.now(),
      });
      return ok(operatorView(all, one));
    });
  }
}

function inForce(all: readonly Operator[], name: string): Operator | undefined {
  const one = named(all, name);
  return one?.removedAt === null ? one : undefined;
}

function credentialTaken(all: readonly Operator[], hash: string): { ok: false; error: Problem } | null {
  const isTaken = all.some(({ credentialSha256 }) => credentialSha256 === hash);
  return isTaken ? invalid('This credential belongs to an operator already. Make another') : null;
}

function nobody(name: string): { ok: false; error: Problem } {
  return fail({ code: 'not_found', message: `There is no operator "${name}"` });
}

function invalid(message: string): { ok: false; error: Problem } {
  return fail({ code: 'invalid_request', message });
}

function operatorView(all: readonly Operator[], one: Operator): OperatorView {
  return {
    name: one.name,
    role: one.role,
    state: one.removedAt === null ? 'in force' : 'removed',
    made_by: one.madeBy,
    goes_back_to: rootOf(all, one.name),
    made_at: one.madeAt.toISOString(),
    removed_at: one.removedAt?.toISOString() ?? null,
    removed_by: one.removedBy,
  };
}

/** As much as `least`, or more. */
export function mayDo(role: Role, least: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(least);
}
