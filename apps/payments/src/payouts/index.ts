export { AcceptanceHandlers } from './accept/acceptance-handlers.js';
export { CallRail } from './call-rail.js';
export { ControlSandboxPayout } from './control-sandbox-payout.js';
export { PayoutsModule } from './payouts.module.js';
export { StartPayout } from './start-payout.js';
