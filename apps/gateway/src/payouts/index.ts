export { AcceptPayout, type AcceptPayoutOptions } from './accept-payout.js';
export { CheckDeposit, type CheckDepositOptions } from './check-deposit.js';
export { ControlSandboxPayout, type ControlSandboxPayoutOptions } from './control-sandbox-payout.js';
export { PayoutsController } from './payouts.controller.js';
export { SandboxPayoutsController } from './sandbox-payouts.controller.js';
