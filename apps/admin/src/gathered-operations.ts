import { fail } from '@vuka/domain';
import { type AdminOperations, type Admins, runTaggedMethod } from '@vuka/http';
import { ServiceUnavailableError } from '@vuka/runtime';

import { callsFor, type ServiceOperations } from './service-calls.js';
import { AdminViews } from './views/admin-views.js';
import { viewMethods } from './views/view-methods.js';

/** By service name; `admin` has those that combine services. `isRunning`: chains and providers can be asked. */
export function gatheredOperations(
  services: ServiceOperations,
  { isRunning }: { readonly isRunning: boolean },
): Admins {
  const views: AdminOperations = {
    call: (name, args, operator, isWanted, context) => {
      const calls = callsFor(services, { operator, isWanted, context });
      return runTaggedMethod(viewMethods(new AdminViews(calls, isRunning, operator)), name, args, operator);
    },
  };
  return Object.fromEntries(
    Object.entries({ ...services, admin: views }).map(([name, operations]) => [name, tellingUnsent(operations)]),
  );
}

/** An unsent call did nothing. It is answered as a refusal: an outage would leave that open. */
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
