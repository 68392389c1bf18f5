export { CheckRefundAddress } from './check-refund-address.js';
export { loadScreening, SANDBOX_SCREENED, type Screening } from './screening.js';
