export { AcceptanceHandlers } from './accept/acceptance-handlers.js';
export { type ApprovalDecision, DecideApproval } from './approvals/decide-approval.js';
export { CallProvider } from './call-provider.js';
export { instructionOf } from './calls/instruction-of.js';
export { ControlSandboxPayout } from './control-sandbox-payout.js';
export { PayoutsModule } from './payouts.module.js';
export { RecordProviderAnswer } from './record-provider-answer.js';
export { StartPayout } from './start-payout.js';
export { storable } from './storable-answer.js';
