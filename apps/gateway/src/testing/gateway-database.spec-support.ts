import type { Database } from '@vuka/persistence';
import { borrowDatabase, type TestDatabase } from '@vuka/persistence/test-postgres';
import { openService, type OpenedService } from '@vuka/service-host';
import { testContext, type TestParts } from '@vuka/service-host/test-context';

import { gateway } from '../gateway.js';
import type { GatewayRoot } from '../gateway.root.js';
import { ApiKeyEntity } from '../keys/api-key.entity.js';
import { gatewayMigrations } from '../store/migrations.js';
import { PartnerEntity } from '../keys/partner.entity.js';
import { PEPPER, silentLog } from './gateway.spec-support.js';

export type { TestDatabase };

export const startTestDatabase = (): Promise<TestDatabase> =>
  borrowDatabase([{ name: 'gateway', migrations: gatewayMigrations }]);

/** Without events and jobs; does not listen before start(). */
export function openGateway(
  { config }: Pick<TestDatabase, 'config'>,
  parts: TestParts,
): Promise<OpenedService<GatewayRoot>> {
  return openService(
    gateway,
    testContext({
      database: config,
      log: silentLog,
      keyPeppers: PEPPER,
      jobs: { every: () => undefined, wakeAt: async () => undefined },
      eventBus: { subscribe: () => () => Promise.resolve() },
      ...parts,
      settings: { port: 0, ...parts.settings },
    }),
  );
}

export interface GatewayTables extends Pick<TestDatabase, 'config'> {
  readonly db: Database;
  /** As superuser. */
  readonly admin: Database;
  stop(): Promise<void>;
}

export async function startGatewayTables(): Promise<GatewayTables> {
  const database = await startTestDatabase();
  return {
    db: await database.connect({ entities: [PartnerEntity, ApiKeyEntity] }),
    admin: await database.connectAsAdmin(),
    config: database.config,
    stop: () => database.stop(),
  };
}
