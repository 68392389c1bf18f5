import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventPairsOf, SERVICE_NAMES } from '@vuka/contracts';

import { EVENT_KEYS } from './event-keys.spec-support.js';
import { loadServiceSettings, type ServiceSettings } from './service-settings.js';

const TOKEN = 't'.repeat(43);
const KEY = Buffer.alloc(32, 7).toString('base64url');
const SECRETS = {
  version: 1,
  env: 'live',
  service: 'payments',
  database_password: 'of-the-database',
  cipher_keys: [{ id: 'k1', key: KEY }],
  event_keys: EVENT_KEYS,
  internal: { present: TOKEN, accept: [{ caller: 'gateway', credential: TOKEN }] },
  operators: [{ name: 'Ann Otieno', credential: 'o'.repeat(43) }],
  kafka_password: 'of-kafka',
};
const ENV = {
  VUKA_ENV: 'live',
  VUKA_DATABASE_URL: 'postgres://vuka_payments@db.internal:5433/vuka',
  VUKA_REDIS_URL: 'redis://redis:6379/2',
  VUKA_PROVIDERS_FILE: '/providers.json',
  VUKA_KAFKA_BROKERS: 'kafka-1:9093',
  VUKA_KAFKA_TLS: 'true',
  VUKA_KAFKA_SASL: 'scram-sha-512',
  VUKA_KAFKA_USERNAME: 'vuka_payments',
};

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vuka-events-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function settingsOf(env: object = {}, secrets: object = {}): Promise<ServiceSettings> {
  const path = join(folder, 'secrets.json');
  await writeFile(path, JSON.stringify({ ...SECRETS, ...secrets }), { mode: 0o600 });
  return loadServiceSettings({ ...ENV, ...env, VUKA_SECRETS_FILE: path }, 'payments');
}

describe('Kafka in live', () => {
  it('is used with TLS and a login', async () => {
    expect((await settingsOf()).kafka).toMatchObject({ tls: {}, sasl: { username: 'vuka_payments' } });
  });

  it('is refused by name without TLS, and without a login', async () => {
    await expect(settingsOf({ VUKA_KAFKA_TLS: 'false' })).rejects.toThrow(/^VUKA_KAFKA_TLS must be true in live for brokers on other machines: /); // prettier-ignore
    await expect(settingsOf({ VUKA_KAFKA_SASL: '', VUKA_KAFKA_USERNAME: '' })).rejects.toThrow(/^VUKA_KAFKA_SASL must be set in live for brokers on other machines: /); // prettier-ignore
  });

  it('may do without on this machine alone', async () => {
    const open = { VUKA_KAFKA_TLS: '', VUKA_KAFKA_SASL: '', VUKA_KAFKA_USERNAME: '' };
    const at = (brokers: string): Promise<ServiceSettings> => settingsOf({ ...open, VUKA_KAFKA_BROKERS: brokers });
    expect((await at('127.0.0.1:9092,localhost:9093')).kafka).toMatchObject({ tls: null, sasl: null });
    for (const brokers of ['127.0.0.1:9092,kafka-1:9092', '127.0.0.1.evil.test:9092', '10.0.0.1:9092'])
      await expect(at(brokers)).rejects.toThrow(/^VUKA_KAFKA_TLS must be true in live/);
  });
});

describe('event keys', () => {
  it.each(
    (['to', 'from'] as const).flatMap((way) => eventPairsOf('payments')[way].map((other) => [way, other] as const)),
  )('that are missing are named: %s %s', async (way, other) => {
    const event_keys = { ...EVENT_KEYS, [way]: { ...EVENT_KEYS[way], [other]: [] } };
    await expect(settingsOf({}, { event_keys })).rejects.toThrow(new RegExp(`lacks event_keys\\.${way}\\.${other}$`));
  });

  it('are named all where there are none', async () => {
    await expect(settingsOf({}, { event_keys: null })).rejects.toThrow(
      /lacks event_keys\.to\.notifier, event_keys\.to\.offramp, event_keys\.from\.offramp, event_keys\.from\.checkout, event_keys\.from\.gateway$/,
    );
  });

  it('are for each writer and reader of a topic at both of them', () => {
    const pairs = SERVICE_NAMES.flatMap((name) => eventPairsOf(name).to.map((reader) => `${name} ${reader}`)).sort();
    const mirrored = SERVICE_NAMES.flatMap((name) => eventPairsOf(name).from.map((writer) => `${writer} ${name}`));
    expect(mirrored.sort()).toEqual(pairs);
    expect(pairs).toContain('offramp payments');
  });
});
