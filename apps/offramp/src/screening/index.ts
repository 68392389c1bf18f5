export { CheckRefundAddress } from './check-refund-address.js';
export { SANDBOX_SCREENED, SCREENING, type Screening } from './screening.js';
export { ScreeningModule } from './screening.module.js';
