export * from './payout-provider.js';
export * from './routes.js';
