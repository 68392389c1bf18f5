export * from './job-clock.js';
export * from './queues.js';
