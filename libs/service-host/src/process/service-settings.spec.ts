import { readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loadSettings, RISK_NAMES, type RiskName } from '@vuka/config';
import { SERVICE_NAMES, SERVICES, type ServiceName, type ServiceNeeds } from '@vuka/contracts';

import { isAsked, loadServiceSettings } from './service-settings.js';
import {
  CALLED,
  CERTIFICATE,
  type Changed,
  ENV,
  HASH,
  LIVE,
  PRIVATE_KEY,
  refusalOf,
  SECRETS,
} from './service-settings.spec-support.js';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vuka-settings-'));
  await writeFile(file('ca.pem'), CERTIFICATE);
  await writeFile(file('key.pem'), PRIVATE_KEY, { mode: 0o600 });
  await writeFile(file('open-key.pem'), PRIVATE_KEY);
  // Independent of the umask.
  for (const name of ['ca.pem', 'open-key.pem']) await chmod(file(name), 0o644);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

const file = (name: string): string => join(folder, name);

async function secretsOf(secrets: object | string, mode = 0o600): Promise<string> {
  const path = file('secrets.json');
  await writeFile(path, typeof secrets === 'string' ? secrets : JSON.stringify(secrets));
  await chmod(path, mode);
  return path;
}

async function settingsOf({ env = {}, secrets = {}, service = 'payments' }: Changed = {}): ReturnType<
  typeof loadServiceSettings
> {
  const path = await secretsOf({ ...SECRETS, env: env['VUKA_ENV'] ?? 'sandbox', service, ...secrets });
  return loadServiceSettings({ ...ENV, VUKA_SECRETS_FILE: path, ...env }, service);
}

async function settingsFrom(path: string, service: ServiceName): ReturnType<typeof loadServiceSettings> {
  await writeFile(path, JSON.stringify({ ...SECRETS, service }), { mode: 0o600 });
  return loadServiceSettings({ ...ENV, VUKA_SECRETS_FILE: path }, service);
}

describe('settings of a service that runs alone', () => {
  it('say where everything is, with what opens it', async () => {
    expect(await settingsOf()).toMatchObject({
      service: 'payments',
      env: 'sandbox',
      database: {
        host: 'db.internal',
        port: 5433,
        user: 'vuka_payments',
        password: 'of-the-database',
        database: 'vuka',
        maxConnections: 6,
      },
      kafka: { brokers: ['kafka-1:9092', '10.0.0.2:9093'], prefix: 'sandbox.', tls: null, sasl: null },
      redis: { url: 'redis://redis:6379/2', prefix: 'vuka:sandbox:' },
      internal: { host: '127.0.0.1', port: 3100, tls: null },
      urls: {},
      providersFile: '/providers.json',
      startPatienceMs: 60_000,
      unknownVariables: [],
      secrets: {
        cipherKeys: [{ id: 'k1', key: Buffer.alloc(32, 7) }],
        accepts: [{ caller: 'gateway', credentialSha256: HASH }],
      },
    });
  });

  it('give each service only the settings that it needs', async () => {
    const settings = await Promise.all(SERVICE_NAMES.map((service) => settingsFrom(file(`${service}.json`), service)));
    const shape = Object.fromEntries(
      settings.map(({ service, database, kafka, redis, urls, providersFile }) => [
        service,
        [database && 'database', kafka && 'kafka', redis && 'redis', providersFile && 'providers', ...Object.keys(urls)]
          .filter(Boolean)
          .join(' '),
      ]),
    );
    expect(shape).toEqual({
      gateway: 'database kafka redis providers payments validation offramp checkout notifier',
      payments: 'database kafka redis providers',
      validation: 'redis providers',
      offramp: 'database kafka redis',
      checkout: 'database kafka redis offramp',
      notifier: 'database kafka redis',
      admin: 'database gateway payments offramp checkout notifier',
    });
  });

  it('of where others are have their row in docs/operators/settings.md, with who needs it', () => {
    const page = readFileSync(join(import.meta.dirname, '../../../../docs/operators/settings.md'), 'utf8');
    for (const called of SERVICE_NAMES) {
      const callers = SERVICE_NAMES.filter((name) => {
        const { calls, gathers }: ServiceNeeds = SERVICES[name];
        return [...calls, ...gathers].includes(called);
      });
      const [, who, byDefault] =
        new RegExp(`^\\| \`VUKA_${called.toUpperCase()}_URL\` \\| ([^|]+) \\| ([^|]+) \\|`, 'm').exec(page) ?? [];
      if (callers.length > 0) expect([called, who, byDefault]).toEqual([called, callers.join(', '), 'needed']);
    }
  });

  it('have none taken out of service while Kafka is away that others ask, partners among them', () => {
    expect(SERVICE_NAMES.filter((service) => !isAsked(service))).toEqual(['admin']);
  });

  it('speak TLS and SASL where they are told to', async () => {
    const env = {
      VUKA_DATABASE_URL: 'postgresql://a%40b@[::1]/vuka', VUKA_DATABASE_CA_FILE: file('ca.pem'), VUKA_DATABASE_CONNECTIONS: '9',
      VUKA_KAFKA_TLS: 'true', VUKA_KAFKA_CA_FILE: file('ca.pem'), VUKA_KAFKA_CERT_FILE: file('ca.pem'), VUKA_KAFKA_KEY_FILE: file('key.pem'),
      VUKA_KAFKA_SASL: 'scram-sha-512', VUKA_KAFKA_USERNAME: 'vuka', VUKA_KAFKA_PREFIX: 'a.',
      VUKA_REDIS_URL: 'rediss://vuka@[::1]:6380', VUKA_REDIS_PREFIX: 'b:',
    }; // prettier-ignore
    expect(await settingsOf({ env, secrets: { kafka_password: 'k', redis_password: 'p@ss/word' } })).toMatchObject({
      database: {
        host: '::1',
        port: 5432,
        user: 'a@b',
        maxConnections: 9,
        ssl: { ca: CERTIFICATE, rejectUnauthorized: true },
      },
      kafka: {
        prefix: 'a.',
        tls: { ca: CERTIFICATE, cert: CERTIFICATE, key: PRIVATE_KEY },
        sasl: { mechanism: 'scram-sha-512', username: 'vuka', password: 'k' },
      },
      redis: { url: 'rediss://vuka:p%40ss%2Fword@[::1]:6380', prefix: 'b:' },
    });
  });

  it('are known by name in both profiles, and unknown ones are reported', async () => {
    expect((await settingsOf({ env: { VUKA_DATA_DIR: '/x', VUKA_KAFKA_BROKER: 'x' } })).unknownVariables).toEqual([
      'VUKA_KAFKA_BROKER',
    ]);
    expect(loadSettings({ ...ENV, VUKA_SECRETS_FILE: '/x', VUKA_KAFKA_BROKER: 'x' }).unknownVariables).toEqual([
      'VUKA_KAFKA_BROKER',
    ]);
  });

  it('in live call other machines with TLS, or through a mesh that a setting names, and this machine without', async () => {
    const [gateway, elsewhere] = ['gateway', { ...LIVE, VUKA_INTERNAL_HOST: '10.0.0.7' }] as const;
    const mesh = { ...elsewhere, VUKA_INTERNAL_TLS: 'mesh' };
    expect(await settingsOf({ service: gateway, env: mesh })).toMatchObject({
      urls: { payments: 'http://payments:3100', offramp: 'https://offramp.internal' },
      internal: { host: '10.0.0.7', tls: null },
    });
    const here = Object.fromEntries(CALLED.map((name) => [`VUKA_${name.toUpperCase()}_URL`, 'http://127.0.0.1:3100']));
    expect((await settingsOf({ service: gateway, env: { ...LIVE, ...here } })).urls).toMatchObject({
      payments: 'http://127.0.0.1:3100',
    });
  });

  it('in live refuse by name what is unsafe, each by itself, and start with what is accepted', async () => {
    await writeFile(file('plain-providers.json'), JSON.stringify({ providers: [{ base_url: 'http://pay.example' }] }));
    const env = {
      VUKA_INTERNAL_HOST: '203.0.113.9',
      VUKA_INTERNAL_TLS: 'mesh',
      VUKA_PROVIDERS_FILE: file('plain-providers.json'),
      NODE_TLS_REJECT_UNAUTHORIZED: '0',
      LOG_LEVEL: 'silent',
    };
    const start = (accepted: readonly RiskName[]) =>
      settingsOf({ env: { ...LIVE, ...env, VUKA_ACCEPT_RISK: accepted.join(',') } });
    const risks = (await start(RISK_NAMES)).risks.map(({ name }) => name);
    expect(risks.filter((name) => name !== 'runs-as-root')).toEqual([
      'postgres-without-tls',
      'kafka-without-tls-and-login',
      'redis-without-password',
      'internal-server-public',
      'weak-credentials',
      'logs-silent',
      'providers-over-http',
      'certificate-checks-off',
    ]);
    for (const name of risks) {
      const { name: kind, message } = await refusalOf(start(risks.filter((other) => other !== name)));
      const named = RISK_NAMES.filter((one) => message.includes(`- ${one}:`));
      expect([kind, named]).toEqual(['SettingsError', [name]]);
      expect(message).not.toMatch(/of-the-database|ooooo/);
    }
  });

  it('let a sandbox send webhooks to private addresses where no other machine reaches it', async () => {
    const allows = async (env: Readonly<Record<string, string>>) => (await settingsOf({ env })).webhookAllowPrivate;
    expect(await Promise.all([{}, { HOST: '0.0.0.0' }, { VUKA_INTERNAL_HOST: '10.0.0.7' }, { HOST: '0.0.0.0', WEBHOOK_ALLOW_PRIVATE: 'true' }].map(allows))).toEqual([true, false, false, true]); // prettier-ignore
  });

  it('in live need a providers file as well, and may name exceptions', async () => {
    const allowed = { VUKA_ALLOW_STABLECOIN_FUNDS_AT: 'chapa,paystack' };
    expect(await settingsOf({ env: { ...LIVE, ...allowed } })).toMatchObject({
      env: 'live',
      providersFile: '/providers.json',
      allowStablecoinFundsAt: ['chapa', 'paystack'],
      webhookAllowPrivate: false,
    });
    expect((await settingsOf({ env: LIVE })).allowStablecoinFundsAt).toEqual([]);
    expect(
      (await settingsOf({ env: { ...LIVE, VUKA_PROVIDERS_FILE: '' }, service: 'offramp' })).providersFile,
    ).toBeNull();
  });

  it('in live have no name on Kafka or Redis that they have in the sandbox', async () => {
    expect(await settingsOf({ env: LIVE })).toMatchObject({
      kafka: { prefix: 'live.' },
      redis: { prefix: 'vuka:live:' },
    });
  });
});

describe('a setting that cannot be used', () => {
  const refusals: [Changed, string | RegExp][] = [
    [{ env: { VUKA_DATABASE_URL: '' } }, 'VUKA_DATABASE_URL must be set for this service'],
    [
      { env: { VUKA_DATABASE_URL: 'postgres://a:hunter2@db/vuka' } },
      'VUKA_DATABASE_URL must be postgres://user@host:port/database, without a password: VUKA_SECRETS_FILE has the password',
    ],
    [{ env: { VUKA_DATABASE_URL: 'postgres://db/vuka' } }, /^VUKA_DATABASE_URL must be/],
    [{ env: { VUKA_DATABASE_URL: 'postgres://a@db/vuka?sslmode=disable' } }, /^VUKA_DATABASE_URL must be/],
    [{ env: { VUKA_DATABASE_URL: 'mysql://a@db/vuka' } }, /^VUKA_DATABASE_URL must be/],
    [{ env: { VUKA_DATABASE_CONNECTIONS: '0' } }, 'VUKA_DATABASE_CONNECTIONS must be a whole number from 1 to 100'],
    [
      { env: { VUKA_DATABASE_CA_FILE: '/nowhere/ca.pem' } },
      'VUKA_DATABASE_CA_FILE must be a readable file: /nowhere/ca.pem cannot be read (ENOENT)',
    ],
    [{ env: { VUKA_KAFKA_BROKERS: '' } }, 'VUKA_KAFKA_BROKERS must be set for this service'],
    [
      { env: { VUKA_KAFKA_BROKERS: 'kafka-1:9092,,' } },
      /^VUKA_KAFKA_BROKERS must be host:port of each broker, separated by commas; /,
    ],
    [{ env: { VUKA_KAFKA_BROKERS: 'kafka-1' } }, /^VUKA_KAFKA_BROKERS must be/],
    [
      { env: { VUKA_KAFKA_BROKERS: 'kafka-1:9092,[::1]:9094' } },
      /^VUKA_KAFKA_BROKERS must be .*does not accept IPv6 addresses/,
    ],
    [{ env: { VUKA_KAFKA_BROKERS: 'kafka-1:65536' } }, /^VUKA_KAFKA_BROKERS must be/],
    [{ env: { VUKA_KAFKA_PREFIX: 'a b' } }, /^VUKA_KAFKA_PREFIX must be/],
    [{ env: { VUKA_KAFKA_PREFIX: 'vuka:live:' } }, /^VUKA_KAFKA_PREFIX must be/],
    [{ env: { VUKA_KAFKA_TLS: 'yes' } }, 'VUKA_KAFKA_TLS must be true or false'],
    [{ env: { VUKA_KAFKA_CA_FILE: '/ca.pem' } }, 'VUKA_KAFKA_CA_FILE must be left out unless VUKA_KAFKA_TLS is true'],
    [
      { env: { VUKA_KAFKA_TLS: 'true', VUKA_KAFKA_CERT_FILE: '/c.pem' } },
      'VUKA_KAFKA_KEY_FILE must be set together with VUKA_KAFKA_CERT_FILE',
    ],
    [{ env: { VUKA_KAFKA_SASL: 'gssapi' } }, /^VUKA_KAFKA_SASL must be plain, /],
    [{ env: { VUKA_KAFKA_SASL: 'plain' } }, 'VUKA_KAFKA_USERNAME must be set together with VUKA_KAFKA_SASL'],
    [
      { env: { VUKA_KAFKA_SASL: 'plain', VUKA_KAFKA_USERNAME: 'a' } },
      'VUKA_SECRETS_FILE must be a file with a kafka_password, because VUKA_KAFKA_SASL is set',
    ],
    [
      { env: { ...LIVE, VUKA_KAFKA_SASL: 'plain', VUKA_KAFKA_USERNAME: 'a' }, secrets: { kafka_password: 'hunter2' } },
      /^VUKA_KAFKA_SASL must be scram.* unencrypted$/,
    ],
    [{ env: { VUKA_REDIS_URL: '' } }, 'VUKA_REDIS_URL must be set for this service'],
    [{ env: { VUKA_REDIS_URL: 'redis://:hunter2@redis' } }, /^VUKA_REDIS_URL must be .* without a password/],
    [{ env: { VUKA_REDIS_URL: 'http://redis' } }, /^VUKA_REDIS_URL must be/],
    [{ env: { VUKA_REDIS_PREFIX: 'a b' } }, /^VUKA_REDIS_PREFIX must be/],
    [{ env: { VUKA_INTERNAL_HOST: 'a b' } }, 'VUKA_INTERNAL_HOST must be an IP address or a host name'],
    [
      { env: { VUKA_INTERNAL_PORT: '65536' } },
      'VUKA_INTERNAL_PORT must be a whole number from 0 to 65535 (0 = any free port)',
    ],
    [{ env: { VUKA_INTERNAL_TLS: 'yes' } }, 'VUKA_INTERNAL_TLS must be true, false or mesh'],
    [{ env: { VUKA_INTERNAL_TLS: 'true' } }, 'VUKA_INTERNAL_CERT_FILE must be set when VUKA_INTERNAL_TLS is true'],
    [
      { env: { VUKA_INTERNAL_TLS: 'true', VUKA_INTERNAL_CERT_FILE: '/c.pem' } },
      'VUKA_INTERNAL_KEY_FILE must be set when VUKA_INTERNAL_TLS is true',
    ],
    [
      { env: { VUKA_INTERNAL_TLS: 'mesh', VUKA_INTERNAL_CA_FILE: '/c.pem' } },
      'VUKA_INTERNAL_CA_FILE must be left out unless VUKA_INTERNAL_TLS is true',
    ],
    [{ env: { ...LIVE, VUKA_INTERNAL_HOST: '0.0.0.0' } }, /^VUKA_INTERNAL_TLS must be true, or mesh where/],
    [
      { service: 'gateway', env: { ...LIVE } },
      /^VUKA_PAYMENTS_URL must be https:\/\/ when VUKA_ENV is live and the service is on another machine, unless/,
    ],
    [{ env: { VUKA_START_PATIENCE_S: '1.5' } }, 'VUKA_START_PATIENCE_S must be a whole number from 0 to 3600'],
    [{ env: { VUKA_PROVIDERS_FILE: '' } }, 'VUKA_PROVIDERS_FILE must be set for this service'],
    [{ env: { ...LIVE, VUKA_PROVIDERS_FILE: '' } }, 'VUKA_PROVIDERS_FILE must be set for this service'],
    [
      { service: 'gateway', env: { ...LIVE, VUKA_INTERNAL_TLS: 'mesh', VUKA_PROVIDERS_FILE: '' } },
      'VUKA_PROVIDERS_FILE must be set for this service',
    ],
    [
      { env: { VUKA_ALLOW_STABLECOIN_FUNDS_AT: 'chapa, paystack' } },
      'VUKA_ALLOW_STABLECOIN_FUNDS_AT must be ids of providers, parted by commas',
    ],
    [
      { env: { ...LIVE, VUKA_TEST_WIRE_SEED: '1' } },
      'VUKA_TEST_WIRE_SEED must be left out when VUKA_ENV is live: it is for tests',
    ],
    [
      { env: { ...LIVE, VUKA_CRASH_AT: 'payments.after-commit' } },
      'VUKA_CRASH_AT must be left out when VUKA_ENV is live: it is for tests',
    ],
    [{ service: 'gateway', env: { VUKA_PAYMENTS_URL: '' } }, 'VUKA_PAYMENTS_URL must be set for this service'],
    [
      { service: 'gateway', env: { VUKA_PAYMENTS_URL: 'http://payments:3100/internal' } },
      /^VUKA_PAYMENTS_URL must be the internal address/,
    ],
    [
      { service: 'gateway', env: { VUKA_OFFRAMP_URL: 'http://a:hunter2@offramp' } },
      /^VUKA_OFFRAMP_URL must be the internal address/,
    ],
    [{ env: { VUKA_SECRETS_FILE: '' } }, 'VUKA_SECRETS_FILE must be set for this service'],
    [{ env: { PORT: '65536' } }, /^PORT must be/],
  ];

  it.each(refusals)('%j is refused by name, with the rule and no value', async (changed, message) => {
    const failure = await settingsOf(changed).then(
      () => undefined,
      (error: unknown) => error as Error,
    );
    expect(failure?.name).toBe('SettingsError');
    if (typeof message === 'string') expect(failure?.message).toBe(message);
    else expect(failure?.message).toMatch(message);
    expect(failure?.message).not.toContain('hunter2');
  });

  it('is also a file with the wrong content', async () => {
    const tls = { VUKA_KAFKA_TLS: 'true', VUKA_KAFKA_CERT_FILE: file('ca.pem') };
    await expect(settingsOf({ env: { VUKA_DATABASE_CA_FILE: file('key.pem') } })).rejects.toThrow(
      /^VUKA_DATABASE_CA_FILE must be a file of certificates in PEM/,
    );
    await expect(settingsOf({ env: { VUKA_DATABASE_CA_FILE: folder } })).rejects.toThrow(
      /^VUKA_DATABASE_CA_FILE must be a readable file: .*EISDIR/,
    );
    await expect(settingsOf({ env: { ...tls, VUKA_KAFKA_KEY_FILE: file('ca.pem') } })).rejects.toThrow(
      /^VUKA_KAFKA_KEY_FILE must be a file that other users cannot read/,
    );
    await expect(settingsOf({ env: { ...tls, VUKA_KAFKA_KEY_FILE: file('open-key.pem') } })).rejects.toThrow(
      /^VUKA_KAFKA_KEY_FILE must be a file that other users cannot read .*mode 644$/,
    );
    await writeFile(file('long.pem'), 'x'.repeat(1_000_001));
    await expect(settingsOf({ env: { VUKA_DATABASE_CA_FILE: file('long.pem') } })).rejects.toThrow(
      /at most 1000000 bytes/,
    );
  });
});
