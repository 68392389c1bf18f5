export { ChainsModule } from './chains.module.js';
export {
  type ChainReader,
  type ChainsByName,
  READ_WITHIN_MS,
  type ReadsDeposits,
  type ScannedChain,
  type ScannedPage,
  type ScansIncomingTransfers,
  SERVED_CHAIN_NAMES,
  type ServedChain,
  type ToldIncomingTransfer,
} from './chain-reader.js';
export { OPEN_READER, type OpenReader, ServedChains } from './served-chains.js';
