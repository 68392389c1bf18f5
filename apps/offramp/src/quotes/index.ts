export { CheckQuote } from './check-quote.js';
export { CreateQuote } from './create-quote.js';
export { QuoteStore } from './quote.store.js';
export { QuotesModule } from './quotes.module.js';
export { releaseQuote, takeQuote } from './take-quote.js';
