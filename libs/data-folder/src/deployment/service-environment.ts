import { join } from 'node:path';

import { chainVariable, type ChainSettings, prefixOf } from '@vuka/config';
import { eventPairsOf, SERVICE_NAMES, type ServiceName } from '@vuka/contracts';
import { credentialHash } from '@vuka/http';
import { type CipherKey, publicHalfOf } from '@vuka/runtime';

import { sandboxOperators } from '../operator-files.js';
import type { Secrets } from '../secrets.js';
import { callersOf, credentialsOf, needsOf, OPERATOR } from './topology.js';

export type Environment = Readonly<Record<string, string>>;

export interface Surroundings {
  readonly database: { readonly host: string; readonly port: number; readonly name: string };
  readonly kafka: { readonly brokers: string; readonly prefix: string };
  readonly redis: { readonly url: string; readonly password: string | null };
  readonly providersFile: string;
  /** Node endpoints by chain name, and the sources of deposit addresses. */
  readonly chains: {
    readonly endpoints: Readonly<Record<string, readonly string[]>>;
    readonly deposits: Pick<ChainSettings, 'depositXpub' | 'solanaAddressesFile' | 'stellarAccount'>;
    readonly refundKeysFile: string | undefined;
  };
  readonly addresses: Readonly<Record<ServiceName, string>>;
}

export interface InstancePlace {
  readonly internalPort: number;
  /** Only for the gateway. */
  readonly api?: { readonly host: string; readonly port: number };
  readonly secretsFile: string;
}

/** Contains no secrets. */
export function serviceEnvironment(service: ServiceName, around: Surroundings, place: InstancePlace): Environment {
  const { database, kafka, redis, addresses } = around;
  const { databaseConnections, calls, gathers, providers, routes } = needsOf(service);
  return {
    VUKA_KAFKA_BROKERS: kafka.brokers,
    VUKA_KAFKA_PREFIX: kafka.prefix,
    VUKA_REDIS_URL: redis.url,
    VUKA_REDIS_PREFIX: prefixOf('VUKA_REDIS_PREFIX', 'sandbox'),
    VUKA_INTERNAL_HOST: '127.0.0.1',
    VUKA_INTERNAL_PORT: String(place.internalPort),
    VUKA_SECRETS_FILE: place.secretsFile,
    ...Object.fromEntries(
      [...calls, ...gathers].map((name) => [`VUKA_${name.toUpperCase()}_URL`, addresses[name as ServiceName]]),
    ),
    ...(databaseConnections > 0 && {
      VUKA_DATABASE_URL: `postgres://vuka_${service}@${database.host}:${database.port}/${database.name}`,
    }),
    ...((providers || routes) && { VUKA_PROVIDERS_FILE: around.providersFile }),
    ...(service === 'offramp' && chainEnvironment(around.chains)),
    ...(place.api && { HOST: place.api.host, PORT: String(place.api.port) }),
  };
}

function chainEnvironment({
  endpoints,
  deposits: { depositXpub, solanaAddressesFile, stellarAccount },
  refundKeysFile,
}: Surroundings['chains']): Environment {
  return {
    ...Object.fromEntries(Object.entries(endpoints).map(([chain, urls]) => [chainVariable(chain), urls.join(',')])),
    ...(depositXpub !== null && { DEPOSIT_XPUB: depositXpub }),
    ...(solanaAddressesFile !== undefined && { SOLANA_ADDRESSES_FILE: solanaAddressesFile }),
    ...(stellarAccount !== null && { STELLAR_ACCOUNT: stellarAccount }),
    ...(refundKeysFile !== undefined && { SANDBOX_REFUND_KEYS_FILE: refundKeysFile }),
  };
}

/** Both halves of each pair that the service is one of. */
export function eventKeysOf(
  service: ServiceName,
  secrets: Secrets,
): { readonly [way in 'to' | 'from']: Readonly<Record<string, readonly CipherKey[]>> } {
  const { to, from } = eventPairsOf(service);
  return {
    to: Object.fromEntries(to.map((reader) => [reader, secrets.eventKeysOf(service, reader)])),
    from: Object.fromEntries(from.map((producer) => [producer, secrets.eventKeysOf(producer, service)])),
  };
}

/** The only secrets file that a service may read. */
export function serviceSecrets(service: ServiceName, secrets: Secrets, redisPassword: string | null): object {
  const { calls, databaseConnections, gathers, seals, tells, providers } = needsOf(service);
  return {
    version: 1,
    env: 'sandbox',
    service,
    ...(databaseConnections > 0 && { database_password: secrets.databasePassword(service) }),
    ...(seals && {
      cipher_keys: secrets.cipherKeysOf(service).map(encoded),
      index_keys: secrets.indexKeysOf(service).map(encoded),
    }),
    ...(tells && { webhook_keys: secrets.webhookKeys.map(encoded) }),
    event_keys: Object.fromEntries(
      Object.entries(eventKeysOf(service, secrets)).map(([way, pairs]) => [
        way,
        Object.fromEntries(Object.entries(pairs).map(([other, keys]) => [other, keys.map(encoded)])),
      ]),
    ),
    internal: {
      present: credentialsOf(service, calls, secrets),
      accept: callersOf(service).map((caller) => ({
        caller,
        credential_sha256: credentialHash(secrets.serviceCredential(caller, service)),
      })),
    },
    ...(gathers.length > 0 ? adminSecrets(secrets) : databaseConnections > 0 && { admin_keys: adminKeys(secrets) }),
    ...(service === 'gateway' && { key_peppers: secrets.keyPeppers.map(encoded) }),
    ...(providers && { providers: secrets.providers }),
    kafka_password: null,
    redis_password: redisPassword,
  };
}

const encoded = ({ id, key }: CipherKey): object => ({ id, key: key.toString('base64url') });

/** Admin alone knows people, and what it signs with. */
function adminSecrets(secrets: Secrets): object {
  const { id } = secrets.assertionKey;
  return {
    operators: [
      { role: 'admin', credential_sha256: credentialHash(secrets.internalCredential(OPERATOR)) },
      ...sandboxOperators(secrets).map(({ name, role, credentialSha256 }) => ({
        name,
        role,
        credential_sha256: credentialSha256,
      })),
    ],
    assertion_key: { id, seed: secrets.assertionSeed.toString('base64url') },
  };
}

function adminKeys({ assertionKey }: Secrets): object[] {
  return [{ id: assertionKey.id, key: publicHalfOf(assertionKey) }];
}

export function secretsFileOf(folder: string, service: ServiceName): string {
  return join(folder, 'secrets', `${service}.json`);
}

export function instanceName(service: ServiceName, index: number): string {
  return index === 0 ? service : `${service}-${index + 1}`;
}

export function addressesOf(ports: Readonly<Record<ServiceName, number>>): Record<ServiceName, string> {
  return Object.fromEntries(SERVICE_NAMES.map((name) => [name, `http://127.0.0.1:${ports[name]}`])) as Record<
    ServiceName,
    string
  >;
}
