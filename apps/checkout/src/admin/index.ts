export {
  type CheckoutAdminMethods,
  openCheckoutAdmin,
  type OpenOrderView,
  type OrderDepositView,
  type OrderPage,
} from './checkout-admin.js';
