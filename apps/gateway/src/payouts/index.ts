export { PayoutsModule } from './payouts.module.js';
export { PAYOUT_ANSWERS, PAYOUT_OPERATIONS, SANDBOX_ANSWERS, SANDBOX_OPERATIONS } from './payouts.operations.js';
