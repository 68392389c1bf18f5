import { randomUUID } from 'node:crypto';

import type { CheckoutAdminMethods } from '@vuka/checkout';
import type { CallContext, AdminCalls, AdminMethods } from '@vuka/contracts';
import { ADMIN_SERVICES, type AdminServiceName } from '@vuka/data-folder';
import type { GatewayAdminMethods } from '@vuka/gateway';
import { type Actor, type AdminOperations, remoteAdmin } from '@vuka/http';
import type { NotifierAdminMethods } from '@vuka/notifier';
import type { OfframpAdminMethods } from '@vuka/offramp';
import type { PaymentsAdminMethods } from '@vuka/payments';

/** In this process or over the network. */
export type ServiceOperations = Readonly<Record<AdminServiceName, AdminOperations>>;

export interface ServiceCalls {
  readonly gateway: AdminCalls<GatewayAdminMethods>;
  readonly payments: AdminCalls<PaymentsAdminMethods>;
  readonly offramp: AdminCalls<OfframpAdminMethods>;
  readonly checkout: AdminCalls<CheckoutAdminMethods>;
  readonly notifier: AdminCalls<NotifierAdminMethods>;
}

export interface Caller {
  readonly actor: Actor;
  readonly isWanted: () => boolean;
  readonly context: CallContext;
}

/** What admin does by several calls is several operations: none is another's repetition. */
const ofItsOwn = (actor: Actor): Actor => ({ ...actor, operationId: randomUUID() });

/** Calls run with the caller's rights only. */
export function callsFor(operations: ServiceOperations, { actor, isWanted, context }: Caller): ServiceCalls {
  const of = <M extends AdminMethods>(service: AdminServiceName): AdminCalls<M> =>
    remoteAdmin<M>((name, args) => operations[service].call(name, args, ofItsOwn(actor), isWanted, context));
  return {
    gateway: of('gateway'),
    payments: of('payments'),
    offramp: of('offramp'),
    checkout: of('checkout'),
    notifier: of('notifier'),
  };
}

/** For each service that stores something. */
export function forEachService<T>(make: (service: AdminServiceName) => T): Readonly<Record<AdminServiceName, T>> {
  return Object.fromEntries(ADMIN_SERVICES.map((service) => [service, make(service)])) as Record<AdminServiceName, T>;
}
