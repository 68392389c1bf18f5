import { type ApprovalView, ruleOf } from '@vuka/contracts';
import { fail, ok, type Problem, type Result } from '@vuka/domain';
import type { Actor } from '@vuka/http';
import { type Database, recordAuditEntry, type Transaction } from '@vuka/persistence';
import type { Clock } from '@vuka/runtime';

import {
  type Approval,
  decide,
  end,
  insertApproval,
  listApprovals,
  lockApproval,
  sameWaiting,
} from './approval.store.js';
import { areRelated, named, type Operator } from './operator.store.js';
import { mayDo, type Operators } from './operators.js';
import { says } from './says.js';

const EXPIRES_AFTER_MS = 7 * 24 * 60 * 60_000;
/** The service was away or busy: neither done nor refused. */
const NOTHING_WAS_DONE: ReadonlySet<string> = new Set(['service_unavailable', 'rate_limited']);
const DONE_BEFORE = 'It was done at an earlier try, whose answer was lost';

export interface Wish {
  readonly service: string;
  readonly method: string;
  /** Tagged JSON. */
  readonly args: readonly unknown[];
  readonly askedBy: string;
}

/** Carries out what was agreed to. Throws outages. */
export type Execute = (approval: Approval, actor: Actor) => Promise<Result<unknown>>;

export interface Approved {
  readonly approval: ApprovalView;
  /** Tagged JSON of what the operation answers; null: it was lost, or the service refused. */
  readonly answer: unknown;
}

interface Decision {
  readonly id: number;
  readonly by: string;
  readonly actor: Actor;
}

/** Keeps what needs two people until another than the one who asked agrees, and then has it done once. */
export class Approvals {
  constructor(
    private readonly db: Database,
    private readonly operators: Operators,
    private readonly clock: Clock,
  ) {}

  /** The same that waits already is not asked for twice. */
  async ask({ service, method, args, askedBy }: Wish, { role, operationId }: Actor): Promise<ApprovalView> {
    const askedAt = this.clock.now();
    const wish = {
      operationId,
      service,
      method,
      args,
      says: says(`${service}.${method}`, args),
      askedBy,
      askedRole: role,
      askedAt,
      expiresAt: new Date(askedAt.getTime() + EXPIRES_AFTER_MS),
    };
    const approval = await this.db.inTransaction(async (tx) => {
      const known = await sameWaiting(tx, wish);
      if (known !== undefined) return known;
      const made = await insertApproval(tx, wish);
      await this.record(tx, 'approval.asked', made, askedBy);
      return made;
    });
    return this.view(approval, await this.operators.all());
  }

  async list(wanted: {
    readonly open: boolean;
    readonly before: number | null;
    readonly limit: number;
  }): Promise<ApprovalView[]> {
    const [found, all] = await Promise.all([
      listApprovals(this.db, { ...wanted, now: this.clock.now() }),
      this.operators.all(),
    ]);
    return found.map((one) => this.view(one, all));
  }

  /** Again after a lost answer: the operation's id has it done once. Errors: not_found, forbidden, invalid_request. */
  async approve(decision: Decision, signature: string | null, execute: Execute): Promise<Result<Approved>> {
    const agreed = await this.agree(decision);
    if (!agreed.ok) return agreed;
    const { askedBy, askedRole, operationId, id, decidedBy } = agreed.value;
    const actor: Actor = {
      name: askedBy,
      role: askedRole,
      approvedBy: decidedBy,
      operationId,
      signature: signature ?? undefined,
    };
    const answer = await execute(agreed.value, actor);
    // It stays approved, and is tried again.
    if (!answer.ok && NOTHING_WAS_DONE.has(answer.error.code)) return answer;
    const ended = await end(this.db, id, endOf(answer));
    return ok({ approval: this.view(ended, await this.operators.all()), answer: answer.ok ? answer.value : null });
  }

  /** Anybody may who may ask for it, the one who asked too. */
  async decline({ id, by, actor }: Decision, reason: string): Promise<Result<ApprovalView>> {
    const declined = await this.db.inTransaction<Result<Approval>>(async (tx) => {
      const found = await this.open(tx, id, actor);
      if (!found.ok) return found;
      if (found.value.state !== 'waiting') return invalid('It was approved already');
      const at = this.clock.now();
      const done = await decide(tx, id, { state: 'declined', by, at, detail: reason });
      await this.record(tx, 'approval.declined', done, by, reason);
      return ok(done);
    });
    return declined.ok ? ok(this.view(declined.value, await this.operators.all())) : declined;
  }

  private async agree({ id, by, actor }: Decision): Promise<Result<Approval>> {
    const all = await this.operators.all();
    return this.db.inTransaction<Result<Approval>>(async (tx) => {
      const found = await this.open(tx, id, actor);
      if (!found.ok) return found;
      const { askedBy, state } = found.value;
      if (areRelated(all, askedBy, by)) return fail(notYou(askedBy));
      if (state === 'approved') return found;
      // Who was shut out may have left it behind.
      if (named(all, askedBy)?.removedAt) return invalid(`${askedBy} was shut out. Whoever still wants it asks anew`);
      const agreed = await decide(tx, id, { state: 'approved', by, at: this.clock.now(), detail: null });
      await this.record(tx, 'approval.approved', agreed, by);
      return ok(agreed);
    });
  }

  private async open(tx: Transaction, id: number, { role }: Actor): Promise<Result<Approval>> {
    const found = await lockApproval(tx, id);
    if (found === undefined) return fail({ code: 'not_found', message: `Nothing waits as a${id}` });
    const least = ruleOf(found.service, found.method)?.least ?? 'admin';
    if (!mayDo(role, least)) return fail({ code: 'forbidden', message: `This needs the role ${least}` });
    const { state } = this.view(found, []);
    return state === 'waiting' || state === 'approved' ? ok(found) : invalid(`a${id} is ${state} already`);
  }

  private record(tx: Transaction, act: string, approval: Approval, by: string, reason = approval.says): Promise<void> {
    const { id, service, method } = approval;
    const subject = `approval a${id}`;
    const details = { operation: `${service}.${method}` };
    return recordAuditEntry(tx, { by, act, partnerId: null, subject, reason, details, at: this.clock.now() });
  }

  private view(approval: Approval, all: readonly Operator[]): ApprovalView {
    const { id, service, method, state, askedBy, expiresAt, decidedAt } = approval;
    const isOver = state === 'waiting' && expiresAt.getTime() <= this.clock.now().getTime();
    const least = ruleOf(service, method)?.least ?? 'admin';
    const can = all.filter(
      (one) => one.removedAt === null && mayDo(one.role, least) && !areRelated(all, askedBy, one.name),
    );
    return {
      id: `a${id}`,
      operation: `${service}.${method}`,
      args: [...approval.args],
      operation_id: approval.operationId,
      says: approval.says,
      asked_by: askedBy,
      asked_at: approval.askedAt.toISOString(),
      expires_at: expiresAt.toISOString(),
      state: isOver ? 'expired' : state,
      decided_by: approval.decidedBy,
      decided_at: decidedAt?.toISOString() ?? null,
      detail: approval.detail,
      can_approve: can.map(({ name }) => name),
    };
  }
}

/** Services answer with a result of their own; admin's calls with the transport's. */
function endOf(answer: Result<unknown>): Pick<Approval, 'state' | 'detail'> {
  if (!answer.ok && answer.error.code === 'reference_reused') return { state: 'done', detail: DONE_BEFORE };
  const refused = answer.ok ? refusalIn(answer.value) : answer.error.message;
  return refused === null ? { state: 'done', detail: null } : { state: 'refused', detail: refused };
}

function refusalIn(value: unknown): string | null {
  if (typeof value !== 'object' || value === null || !('ok' in value) || value.ok !== false) return null;
  const error: unknown = 'error' in value ? value.error : null;
  if (typeof error === 'string') return error;
  return typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : 'It was refused';
}

export function notYou(askedBy: string): Problem {
  return {
    code: 'forbidden',
    message: `${askedBy} asked for it. Another person must approve it, whose account goes back to somebody else`,
  };
}

function invalid(message: string): { ok: false; error: Problem } {
  return fail({ code: 'invalid_request', message });
}
