export * from './api-client.js';
export * from './check-outside.js';
export * from './destinations.js';
export * from './outside-checker.js';
export * from './rail-book.js';
export * from './until.js';
export * from './vuka-process.js';
export * from './webhook-receiver.js';
