export { ExecuteSettlement } from './execute-settlement.js';
export { type SettlementProposal, SettlePayout } from './settle-payout.js';
export { SettlementStore } from './settlement.store.js';
export { SettlementsModule } from './settlements.module.js';
