export { RatesModule } from './rates.module.js';
export { DIRECTIONS, RATE_FIELDS } from './get-rates.js';
export { QUOTE_OPERATIONS, RATE_ANSWERS, RATE_OPERATIONS } from './rates.operations.js';
