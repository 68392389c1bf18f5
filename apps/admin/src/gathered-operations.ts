import { fail } from '@vuka/domain';
import { type AdminOperations, type Admins, runTaggedMethod } from '@vuka/http';
import { ServiceUnavailableError } from '@vuka/runtime';

import { callsFor, type ServiceOperations } from './service-calls.js';
import { AdminViews } from './views/admin-views.js';
import { viewMethods } from './views/view-methods.js';

/**
 * All that admin answers: the operations of each service under its name, and under `admin` what is told of several at once. `isRunning`:
 * the services work, so that chains and providers can be asked.
 */
export function gatheredOperations(
  services: ServiceOperations,
  { isRunning }: { readonly isRunning: boolean },
): Admins {
  const views: AdminOperations = {
    call: (name, args, operator, isWanted, context) => {
      const calls = callsFor(services, { operator, isWanted, context });
      return runTaggedMethod(viewMethods(new AdminViews(calls, isRunning)), name, args, operator);
    },
  };
  return Object.fromEntries(
    Object.entries({ ...services, admin: views }).map(([name, operations]) => [name, tellingUnsent(operations)]),
  );
}

/** Where a service was not reached at all, nothing was done: this is said as a refusal, because an outage of ours leaves it open. */
function tellingUnsent(operations: AdminOperations): AdminOperations {
  return {
    call: async (...asked) => {
      try {
        return await operations.call(...asked);
      } catch (error) {
        if (!(error instanceof ServiceUnavailableError) || error.sent) throw error;
        return fail({ code: 'service_unavailable', message: error.message });
      }
    },
  };
}
