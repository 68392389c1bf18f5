export { AskChain, READ_MS } from './ask-chain.js';
export { CheckDeposit, type Check } from './check-deposit.js';
export { ClaimStore, type ClaimToCheck, type ClaimToTell, type OrderClaim } from './claim.store.js';
export { ClaimsModule } from './claims.module.js';
export { DepositStore, type UnappliedDeposit } from './deposit.store.js';
export { DueClaims } from './due-claims.js';
export { type ExposureSettings, PartnerExposure, type ReadsExposure } from './exposure.js';
export { nextCheckAfterMs } from './check-pace.js';
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
  RecordCheck,
  transferOf,
} from './record-check.js';
export { type BuyingRates, CONSUMER_GROUP } from './take-claim.js';
