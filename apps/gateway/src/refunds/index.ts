export { RefundsModule } from './refunds.module.js';
