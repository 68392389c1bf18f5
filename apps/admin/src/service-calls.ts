import type { CheckoutDeskMethods } from '@vuka/checkout';
import type { CallContext, DeskCalls, DeskMethods } from '@vuka/contracts';
import { ADMIN_SERVICES, type AdminServiceName } from '@vuka/data-folder';
import type { GatewayDeskMethods } from '@vuka/gateway';
import { type AdminOperations, type OperatorName, remoteDesk } from '@vuka/http';
import type { NotifierDeskMethods } from '@vuka/notifier';
import type { OfframpDeskMethods } from '@vuka/offramp';
import type { PaymentsDeskMethods } from '@vuka/payments';

/** The admin operations of each service, by their names: of this process, or reached over the network. */
export type ServiceOperations = Readonly<Record<AdminServiceName, AdminOperations>>;

/** What each service's admin operations let be called, wherever they are. */
export interface ServiceCalls {
  readonly gateway: DeskCalls<GatewayDeskMethods>;
  readonly payments: DeskCalls<PaymentsDeskMethods>;
  readonly offramp: DeskCalls<OfframpDeskMethods>;
  readonly checkout: DeskCalls<CheckoutDeskMethods>;
  readonly notifier: DeskCalls<NotifierDeskMethods>;
}

/** Who asks, and until when the answer is wanted. */
export interface Caller {
  readonly operator: OperatorName;
  readonly isWanted: () => boolean;
  readonly context: CallContext;
}

/** The operations as functions, asked for `caller` and with no other right. */
export function callsFor(operations: ServiceOperations, { operator, isWanted, context }: Caller): ServiceCalls {
  const of = <M extends DeskMethods>(service: AdminServiceName): DeskCalls<M> =>
    remoteDesk<M>((name, args) => operations[service].call(name, args, operator, isWanted, context));
  return {
    gateway: of('gateway'),
    payments: of('payments'),
    offramp: of('offramp'),
    checkout: of('checkout'),
    notifier: of('notifier'),
  };
}

/** One for each service that keeps something. */
export function forEachService<T>(make: (service: AdminServiceName) => T): Readonly<Record<AdminServiceName, T>> {
  return Object.fromEntries(ADMIN_SERVICES.map((service) => [service, make(service)])) as Record<AdminServiceName, T>;
}
