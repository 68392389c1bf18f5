import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createLogger } from '@vuka/runtime';

import { startLocalKafka } from './local-kafka.js';
import { startMockKafka } from './mock-kafka.js';

/**
 * What a run of tests has for a broker. `npm test` finds out once and says it in VUKA_TEST_KAFKA; a spec that is run by itself takes the
 * real one, and fails with the reason where there is none.
 */
export type KafkaInTests = 'real' | 'mock' | 'none';

export function kafkaInTests(env: NodeJS.ProcessEnv = process.env): KafkaInTests {
  const said = env['VUKA_TEST_KAFKA'];
  return said === 'mock' || said === 'none' ? said : 'real';
}

export interface KafkaForTests {
  readonly kind: 'real' | 'mock';
  /** host:port. */
  readonly brokers: readonly string[];
  /** Of topics and groups, fresh: several specs may share one broker. */
  readonly prefix: string;
  /** Stops the broker and removes its folder where it was started for this spec alone. */
  stop(): Promise<void>;
}

/** The broker of VUKA_TEST_KAFKA_URL (host:port), else one started for this spec in a temporary folder. Throws where there is none. */
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

/** `describe`, or `describe.skip` where this run's broker is less than the suite needs (`mock`: either will do). */
export function describeWithKafka<D extends { readonly skip: unknown }>(
  describe: D,
  needs: 'real' | 'mock' = 'real',
  env: NodeJS.ProcessEnv = process.env,
): D {
  const has = kafkaInTests(env);
  return has === 'real' || has === needs ? describe : (describe.skip as D);
}

/** The same for Redis: VUKA_TEST_REDIS=none where `npm test` found none. */
export function describeWithRedis<D extends { readonly skip: unknown }>(
  describe: D,
  env: NodeJS.ProcessEnv = process.env,
): D {
  return env['VUKA_TEST_REDIS'] === 'none' ? (describe.skip as D) : describe;
}
