import { ruleOf } from '@vuka/contracts';
import { fail, ok, type Problem, type Result } from '@vuka/domain';
import { actedBy, type Actor, type AdminOperations, untagged, WaitsForApproval } from '@vuka/http';

import type { ServiceCalls } from '../service-calls.js';
import { notYou } from './approvals.js';
import { areRelated } from './operator.store.js';
import { mayDo } from './operators.js';
import type { People } from './people.js';

/** Who proposed what a service keeps, so that accounts of one person do not agree with each other. */
const PROPOSER: Readonly<Record<string, (calls: ServiceCalls, act: object) => Promise<string | undefined>>> = {
  'payments.approve': async ({ payments }, act) => (await payments.settlement(idIn(act, 'settlementId')))?.proposed_by,
  'payments.approveAdjustment': async ({ payments }, act) =>
    (await payments.adjustment(idIn(act, 'adjustmentId')))?.proposed_by,
  'payments.approveFloatMovement': async ({ payments }, act) => {
    const id = idIn(act, 'movementId');
    const [one] = await payments.floatMovements({ before: id + 1, limit: 1 });
    return one?.id === id ? one.proposed_by : undefined;
  },
};

/**
 * The operations of one service as its rules let people call them. What needs a second person is kept, and answered
 * with what waits. Errors beside those of the operation: not_found, forbidden.
 */
export function guarded(
  service: string,
  operations: AdminOperations,
  people: People,
  callsOf: (...asked: Parameters<AdminOperations['call']>) => ServiceCalls,
): AdminOperations {
  return {
    call: async (...asked) => {
      const [method, args, actor] = asked;
      const rule = ruleOf(service, method);
      if (rule === undefined) return fail({ code: 'not_found', message: `The admin API has no operation "${method}"` });
      if (!mayDo(actor.role, rule.least)) return fail(needsRole(rule.least));
      const needsSecond = rule.approvals === 1 && actor.approvedBy === null;
      const proposer = PROPOSER[`${service}.${method}`];
      if (!needsSecond && proposer === undefined) return operations.call(...asked);
      const person = personOf(actor, args);
      if (!person.ok) return person;
      const { by, signed } = person.value;
      if (needsSecond)
        return ok(
          new WaitsForApproval(await people.approvals.ask({ service, method, args: signed, askedBy: by }, actor)),
        );
      // As the service reads it: an object can be tagged in another form, whose number would be passed over.
      const proposedBy = await proposer?.(callsOf(...asked), untagged(signed[0]) as object);
      if (proposedBy !== undefined && areRelated(await people.operators.all(), proposedBy, by))
        return fail(notYou(proposedBy));
      return operations.call(...asked);
    },
  };
}

export function needsRole(least: string): Problem {
  return { code: 'forbidden', message: `This needs the role ${least}` };
}

/** Without a name of its own (in the sandbox) it is who `by` says. */
function personOf({ name }: Actor, args: readonly unknown[]): Result<{ by: string; signed: readonly unknown[] }> {
  const signed = name === null ? ok(args) : actedBy(args, name);
  if (!signed.ok) return signed;
  const act = signed.value[0];
  const by: unknown = typeof act === 'object' && act !== null && 'by' in act ? act.by : undefined;
  return typeof by === 'string' && by.trim() !== '' && by.length <= 80
    ? ok({ by, signed: signed.value })
    : fail({ code: 'invalid_request', message: 'by: whoever asks must give a name' });
}

function idIn(act: object, name: string): number {
  const id: unknown = Object.entries(act).find(([member]) => member === name)?.[1];
  return typeof id === 'number' && Number.isSafeInteger(id) && id > 0 ? id : 1;
}
