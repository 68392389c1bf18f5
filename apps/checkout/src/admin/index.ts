export {
  type CheckoutDeskMethods,
  openCheckoutDesk,
  type OpenOrderView,
  type OrderDepositView,
  type OrderPage,
} from './checkout-desk.js';
