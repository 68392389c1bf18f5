export {
  type CheckoutAdminMethods,
  openCheckoutAdmin,
  type OpenOrderView,
  type OrderDepositView,
  type OrderPage,
} from './admin/index.js';
export type { CheckoutRoot } from './checkout.root.js';
export { checkout } from './checkout.js';
