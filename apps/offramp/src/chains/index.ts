export type {
  ChainReader,
  ReadsDeposits,
  ScannedChain,
  ScannedPage,
  ScansArrivals,
  ServedChain,
  ToldArrival,
} from './chain-reader.js';
export { type OpenReader, readersWith, ServedChains } from './served-chains.js';
