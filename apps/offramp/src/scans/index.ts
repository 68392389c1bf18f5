export { RecordPage } from './record-page.js';
export { ScanChains } from './scan-chains.js';
export { WatchedAddresses } from './watched-addresses.js';
