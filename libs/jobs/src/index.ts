export * from './job-clock.js';
export type { JobConnection } from './job-store.js';
export * from './queues.js';
