export { PayoutJobs } from './payout-jobs.js';
