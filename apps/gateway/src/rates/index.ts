export { GiveQuote, type GiveQuoteOptions } from './give-quote.js';
export { RatesController } from './rates.controller.js';
export { DIRECTIONS, RATE_FIELDS, TellRates, type TellRatesOptions } from './tell-rates.js';
