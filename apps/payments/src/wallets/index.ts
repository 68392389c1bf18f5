export { type AdjustmentProposal, type AdjustmentWord, AdjustWallet } from './adjust-wallet.js';
export { AdjustmentStore, type AdjustmentsWanted, type KeptAdjustment } from './adjustment.store.js';
export { CollectReceivables } from './collect-receivables.js';
export { StatementStore } from './statement.store.js';
export { WalletStatement } from './wallet-statement.js';
export { Wallets } from './wallets.js';
export { WalletsModule } from './wallets.module.js';
export { WalletHandlers } from './wallet-handlers.js';
