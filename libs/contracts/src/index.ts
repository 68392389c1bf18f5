export * from './deposit-facts.js';
export * from './events.js';
export * from './internal-api.js';
export * from './offramp-api.js';
export * from './other-apis.js';
export * from './partner-events.js';
export * from './payments-api.js';
export * from './services.js';
