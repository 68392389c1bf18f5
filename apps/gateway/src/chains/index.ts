export { CheckRefundAddress, type CheckRefundAddressOptions } from './check-refund-address.js';
export { checkServed } from './check-served.js';
export { ListNetworks, type ListNetworksOptions } from './list-networks.js';
export { ServedChains, type ServedChainsOptions } from './served-chains.js';
