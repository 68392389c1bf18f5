export { CallProvider } from './call-provider.js';
export { instructionOf } from './calls/instruction-of.js';
export { PayoutHandlers } from './payout-handlers.js';
export { PayoutsModule } from './payouts.module.js';
export { RecordProviderAnswer } from './record-provider-answer.js';
export { StartPayout } from './start-payout.js';
export { storable } from './storable-answer.js';
