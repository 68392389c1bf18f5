export { type Peg, Rates } from './rates.js';
export { RatesModule } from './rates.module.js';
