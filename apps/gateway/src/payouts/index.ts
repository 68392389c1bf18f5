export { PayoutsModule } from './payouts.module.js';
export { PAYOUT_OPERATIONS, SANDBOX_OPERATIONS } from './payouts.operations.js';
