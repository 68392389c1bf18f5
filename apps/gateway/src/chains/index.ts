export { ChainsModule } from './chains.module.js';
export { CheckRefundAddress } from './check-refund-address.js';
export { checkServed } from './check-served.js';
export { ListNetworks } from './list-networks.js';
export { ServedChains } from './served-chains.js';
