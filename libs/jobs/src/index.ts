export * from './job-clock.js';
export type { JobConnection, PostgresJobs, RedisJobs } from './job-store.js';
export * from './queues.js';
