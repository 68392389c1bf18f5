export { Column, Entity, PrimaryColumn, type EntityManager, type MigrationInterface, type QueryRunner } from 'typeorm';
export * from './acts.js';
export * from './database.js';
export * from './database-errors.js';
export * from './embedded-postgres.js';
export type { LockSession } from './lock-session.js';
export * from './monthly-partitions.js';
export * from './service-logins.js';
