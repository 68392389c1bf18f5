export * from './local-desks.js';
export type { ServiceDesks } from './service-desks.js';
