export { CheckQuote } from './check-quote.js';
export { GiveQuote } from './give-quote.js';
export { QuoteStore } from './quote.store.js';
export { QuotesModule } from './quotes.module.js';
export { releaseQuote, takeQuote } from './take-quote.js';
