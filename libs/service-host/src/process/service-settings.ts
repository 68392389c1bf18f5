import {
  type AcceptedRisk,
  checkChainSettings,
  givenVariables,
  isHostName,
  isLoopback,
  loadSettings,
  prefixOf,
  readCertificates,
  readPrivateKey,
  refuseSetting,
  refuseUnsafe,
  type SERVICE_VARIABLES,
  type Settings,
  withChainSecrets,
  withRateSecrets,
} from '@vuka/config';
import { SERVICES, TOPICS, type ServiceName, type ServiceNeeds } from '@vuka/contracts';
import { QUEUES } from '@vuka/jobs';
import type { KafkaConnection } from '@vuka/messaging';
import type { DatabaseConfig } from '@vuka/persistence';
import type { RedisConnection } from '@vuka/runtime';
import { z } from 'zod';

import { internalOf, type InternalSettings } from './live/internal-settings.js';
import { factsOf } from './live/risk-facts.js';
import { loadSecrets, type ServiceSecrets } from './service-secrets.js';

/** null: not needed. */
export interface ServiceSettings extends Settings {
  readonly service: ServiceName;
  readonly database: Pick<
    DatabaseConfig,
    'host' | 'port' | 'user' | 'password' | 'database' | 'maxConnections' | 'ssl'
  > | null;
  /** null without topics. */
  readonly kafka: KafkaConnection | null;
  /** null without queues and limits. */
  readonly redis: RedisConnection | null;
  readonly internal: InternalSettings;
  /** By service name. */
  readonly urls: Readonly<Record<string, string>>;
  readonly secrets: ServiceSecrets;
  /** null: it neither calls providers nor asks what they can pay. */
  readonly providersFile: string | null;
  /** Ids of providers that live takes without their word that they accept such money. */
  readonly allowStablecoinFundsAt: readonly string[];
  readonly startPatienceMs: number;
  /** Accepted, and in force: told at each start. */
  readonly risks: readonly AcceptedRisk[];
}

type Variable = (typeof SERVICE_VARIABLES)[number];

const text = (name: Variable, pattern: RegExp, rule: string) =>
  z
    .string()
    .regex(pattern)
    .catch(() => refuseSetting(name, rule));
const path = (name: Variable) => text(name, /^[^\0]+$/, 'a path').optional();
const wholeNumber = (name: Variable, from: number, to: number, rule = `a whole number from ${from} to ${to}`) =>
  z.string().regex(/^\d{1,6}$/).transform(Number).refine((value) => value >= from && value <= to).catch(() => refuseSetting(name, rule)); // prettier-ignore

const address = (name: Variable, schemes: readonly string[], rule: string, extra: (url: URL) => boolean) =>
  z
    .string()
    .max(2_000)
    .transform((given) => (URL.canParse(given) ? new URL(given) : refuseSetting(name, rule)))
    .refine(
      (url) =>
        schemes.includes(url.protocol) &&
        url.hostname !== '' &&
        url.password === '' &&
        url.search === '' &&
        url.hash === '' &&
        extra(url),
    )
    .catch(() => refuseSetting(name, rule));

const serviceUrl = (name: Variable) =>
  address(
    name,
    ['http:', 'https:'],
    'the internal address of that service, such as http://payments:3100, without path, user or password',
    (url) => url.username === '' && url.pathname === '/',
  ).optional();

/** No bracketed IPv6: the client splits at the first colon. */
const BROKER = /^[A-Za-z0-9.-]+:(\d{1,5})$/;
const isBroker = (one: string): boolean =>
  Number(BROKER.exec(one)?.[1] ?? 0) >= 1 && Number(BROKER.exec(one)?.[1]) <= 65_535;

const variables = z.object({
  VUKA_DATABASE_URL: address('VUKA_DATABASE_URL', ['postgres:', 'postgresql:'], 'postgres://user@host:port/database, without a password: VUKA_SECRETS_FILE has the password', (url) => url.username !== '' && /^\/[A-Za-z0-9_-]+$/.test(url.pathname)).optional(),
  VUKA_DATABASE_CONNECTIONS: wholeNumber('VUKA_DATABASE_CONNECTIONS', 1, 100).optional(),
  VUKA_DATABASE_CA_FILE: path('VUKA_DATABASE_CA_FILE'),
  VUKA_KAFKA_BROKERS: z
    .string()
    .max(5_000)
    .transform((list) => list.split(',').map((one) => one.trim()))
    .refine((brokers) => brokers.every(isBroker))
    .catch(() => refuseSetting('VUKA_KAFKA_BROKERS', 'host:port of each broker, separated by commas; host is a name or an IPv4 address (the client does not accept IPv6 addresses)'))
    .optional(),
  VUKA_KAFKA_PREFIX: z.string().optional(),
  VUKA_KAFKA_TLS: z.enum(['true', 'false']).catch(() => refuseSetting('VUKA_KAFKA_TLS', 'true or false')).default('false'),
  VUKA_KAFKA_CA_FILE: path('VUKA_KAFKA_CA_FILE'),
  VUKA_KAFKA_CERT_FILE: path('VUKA_KAFKA_CERT_FILE'),
  VUKA_KAFKA_KEY_FILE: path('VUKA_KAFKA_KEY_FILE'),
  VUKA_KAFKA_SASL: z.enum(['plain', 'scram-sha-256', 'scram-sha-512']).catch(() => refuseSetting('VUKA_KAFKA_SASL', 'plain, scram-sha-256 or scram-sha-512')).optional(),
  VUKA_KAFKA_USERNAME: text('VUKA_KAFKA_USERNAME', /^[^\0]{1,200}$/, 'at most 200 characters').optional(),
  VUKA_REDIS_URL: address('VUKA_REDIS_URL', ['redis:', 'rediss:'], 'redis://host:port/number or rediss://…, without a password: VUKA_SECRETS_FILE has the password', (url) => /^(\/\d{0,3})?$/.test(url.pathname)).optional(),
  VUKA_REDIS_PREFIX: z.string().optional(),
  VUKA_INTERNAL_HOST: z.string().refine(isHostName).catch(() => refuseSetting('VUKA_INTERNAL_HOST', 'an IP address or a host name')).default('127.0.0.1'),
  VUKA_INTERNAL_PORT: wholeNumber('VUKA_INTERNAL_PORT', 0, 65_535, 'a whole number from 0 to 65535 (0 = any free port)').default(3100),
  VUKA_INTERNAL_TLS: z.enum(['true', 'false', 'mesh']).catch(() => refuseSetting('VUKA_INTERNAL_TLS', 'true, false or mesh')).default('false'),
  VUKA_INTERNAL_CERT_FILE: path('VUKA_INTERNAL_CERT_FILE'),
  VUKA_INTERNAL_KEY_FILE: path('VUKA_INTERNAL_KEY_FILE'),
  VUKA_INTERNAL_CA_FILE: path('VUKA_INTERNAL_CA_FILE'),
  VUKA_GATEWAY_URL: serviceUrl('VUKA_GATEWAY_URL'),
  VUKA_PAYMENTS_URL: serviceUrl('VUKA_PAYMENTS_URL'),
  VUKA_NOTIFIER_URL: serviceUrl('VUKA_NOTIFIER_URL'),
  VUKA_VALIDATION_URL: serviceUrl('VUKA_VALIDATION_URL'),
  VUKA_OFFRAMP_URL: serviceUrl('VUKA_OFFRAMP_URL'),
  VUKA_CHECKOUT_URL: serviceUrl('VUKA_CHECKOUT_URL'),
  VUKA_SECRETS_FILE: path('VUKA_SECRETS_FILE'),
  VUKA_PROVIDERS_FILE: path('VUKA_PROVIDERS_FILE'),
  VUKA_ALLOW_STABLECOIN_FUNDS_AT: z
    .string()
    .regex(/^[a-z0-9_]{1,40}(,[a-z0-9_]{1,40}){0,49}$/)
    .transform((list) => list.split(','))
    .catch(() => refuseSetting('VUKA_ALLOW_STABLECOIN_FUNDS_AT', 'ids of providers, parted by commas'))
    .optional(),
  VUKA_START_PATIENCE_S: wholeNumber('VUKA_START_PATIENCE_S', 0, 3_600).default(60),
} satisfies Record<Variable, z.ZodType>); // prettier-ignore

type Parsed = z.output<typeof variables>;

export function usesTopics(service: ServiceName): boolean {
  return Object.values(TOPICS).some(({ owner }) => owner === service) || isConsumer(service);
}

export function isConsumer(service: ServiceName): boolean {
  return Object.values(TOPICS).some(({ consumers }) => (consumers as readonly string[]).includes(service));
}

/** Called by other services, or (gateway) by partners. */
export function isAsked(service: ServiceName): boolean {
  return service === 'gateway' || Object.values<ServiceNeeds>(SERVICES).some(({ calls }) => calls.includes(service));
}

export function usesQueues(service: ServiceName): boolean {
  return Object.keys(QUEUES).some((queue) => queue.startsWith(`${service}.`));
}

/** Also reads the files named, except terms and providers. Throws SettingsError naming the variable and the rule. */
export async function loadServiceSettings(env: NodeJS.ProcessEnv, service: ServiceName): Promise<ServiceSettings> {
  const { dataDir: _, adminFile: _admin, ...settings } = loadSettings(env);
  const given = givenVariables(env);
  const parsed = variables.parse(given);
  const secrets = await loadSecrets(needed('VUKA_SECRETS_FILE', parsed), service, settings.env);
  const needs: ServiceNeeds = SERVICES[service];
  const chains = withChainSecrets(settings.chains, secrets.chains);
  const rates = withRateSecrets(settings.rates, secrets.chains);
  if (service === 'offramp') checkChainSettings({ env: settings.env, chains, rates });
  const around = {
    ...settings,
    chains,
    rates,
    service,
    secrets,
    webhookAllowPrivate:
      given['WEBHOOK_ALLOW_PRIVATE'] === undefined
        ? settings.webhookAllowPrivate && isLoopback(parsed.VUKA_INTERNAL_HOST)
        : settings.webhookAllowPrivate,
    database: needs.databaseConnections > 0 ? await databaseOf(parsed, secrets, needs) : null,
    kafka: usesTopics(service) ? await kafkaOf(parsed, secrets, settings.env) : null,
    redis: needs.limits || usesQueues(service) ? redisOf(parsed, secrets, settings.env) : null,
    internal: await internalOf(parsed, settings.env),
    urls: urlsOf(parsed, needs, settings.env),
    providersFile: needs.providers || needs.routes ? needed('VUKA_PROVIDERS_FILE', parsed) : null,
    allowStablecoinFundsAt: parsed.VUKA_ALLOW_STABLECOIN_FUNDS_AT ?? [],
    startPatienceMs: parsed.VUKA_START_PATIENCE_S * 1_000,
  };
  return { ...around, risks: refuseUnsafe(around, await factsOf(around, env), service) };
}

/** Where the others are. In live what leaves this machine is encrypted. */
function urlsOf(parsed: Parsed, { calls, gathers }: ServiceNeeds, env: Settings['env']): Record<string, string> {
  const addresses = [...calls, ...gathers].map((name) => {
    const variable = `VUKA_${name.toUpperCase()}_URL` as 'VUKA_PAYMENTS_URL';
    const { hostname, origin, protocol } = needed(variable, parsed);
    const isOpen = protocol === 'http:' && !isLoopback(hostname);
    if (env === 'live' && isOpen && parsed.VUKA_INTERNAL_TLS !== 'mesh')
      refuseSetting(variable, 'https:// when VUKA_ENV is live and the service is on another machine, unless VUKA_INTERNAL_TLS is mesh'); // prettier-ignore
    return [name, origin] as const;
  });
  return Object.fromEntries(addresses);
}

async function databaseOf(
  parsed: Parsed,
  { databasePassword }: ServiceSecrets,
  { databaseConnections }: ServiceNeeds,
): Promise<ServiceSettings['database']> {
  const url = needed('VUKA_DATABASE_URL', parsed);
  const caFile = parsed.VUKA_DATABASE_CA_FILE;
  return {
    host: hostOf(url),
    port: Number(url.port || 5432),
    user: decodeURIComponent(url.username),
    password: databasePassword ?? '',
    database: url.pathname.slice(1),
    maxConnections: parsed.VUKA_DATABASE_CONNECTIONS ?? databaseConnections,
    ...(caFile !== undefined && {
      ssl: { ca: await readCertificates('VUKA_DATABASE_CA_FILE', caFile), rejectUnauthorized: true as const },
    }),
  };
}

async function kafkaOf(
  parsed: Parsed,
  { kafkaPassword }: ServiceSecrets,
  env: Settings['env'],
): Promise<KafkaConnection> {
  const tls = await kafkaTlsOf(parsed);
  const { VUKA_KAFKA_SASL: mechanism, VUKA_KAFKA_USERNAME: username } = parsed;
  if ((mechanism === undefined) !== (username === undefined))
    refuseSetting('VUKA_KAFKA_USERNAME', 'set together with VUKA_KAFKA_SASL');
  if (mechanism !== undefined && kafkaPassword === null)
    refuseSetting('VUKA_SECRETS_FILE', 'a file with a kafka_password, because VUKA_KAFKA_SASL is set');
  if (mechanism === 'plain' && tls === null && env === 'live')
    refuseSetting(
      'VUKA_KAFKA_SASL',
      'scram-sha-256 or scram-sha-512 when VUKA_KAFKA_TLS is not true: plain would send the password unencrypted',
    );
  return {
    brokers: needed('VUKA_KAFKA_BROKERS', parsed),
    prefix: prefixOf('VUKA_KAFKA_PREFIX', env, parsed.VUKA_KAFKA_PREFIX),
    tls,
    sasl: mechanism === undefined ? null : { mechanism, username: username ?? '', password: kafkaPassword ?? '' },
  };
}

async function kafkaTlsOf(parsed: Parsed): Promise<KafkaConnection['tls']> {
  const { VUKA_KAFKA_CA_FILE: caFile, VUKA_KAFKA_CERT_FILE: certFile, VUKA_KAFKA_KEY_FILE: keyFile } = parsed;
  if (parsed.VUKA_KAFKA_TLS === 'false') {
    const idle = (['VUKA_KAFKA_CA_FILE', 'VUKA_KAFKA_CERT_FILE', 'VUKA_KAFKA_KEY_FILE'] as const).find(
      (name) => parsed[name] !== undefined,
    );
    return idle === undefined ? null : refuseSetting(idle, 'left out unless VUKA_KAFKA_TLS is true');
  }
  if ((certFile === undefined) !== (keyFile === undefined))
    refuseSetting('VUKA_KAFKA_KEY_FILE', 'set together with VUKA_KAFKA_CERT_FILE');
  return {
    ...(caFile !== undefined && { ca: await readCertificates('VUKA_KAFKA_CA_FILE', caFile) }),
    ...(certFile !== undefined && { cert: await readCertificates('VUKA_KAFKA_CERT_FILE', certFile) }),
    ...(keyFile !== undefined && { key: await readPrivateKey('VUKA_KAFKA_KEY_FILE', keyFile) }),
  };
}

function redisOf(parsed: Parsed, { redisPassword }: ServiceSecrets, env: Settings['env']): RedisConnection {
  const url = new URL(needed('VUKA_REDIS_URL', parsed));
  if (redisPassword !== null) url.password = encodeURIComponent(redisPassword);
  return { url: url.href, prefix: prefixOf('VUKA_REDIS_PREFIX', env, parsed.VUKA_REDIS_PREFIX) };
}

function needed<N extends Variable>(name: N, parsed: Parsed): NonNullable<Parsed[N]> {
  return parsed[name] ?? refuseSetting(name, 'set for this service');
}

/** IPv6 has brackets only inside a URL. */
function hostOf(url: URL): string {
  return decodeURIComponent(url.hostname.replace(/^\[|\]$/g, ''));
}
