import { ADMIN_OPERATION, adminApi, type CallContext, type InternalApi } from '@vuka/contracts';
import { fail } from '@vuka/domain';
import type { Clock } from '@vuka/runtime';
import type { z } from 'zod';

import type { OperatorName } from '../../admin/admin-calls.js';
import { CallEncoding, type Answer } from '../call-encoding.js';
import { isOperator, type AcceptedCaller } from './accepted-callers.js';

export type Admins = Readonly<Record<string, AdminOperations>>;

export interface AdminOperations {
  /** Arguments and answer are tagged JSON. `context.credential` is the operator's. */
  call(
    operation: string,
    args: readonly unknown[],
    operator: OperatorName,
    isWanted: () => boolean,
    context: CallContext,
  ): Promise<Answer>;
}

type Handler = (input: unknown, context: CallContext, caller: AcceptedCaller) => Promise<Answer>;

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
  const handler: Handler = async (input, context, caller) => {
    if (!isOperator(caller)) throw new Error('only people are let in here');
    const { operator, credential } = caller;
    const {
      service: whose,
      method,
      args,
    } = input as z.output<(typeof adminApi.operations)[typeof ADMIN_OPERATION]['input']>;
    const admin = Object.hasOwn(admins, whose) ? admins[whose] : undefined;
    if (admin === undefined)
      return fail({ code: 'not_found', message: `There is no admin API of "${whose}" at this address` });
    const answer = await admin.call(method, args, operator, () => clock.now().getTime() < context.deadline, {
      ...context,
      credential,
    });
    return answer.ok ? { ok: true, value: { answer: answer.value } } : answer;
  };
  return {
    name: ADMIN_OPERATION,
    encoding: new CallEncoding(service, ADMIN_OPERATION, adminApi.operations[ADMIN_OPERATION]),
    callers: [],
    handler,
  };
}
