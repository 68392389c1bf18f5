import type { adminApi, InternalClient } from '@vuka/contracts';
import type { AdminServiceName } from '@vuka/data-folder';
import { ok } from '@vuka/domain';
import { type AdminOperations, signAssertion } from '@vuka/http';
import type { Clock, SigningKey } from '@vuka/runtime';

/** As long as a service lets one statement take. */
const CALL_WITHIN_MS = 60_000;

/** Admin says who asks, and signs it for this one call: services know no operator. */
export function remoteOperations(
  service: AdminServiceName,
  client: InternalClient<typeof adminApi>,
  signing: SigningKey,
  clock: Clock,
): AdminOperations {
  return {
    call: async (method, args, actor, _isWanted, context) => {
      const deadline = Math.min(context.deadline, clock.now().getTime() + CALL_WITHIN_MS);
      const credential = signAssertion(signing, clock, actor, { service, method, args });
      const answer = await client.admin({ service, method, args: [...args] }, { ...context, deadline, credential });
      return answer.ok ? ok(answer.value.answer) : answer;
    },
  };
}
