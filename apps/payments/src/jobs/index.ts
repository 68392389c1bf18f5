export { JobsModule } from './jobs.module.js';
export { PayoutJobs } from './payout-jobs.js';
export { PeriodicJobs } from './periodic-jobs.js';
