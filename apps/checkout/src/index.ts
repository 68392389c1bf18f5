import type { CheckoutDependencies } from './app.module.js';
import type { CheckoutService } from './start-checkout.js';

export type { CheckoutDependencies, CheckoutService };
export {
  type CheckoutDeskGround,
  type CheckoutDeskMethods,
  openCheckoutDesk,
  type OpenOrderView,
  type OrderDepositView,
  type OrderPage,
} from './admin/index.js';

/** As in start-checkout.ts, which is loaded when it is called: the desk wants the tables alone, and no framework. */
export async function startCheckout(deps: CheckoutDependencies): Promise<CheckoutService> {
  return (await import('./start-checkout.js')).startCheckout(deps);
}
