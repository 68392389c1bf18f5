import { loadSettings } from '@vuka/config';
import { SERVICES } from '@vuka/contracts';
import type { TestDatabase } from '@vuka/persistence/test-postgres';

import type { ServiceSettings } from './service-settings.js';

/** Of a gateway whose other services are away. */
export function gatewaySettings(database: TestDatabase): ServiceSettings {
  return {
    ...loadSettings({}),
    service: 'gateway',
    kafka: null,
    redis: null,
    providersFile: null,
    allowStablecoinFundsAt: [],
    startPatienceMs: 5_000,
    risks: [],
    internal: { host: '127.0.0.1', port: 0, tls: null },
    database: { ...database.config, maxConnections: 2 },
    urls: Object.fromEntries(SERVICES.gateway.calls.map((name) => [name, 'http://127.0.0.1:1'])),
    secrets: {
      databasePassword: database.config.password,
      cipherKeys: [{ id: 'k1', key: Buffer.alloc(32, 2) }],
      indexKeys: [{ id: 'i1', key: Buffer.alloc(32, 3) }],
      webhookKeys: [{ id: 'w1', key: Buffer.alloc(32, 4) }],
      presents: Object.fromEntries(SERVICES.gateway.calls.map((name) => [name, `${name}-`.padEnd(40, 't')])),
      accepts: [],
      operators: [],
      assertionKey: null,
      adminKeys: [],
      approvers: [],
      keyPeppers: [{ id: 'p1', key: Buffer.alloc(32, 1) }],
      kafkaPassword: null,
      eventKeys: { to: {}, from: {} },
      redisPassword: null,
      chains: { endpoints: {}, depositXpub: null, ratesUrl: null },
      providers: new Map(),
    },
  };
}
