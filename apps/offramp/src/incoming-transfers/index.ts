export {
  IncomingTransferStore,
  type NewIncomingTransfer,
  UNCLAIMED_AFTER_MS,
  type UnclaimedIncomingTransfer,
  type UnreadableIncomingTransfer,
} from './incoming-transfer.store.js';
export { type PageInHand, ScanStore } from './scan.store.js';
export { IncomingTransfersModule } from './incoming-transfers.module.js';
