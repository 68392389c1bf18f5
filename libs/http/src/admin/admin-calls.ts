import type { AdminCalls, AdminMethods, ApprovalView } from '@vuka/contracts';
import { fail, ok, type Problem, type Result } from '@vuka/domain';
import { duringOperation, OperationDoneError } from '@vuka/runtime';

import type { Actor } from './actor.js';
import { tagged, untagged } from './admin-codec.js';

/** The call was refused: nothing was done. */
export class AdminRefusedError extends Error {
  override readonly name = 'AdminRefusedError';

  constructor(readonly problem: Problem) {
    super(problem.message);
  }
}

/** Nothing was done yet: another person must agree. */
export class ApprovalNeededError extends Error {
  override readonly name = 'ApprovalNeededError';

  constructor(readonly approval: ApprovalView) {
    super(`${approval.id} waits for a second person`);
  }
}

const STRANGERS_NAME = 'This credential belongs to another person. Give that name in --by, or leave --by out';

/**
 * Errors: not_found, invalid_request, forbidden (`by` is not the credential's name), reference_reused (the operation
 * was done before). Throws what the method throws.
 */
export async function runAdminMethod(
  methods: AdminMethods,
  name: string,
  args: readonly unknown[],
  actor: Actor,
): Promise<Result<unknown>> {
  const method = Object.hasOwn(methods, name) ? methods[name] : undefined;
  if (method === undefined) return fail({ code: 'not_found', message: `The admin API has no operation "${name}"` });
  const signed = method.acts && actor.name !== null ? signedBy(args, actor.name) : ok(args);
  if (!signed.ok) return signed;
  const parsed = method.args.safeParse(signed.value);
  if (!parsed.success) {
    const faults = parsed.error.issues
      .slice(0, 5)
      .map(({ path, message }) => `${path.join('.') || '(whole)'}: ${message}`);
    return fail({ code: 'invalid_request', message: `The input of ${name} is not valid: ${faults.join('; ')}` });
  }
  return method.acts ? once(actor, () => method.run(...parsed.data)) : ok(await method.run(...parsed.data));
}

async function once(
  { operationId: id, role: held, approvedBy, isBreakGlass }: Actor,
  act: () => Promise<unknown>,
): Promise<Result<unknown>> {
  const role = isBreakGlass === true ? `break-glass ${held}` : held;
  try {
    return ok(await duringOperation({ id, role, approvedBy }, act));
  } catch (error) {
    if (!(error instanceof OperationDoneError)) throw error;
    return fail({
      code: 'reference_reused',
      message: 'This was done before, and is not done again. Look at what it changed',
    });
  }
}

/** Bytes; the reader's bound is twice this (http-exchange.ts). */
const LONGEST_ANSWER = 4 * 1024 * 1024;

/** Like runAdminMethod, with tagged JSON. invalid_request also for a too long answer. */
export async function runTaggedMethod(
  methods: AdminMethods,
  name: string,
  args: readonly unknown[],
  actor: Actor,
): Promise<Result<unknown>> {
  const given = args.map((one) => untagged(one));
  const answer = await runAdminMethod(methods, name, given, actor);
  if (!answer.ok) return answer;
  const written = tagged(answer.value);
  return Buffer.byteLength(JSON.stringify(written)) > LONGEST_ANSWER
    ? fail({ code: 'invalid_request', message: 'The answer is too long. Ask for a part of it' })
    : ok(written);
}

/** Throws AdminRefusedError and what `call` throws. */
export function remoteAdmin<M extends AdminMethods>(
  call: (method: string, args: unknown[]) => Promise<Result<unknown>>,
): AdminCalls<M> {
  return callsBy<M>(async (name, args) =>
    untagged(
      valueOf(
        await call(
          name,
          args.map((one) => tagged(one)),
        ),
      ),
    ),
  );
}

function callsBy<M extends AdminMethods>(
  run: (name: string, args: readonly unknown[]) => Promise<unknown>,
): AdminCalls<M> {
  const named = new Map<string, (...args: readonly unknown[]) => Promise<unknown>>();
  const get = (_target: object, name: string | symbol): unknown => {
    // With a `then`, `await` would take this for a promise.
    if (typeof name !== 'string' || name === 'then') return undefined;
    const known = named.get(name) ?? ((...args: readonly unknown[]) => run(name, args));
    named.set(name, known);
    return known;
  };
  return new Proxy({}, { get }) as AdminCalls<M>;
}

function valueOf(answer: Result<unknown>): unknown {
  if (!answer.ok) throw new AdminRefusedError(answer.error);
  return answer.value;
}

/** The arguments of an act, tagged JSON, in the name of who asks. Errors: forbidden (`by` is another person). */
export function actedBy(args: readonly unknown[], operator: string): Result<unknown[]> {
  const signed = signedBy(
    args.map((one) => untagged(one)),
    operator,
  );
  return signed.ok ? ok(signed.value.map((one) => tagged(one))) : signed;
}

function signedBy([act, ...rest]: readonly unknown[], operator: string): Result<unknown[]> {
  if (typeof act !== 'object' || act === null) return ok([act, ...rest]);
  const by: unknown = 'by' in act ? act.by : undefined;
  if (by !== undefined && by !== null && !(typeof by === 'string' && folded(by) === folded(operator)))
    return fail({ code: 'forbidden', message: STRANGERS_NAME });
  return ok([{ ...act, by: operator }, ...rest]);
}

function folded(name: string): string {
  return name.normalize('NFKC').trim().replace(/\s+/g, ' ').toLowerCase();
}
