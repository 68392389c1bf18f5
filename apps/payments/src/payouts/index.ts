export { AcceptanceHandlers } from './accept/acceptance-handlers.js';
export { type ApprovalDecision, DecideApproval } from './approvals/decide-approval.js';
export { CallProvider } from './call-provider.js';
export { ControlSandboxPayout } from './control-sandbox-payout.js';
export { PayoutsModule } from './payouts.module.js';
export { StartPayout } from './start-payout.js';
