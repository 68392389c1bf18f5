export { ClaimConsumer } from './claim.consumer.js';
export { ClaimStore, type ClaimToLookAt, type ClaimToTell, type OrderClaim } from './claim.store.js';
export { DepositStore, type UnappliedDeposit } from './deposit.store.js';
export { PartnerExposure } from './exposure.js';
export { nextLookAfterMs } from './look-pace.js';
export {
  type Look,
  lookAt,
  type LookParts,
  OVERRUN_MS,
  READ_MS,
  type ReadsDeposits,
  type ReadsExposure,
  sendersOf,
  type ServedChain,
} from './look.js';
export {
  type DepositToRecheck,
  RecheckStore,
  type RevertedDeposit,
  type Room,
  type ToldDeposit,
} from './recheck.store.js';
export {
  canonicalHash,
  commitVerdict,
  DepositTaken,
  expose,
  Exposed,
  arrivedOf,
  type Recorded,
  RecordLook,
  transferOf,
} from './record-look.js';
export { type BuyingRates, CONSUMER_GROUP, TakeClaim } from './take-claim.js';
