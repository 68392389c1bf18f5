export {
  ArrivalStore,
  type NewArrival,
  UNCLAIMED_AFTER_MS,
  type UnclaimedArrival,
  type UnreadableArrival,
} from './arrival.store.js';
export { type PageInHand, ScanStore } from './scan.store.js';
export { ArrivalsModule } from './arrivals.module.js';
