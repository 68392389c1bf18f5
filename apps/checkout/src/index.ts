export { startCheckout } from './start-checkout.js';
