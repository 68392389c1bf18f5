import { resolve } from 'node:path';

import { loadSettings, prefixOf, refuseSetting } from '@vuka/config';
import { TOPICS } from '@vuka/contracts';
import type { LogLevel } from '@vuka/runtime';
import { z } from 'zod';

export interface SetupSettings {
  readonly logLevel: LogLevel;
  /** Holds secrets.json, the root of all secrets, made once. */
  readonly folder: string;
  /** Has one folder per program with only that program's secrets. */
  readonly secretsFolder: string;
  readonly sandboxFolder: string;
  readonly database: {
    readonly host: string;
    readonly port: number;
    readonly user: string;
    readonly name: string;
  } | null;
  readonly brokers: readonly string[];
  readonly topicPrefix: string;
  readonly topics: {
    readonly partitions: number;
    readonly replication: number;
    readonly retentionMs: number;
    /**
     * The service whose topics may get more partitions; null: none.
     * Only one at a time: it is stopped meanwhile, but the readers of its topics must run to read what is left there.
     */
    readonly grownOf: string | null;
  };
  /** The API's address for partners, written to sandbox.json. */
  readonly baseUrl: string;
  /** Internal addresses of the services that make the sandbox's partners. */
  readonly urls: Readonly<Record<'gateway' | 'payments' | 'notifier', string>>;
  readonly adminUrl: string;
  readonly providerUrls: readonly [first: string, second: string];
}

const HOUR_MS = 60 * 60_000;
const OWNERS: readonly string[] = [...new Set(Object.values(TOPICS).map(({ owner }) => owner))].sort();

const path = (name: string, byDefault: string) =>
  z.string().regex(/^[^\0]+$/).catch(() => refuseSetting(name, 'a path')).default(byDefault); // prettier-ignore
const wholeNumber = (name: string, from: number, to: number, byDefault: number) =>
  z.string().regex(/^\d{1,6}$/).transform(Number).refine((value) => value >= from && value <= to).catch(() => refuseSetting(name, `a whole number from ${from} to ${to}`)).default(byDefault); // prettier-ignore
const address = (name: string, schemes: readonly string[], rule: string) =>
  z.string().refine((text) => URL.canParse(text) && schemes.includes(new URL(text).protocol) && new URL(text).password === '').catch(() => refuseSetting(name, rule)); // prettier-ignore
const url = (name: string, byDefault: string) =>
  address(name, ['http:', 'https:'], 'an http address').default(byDefault);

const variables = z.object({
  VUKA_SETUP_DIR: path('VUKA_SETUP_DIR', '/setup'),
  VUKA_SETUP_SECRETS_DIR: path('VUKA_SETUP_SECRETS_DIR', '/secrets'),
  VUKA_SETUP_SANDBOX_DIR: path('VUKA_SETUP_SANDBOX_DIR', '/sandbox'),
  VUKA_SETUP_DATABASE_URL: address('VUKA_SETUP_DATABASE_URL', ['postgres:', 'postgresql:'], "postgres://superuser@host:port/database, without a password: the password is derived").optional(),
  VUKA_KAFKA_BROKERS: z.string().transform((list) => list.split(',').map((one) => one.trim())).default([]),
  VUKA_KAFKA_PREFIX: z.string().optional(),
  VUKA_SETUP_PARTITIONS: wholeNumber('VUKA_SETUP_PARTITIONS', 1, 1_000, 12),
  VUKA_SETUP_REPLICATION: wholeNumber('VUKA_SETUP_REPLICATION', 1, 10, 1),
  VUKA_SETUP_RETENTION_HOURS: wholeNumber('VUKA_SETUP_RETENTION_HOURS', 24, 100_000, 168),
  VUKA_SETUP_GROW_PARTITIONS: z.string().refine((name) => OWNERS.includes(name)).catch(() => refuseSetting('VUKA_SETUP_GROW_PARTITIONS', `the service whose topics get more partitions (one of ${OWNERS.join(', ')})`)).optional(),
  VUKA_SETUP_BASE_URL: url('VUKA_SETUP_BASE_URL', 'http://127.0.0.1:3000'),
  VUKA_GATEWAY_URL: url('VUKA_GATEWAY_URL', 'http://gateway:3100'),
  VUKA_PAYMENTS_URL: url('VUKA_PAYMENTS_URL', 'http://payments:3100'),
  VUKA_NOTIFIER_URL: url('VUKA_NOTIFIER_URL', 'http://notifier:3100'),
  VUKA_ADMIN_URL: url('VUKA_ADMIN_URL', 'http://admin:3100'),
  VUKA_SETUP_PROVIDER_URL: url('VUKA_SETUP_PROVIDER_URL', 'http://sandbox-provider:3900'),
  VUKA_SETUP_PROVIDER_B_URL: url('VUKA_SETUP_PROVIDER_B_URL', 'http://sandbox-provider-b:3900'),
}); // prettier-ignore

/** Throws SettingsError naming the variable and the rule. Refuses live, because it makes play money. */
export function loadSetupSettings(env: NodeJS.ProcessEnv): SetupSettings {
  const { env: environment, logLevel } = loadSettings(env);
  if (environment === 'live')
    refuseSetting('VUKA_ENV', 'sandbox for this program (docs/operators/going-live.md describes a live deployment)');
  const parsed = variables.parse(Object.fromEntries(Object.entries(env).filter(([, value]) => value !== '')));
  return {
    logLevel,
    folder: resolve(parsed.VUKA_SETUP_DIR),
    secretsFolder: resolve(parsed.VUKA_SETUP_SECRETS_DIR),
    sandboxFolder: resolve(parsed.VUKA_SETUP_SANDBOX_DIR),
    database: parsed.VUKA_SETUP_DATABASE_URL === undefined ? null : databaseOf(new URL(parsed.VUKA_SETUP_DATABASE_URL)),
    brokers: parsed.VUKA_KAFKA_BROKERS,
    topicPrefix: prefixOf('VUKA_KAFKA_PREFIX', environment, parsed.VUKA_KAFKA_PREFIX),
    topics: {
      partitions: parsed.VUKA_SETUP_PARTITIONS,
      replication: parsed.VUKA_SETUP_REPLICATION,
      retentionMs: parsed.VUKA_SETUP_RETENTION_HOURS * HOUR_MS,
      grownOf: parsed.VUKA_SETUP_GROW_PARTITIONS ?? null,
    },
    baseUrl: new URL(parsed.VUKA_SETUP_BASE_URL).origin,
    urls: {
      gateway: parsed.VUKA_GATEWAY_URL,
      payments: parsed.VUKA_PAYMENTS_URL,
      notifier: parsed.VUKA_NOTIFIER_URL,
    },
    adminUrl: parsed.VUKA_ADMIN_URL,
    providerUrls: [new URL(parsed.VUKA_SETUP_PROVIDER_URL).origin, new URL(parsed.VUKA_SETUP_PROVIDER_B_URL).origin],
  };
}

function databaseOf(given: URL): NonNullable<SetupSettings['database']> {
  return {
    host: given.hostname,
    port: Number(given.port || 5432),
    user: decodeURIComponent(given.username || 'postgres'),
    name: given.pathname.slice(1) || 'vuka',
  };
}
