import { ADMIN_OPERATION, adminApi, type CallContext, type InternalApi } from '@vuka/contracts';
import { fail, ok } from '@vuka/domain';
import type { Clock } from '@vuka/runtime';
import type { z } from 'zod';

import { type Actor, type Person, WaitsForApproval } from '../../admin/actor.js';
import { CallEncoding, type Answer } from '../call-encoding.js';
import type { AcceptedCaller } from './accepted-callers.js';

export type Admins = Readonly<Record<string, AdminOperations>>;

export interface AdminOperations {
  /** Arguments and answer are tagged JSON. */
  call(
    operation: string,
    args: readonly unknown[],
    actor: Actor,
    isWanted: () => boolean,
    context: CallContext,
  ): Promise<Answer>;
}

type Handler = (input: unknown, context: CallContext, caller: Caller) => Promise<Answer>;

/** A service, or somebody whom the door for people let in. */
export type Caller = Pick<AcceptedCaller, 'caller'> & { readonly person?: Person };

export interface ServedOperation {
  readonly name: string;
  readonly encoding: CallEncoding;
  /** Of the row. */
  readonly callers: readonly string[];
  readonly handler: Handler;
}

export function servedOperations(
  service: string,
  api: InternalApi | undefined,
  handlers: unknown = {},
): ReadonlyMap<string, ServedOperation> {
  const table = handlers as Readonly<Record<string, Handler>>;
  return new Map(
    Object.entries(api?.operations ?? {}).flatMap(([name, operation]) => {
      const handler = table[name];
      return handler === undefined
        ? []
        : [
            [
              name,
              { name, encoding: new CallEncoding(service, name, operation), callers: operation.callers, handler },
            ] as const,
          ];
    }),
  );
}

export function servedAdmin(service: string, admins: Admins, clock: Clock): ServedOperation {
  const handler: Handler = async (input, context, { person }) => {
    const {
      service: whose,
      method,
      args,
      signature,
    } = input as z.output<(typeof adminApi.operations)[typeof ADMIN_OPERATION]['input']>;
    const admin = Object.hasOwn(admins, whose) ? admins[whose] : undefined;
    if (admin === undefined)
      return fail({ code: 'not_found', message: `There is no admin API of "${whose}" at this address` });
    if (person?.covers(whose, method, args) !== true)
      return fail({
        code: 'forbidden',
        message: 'What was asked is not what was asserted, or its second person has not signed it',
      });
    const answer = await admin.call(
      method,
      args,
      { ...person, signature },
      () => clock.now().getTime() < context.deadline,
      context,
    );
    if (!answer.ok) return answer;
    const { value } = answer;
    return ok(value instanceof WaitsForApproval ? { answer: null, approval: value.approval } : { answer: value });
  };
  return {
    name: ADMIN_OPERATION,
    encoding: new CallEncoding(service, ADMIN_OPERATION, adminApi.operations[ADMIN_OPERATION]),
    callers: [],
    handler,
  };
}
