import type { adminApi, InternalClient } from '@vuka/contracts';
import type { AdminServiceName } from '@vuka/data-folder';
import { ok } from '@vuka/domain';
import type { AdminOperations } from '@vuka/http';
import type { Clock } from '@vuka/runtime';

/** As long as a service lets one statement take. */
const CALL_WITHIN_MS = 60_000;

/** Uses the operator's own credential. */
export function remoteOperations(
  service: AdminServiceName,
  client: InternalClient<typeof adminApi>,
  clock: Clock,
): AdminOperations {
  return {
    call: async (method, args, _operator, _isWanted, context) => {
      const deadline = Math.min(context.deadline, clock.now().getTime() + CALL_WITHIN_MS);
      const answer = await client.admin({ service, method, args: [...args] }, { ...context, deadline });
      return answer.ok ? ok(answer.value.answer) : answer;
    },
  };
}
