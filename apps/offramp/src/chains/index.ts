export { ListNetworks } from './list-networks.js';
export { type OpenReader, readersWith, ServedChains } from './served-chains.js';
