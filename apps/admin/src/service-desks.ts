import type { CheckoutDeskMethods } from '@vuka/checkout';
import type { DeskCalls } from '@vuka/contracts';
import type { GatewayDeskMethods } from '@vuka/gateway';
import type { NotifierDeskMethods } from '@vuka/notifier';
import type { OfframpDeskMethods } from '@vuka/offramp';
import type { PaymentsDeskMethods } from '@vuka/payments';

/** What each service's desk lets be called, wherever it is. */
export interface ServiceDesks {
  readonly gateway: DeskCalls<GatewayDeskMethods>;
  readonly payments: DeskCalls<PaymentsDeskMethods>;
  readonly offramp: DeskCalls<OfframpDeskMethods>;
  readonly checkout: DeskCalls<CheckoutDeskMethods>;
  readonly notifier: DeskCalls<NotifierDeskMethods>;
}
