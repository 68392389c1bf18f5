export { RatesModule } from './rates.module.js';
export { DIRECTIONS, RATE_FIELDS } from './tell-rates.js';
