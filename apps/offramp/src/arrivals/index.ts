export { ArrivalStore, type NewArrival, type UnclaimedArrival } from './arrival.store.js';
export { RecordPage } from './record-page.js';
export { ScanChains, type ScansArrivals } from './scan-chains.js';
export { ScanStore } from './scan.store.js';
export { measureArrivals, UNCLAIMED_AFTER_MS, WatchArrivals } from './watch-arrivals.js';
export { WatchedAddresses } from './watched-addresses.js';
