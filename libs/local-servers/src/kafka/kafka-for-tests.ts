import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createLogger } from '@vuka/runtime';

import { startLocalKafka } from './local-kafka.js';
import { startMockKafka } from './mock-kafka.js';

/** Set by `npm test` in VUKA_TEST_KAFKA; default: the real broker. */
export type KafkaInTests = 'real' | 'mock' | 'none';

export function kafkaInTests(env: NodeJS.ProcessEnv = process.env): KafkaInTests {
  const said = env['VUKA_TEST_KAFKA'];
  return said === 'mock' || said === 'none' ? said : 'real';
}

export interface KafkaForTests {
  readonly kind: 'real' | 'mock';
  /** host:port. */
  readonly brokers: readonly string[];
  /** Unique, because specs may share a broker. */
  readonly prefix: string;
  /** Removes a broker started for this spec. */
  stop(): Promise<void>;
}

/** VUKA_TEST_KAFKA_URL (host:port), else a temporary broker. Throws if there is none. */
export async function kafkaForTests(env: NodeJS.ProcessEnv = process.env): Promise<KafkaForTests> {
  const kind = kafkaInTests(env);
  const prefix = `test-${randomUUID().slice(0, 8)}.`;
  const shared = env['VUKA_TEST_KAFKA_URL'];
  if (kind === 'none')
    throw new Error(`There is no Kafka for tests: ${env['VUKA_TEST_KAFKA_WHY'] ?? 'VUKA_TEST_KAFKA=none'}`);
  if (shared) return { kind, brokers: shared.split(','), prefix, stop: async () => undefined };
  const folder = await mkdtemp(join(tmpdir(), 'vuka-test-kafka-'));
  const log = createLogger('test', { level: 'silent' });
  try {
    const server = await (kind === 'real' ? startLocalKafka({ folder, log }) : startMockKafka({ folder, log }));
    const stop = async (): Promise<void> => {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    };
    return { kind, brokers: [`${server.host}:${server.port}`], prefix, stop };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

/** `mock`: either broker will do. */
export function describeWithKafka<D extends { readonly skip: unknown }>(
  describe: D,
  needs: 'real' | 'mock' = 'real',
  env: NodeJS.ProcessEnv = process.env,
): D {
  const has = kafkaInTests(env);
  return has === 'real' || has === needs ? describe : (describe.skip as D);
}

/** VUKA_TEST_REDIS=none: skip. */
export function describeWithRedis<D extends { readonly skip: unknown }>(
  describe: D,
  env: NodeJS.ProcessEnv = process.env,
): D {
  return env['VUKA_TEST_REDIS'] === 'none' ? (describe.skip as D) : describe;
}
