import type { Database } from '@vuka/persistence';
import { borrowDatabase, type TestDatabase } from '@vuka/persistence/test-postgres';

import { ApiKeyEntity } from '../keys/api-key.entity.js';
import { gatewayMigrations } from '../store/migrations.js';
import { PartnerEntity } from '../keys/partner.entity.js';

export type { TestDatabase };

/** A database of this suite's own with the gateway's tables in it. */
export const startTestDatabase = (): Promise<TestDatabase> =>
  borrowDatabase([{ name: 'gateway', migrations: gatewayMigrations }]);

export interface GatewayTables extends Pick<TestDatabase, 'config'> {
  readonly db: Database;
  stop(): Promise<void>;
}

/** The same, with connections to them. */
export async function startGatewayTables(): Promise<GatewayTables> {
  const database = await startTestDatabase();
  return {
    db: await database.connect({ entities: [PartnerEntity, ApiKeyEntity] }),
    config: database.config,
    stop: () => database.stop(),
  };
}
