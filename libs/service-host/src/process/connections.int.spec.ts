import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { TokenBuckets } from '@vuka/http';
import { describeWithRedis, startLocalRedis, type LocalRedis } from '@vuka/local-servers';
import { createLogger, Metrics, systemClock } from '@vuka/runtime';
import { until } from '@vuka/testing';

import { closeConnections, createConnections, type Connections } from './connections.js';
import type { ServiceSettings } from './service-settings.js';

const log = createLogger('test', { level: 'silent' });
const PATIENT = { withinMs: 20_000 };

let folder: string;
let server: LocalRedis;
let connections: Connections | undefined;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vuka-connections-'));
  server = await startLocalRedis({ folder: join(folder, 'redis'), log });
}, 120_000);

afterAll(async () => {
  if (connections !== undefined) await closeConnections(connections);
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

describeWithRedis(describe)('a Redis that goes away and comes back', () => {
  it('shows in the metrics of a service that has jobs and limits', async () => {
    const metrics = new Metrics('gateway');
    const settings = {
      service: 'gateway',
      kafka: null,
      redis: { url: server.url, prefix: 'test:' },
      internal: { host: '127.0.0.1', port: 0, tls: null },
      secrets: { presents: { payments: 't'.repeat(40) } },
      urls: { payments: 'http://127.0.0.1:1', validation: 'http://127.0.0.1:1', offramp: 'http://127.0.0.1:1' },
    } as unknown as ServiceSettings;
    const made = await createConnections({ settings, log, metrics, onFatal: () => undefined });
    connections = made;
    made.jobs!.every('gateway.sweep-idempotency-keys', () => undefined);
    await made.jobs!.start();
    const buckets = new TokenBuckets(systemClock, made.rateLimitStore!);
    const shown = async (name: string): Promise<string | undefined> =>
      new RegExp(`^vuka_${name}_shared\\{service="gateway"\\} (\\d)$`, 'm').exec(await metrics.text())?.[1];
    const bothShow = (value: string, what: string) =>
      until(
        async () => {
          await buckets.take('p1', { name: 'any', ratePerS: 1_000, burst: 1_000 });
          return (await shown('jobs')) === value && (await shown('limits')) === value;
        },
        { ...PATIENT, what },
      );
    await bothShow('1', 'jobs and limits to be shared');
    await server.stop();
    await bothShow('0', 'each process to be alone');
    server = await startLocalRedis({ folder: join(folder, 'redis'), log, port: server.port });
    await bothShow('1', 'both to be shared again');
  }, 90_000);
});
