import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Database, ensureServiceLogins, startEmbeddedPostgres, type AdminLogin } from '@vuka/persistence';
import { uuidv7 } from '@vuka/platform';
import { bringCluster } from '@vuka/testing';

import { silentLog } from './gateway.spec-support.js';
import type { GatewayDependencies } from './start-gateway.js';
import { ApiKeyEntity } from './store/api-key.entity.js';
import { gatewayMigrations } from './store/migrations.js';
import { PartnerEntity } from './store/partner.entity.js';

export interface TestDatabase {
  readonly config: GatewayDependencies['database'];
  stop(): Promise<void>;
}

/** A database of this suite's own: in the server that TEST_DATABASE_URL names, else in one started here. */
export async function startTestDatabase(): Promise<TestDatabase> {
  const given = process.env['TEST_DATABASE_URL'];
  const server = given === undefined ? await startServer() : { admin: adminOf(new URL(given)), stop: () => Promise.resolve() };
  const database = `gateway_${uuidv7().replaceAll('-', '').slice(0, 24)}`;
  const password = 'gateway-test-password';
  await ensureServiceLogins(server.admin, database, [{ name: 'gateway', password }]);
  const { host, port } = server.admin;
  const login = { user: 'vuka_gateway', password, database, schema: 'gateway' };
  return { config: { host, port, ...login, maxConnections: 4, applicationName: 'gateway-test' }, stop: server.stop };
}

export interface GatewayTables extends TestDatabase {
  readonly db: Database;
}

/** The same, with the gateway's tables in it and connections to them. */
export async function startGatewayTables(): Promise<GatewayTables> {
  const { config, stop } = await startTestDatabase();
  const db = await Database.connect({ ...config, migrations: gatewayMigrations, entities: [PartnerEntity, ApiKeyEntity] });
  await db.migrate();
  return {
    config,
    db,
    stop: async () => {
      await db.close();
      await stop();
    },
  };
}

async function startServer(): Promise<{ admin: AdminLogin; stop: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'vuka-gateway-'));
  await bringCluster(join(folder, 'postgres'));
  const postgres = await startEmbeddedPostgres({ folder: join(folder, 'postgres'), durable: false, log: silentLog });
  const stop = async (): Promise<void> => {
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  };
  return { admin: postgres, stop };
}

function adminOf(url: URL): AdminLogin {
  return { host: url.hostname, port: Number(url.port), user: url.username, password: decodeURIComponent(url.password) };
}
