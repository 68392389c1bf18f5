import { fail } from '@vuka/domain';
import { type AdminOperations, type Admins, runTaggedMethod } from '@vuka/http';
import { ServiceUnavailableError } from '@vuka/runtime';

import { guarded } from './people/guard.js';
import { peopleMethods } from './people/people-methods.js';
import type { People } from './people/people.js';
import { callsFor, type ServiceCalls, type ServiceOperations } from './service-calls.js';
import { AdminViews } from './views/admin-views.js';
import { viewMethods } from './views/view-methods.js';

/** By service name; `admin` has those that combine services, and those of people. `isRunning`: chains and providers can be asked. */
export function gatheredOperations(
  services: ServiceOperations,
  { people, isRunning }: { readonly people: People; readonly isRunning: boolean },
): Admins {
  const callsOf = (...[, , actor, isWanted, context]: Parameters<AdminOperations['call']>): ServiceCalls =>
    callsFor(services, { actor, isWanted, context });
  const own: AdminOperations = {
    call: (...asked) => {
      const [name, args, actor, isWanted, context] = asked;
      const all: Readonly<Record<string, AdminOperations>> = { ...services, admin: own };
      const methods = {
        ...viewMethods(new AdminViews(callsOf(...asked), isRunning, people, actor.name)),
        ...peopleMethods(
          people,
          actor,
          async ({ service, method, args: agreed }, by) =>
            all[service]?.call(method, agreed, by, isWanted, context) ?? fail({ code: 'not_found', message: service }),
        ),
      };
      return runTaggedMethod(methods, name, args, actor);
    },
  };
  return Object.fromEntries(
    Object.entries({ ...services, admin: own }).map(([name, operations]) => [
      name,
      tellingUnsent(guarded(name, operations, people, callsOf)),
    ]),
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
