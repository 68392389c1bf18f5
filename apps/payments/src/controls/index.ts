export { FreezePayouts, type FreezeWish } from './freeze-payouts.js';
export { FreezeStore, type KeptFreeze } from './freeze.store.js';
export { type Freeze, FrozenPartners, READ_AGAIN_AFTER_MS, RefuseFrozen } from './frozen-partners.js';
export { PartnerConsumer } from './partner.consumer.js';
export { RecordPartnerStatus } from './record-partner-status.js';
export { ReleaseParked, type ReleaseWish } from './release-parked.js';
export { faultOfWord, isName, isReason, MAX_NAME, MAX_REASON, nameOf, samePerson } from './two-people.js';
export { RefuseCrowd } from './waiting-pays.js';
export { WakeStopped } from './wake-stopped.js';
