import { AddressRanges, isLoopback } from '../address-ranges.js';
import type { Settings } from '../settings.js';
import { entropyBits, LEAST_BITS } from './entropy.js';
import type { RiskName } from './risk-names.js';

/** What is judged. null: this program has none. */
export interface RiskFacts {
  readonly settings: Pick<Settings, 'trustedProxies' | 'rateLimits' | 'logLevel' | 'chains' | 'rates'>;
  readonly database: { readonly host: string; readonly hasTls: boolean } | null;
  readonly kafka: { readonly hosts: readonly string[]; readonly hasTls: boolean; readonly hasLogin: boolean } | null;
  readonly redis: { readonly host: string; readonly hasPassword: boolean } | null;
  /** Where the internal server listens: addresses, for a wildcard those of this machine. */
  readonly internalAddresses: readonly string[];
  readonly providerUrls: readonly string[];
  /** Passwords and credentials that somebody chose. */
  readonly chosenSecrets: readonly string[];
  readonly machine: MachineFacts;
}

export interface MachineFacts {
  /** undefined: this system has none. */
  readonly uid: number | undefined;
  readonly checksCertificates: boolean;
}

export interface LiveRisk {
  /** Of RiskFacts' programs; `all` counts the one-process program, too. */
  readonly services: 'all' | readonly string[];
  isUnsafe(facts: RiskFacts): boolean;
  readonly says: string;
}

/** Kept by us or reachable from nowhere else. */
const PRIVATE = AddressRanges.of(['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', '169.254.0.0/16', 'fc00::/7', 'fe80::/10']); // prettier-ignore

/** Wider than any network of one company: 10.0.0.0/8 and fc00::/7 are the largest that are private. */
const SHORTEST_PREFIX = { v4: 8, v6: 7 };

const isOpen = (url: string): boolean => /^http:/i.test(url);

export const LIVE_RISKS: Readonly<Record<RiskName, LiveRisk>> = {
  'postgres-without-tls': {
    services: ['gateway', 'payments', 'offramp', 'checkout', 'notifier', 'admin'],
    isUnsafe: ({ database }) => database !== null && !database.hasTls && !isLoopback(database.host),
    says: 'PostgreSQL is on another machine and spoken to without TLS: set VUKA_DATABASE_CA_FILE',
  },
  'kafka-without-tls-and-login': {
    services: ['gateway', 'payments', 'offramp', 'checkout', 'notifier'],
    isUnsafe: ({ kafka }) =>
      kafka !== null && !(kafka.hasTls && kafka.hasLogin) && !kafka.hosts.every((host) => isLoopback(host)),
    says: 'Kafka is on another machine, and TLS or the login is missing: set VUKA_KAFKA_TLS, and VUKA_KAFKA_SASL or VUKA_KAFKA_CERT_FILE',
  },
  'redis-without-password': {
    services: ['gateway', 'payments', 'validation', 'offramp', 'checkout', 'notifier'],
    isUnsafe: ({ redis }) => redis !== null && !redis.hasPassword && !isLoopback(redis.host),
    says: 'Redis is on another machine and has no password: put redis_password into VUKA_SECRETS_FILE',
  },
  'internal-server-public': {
    services: 'all',
    isUnsafe: ({ internalAddresses }) =>
      internalAddresses.some((address) => !isLoopback(address) && !PRIVATE.has(address)),
    says: 'the internal server listens at a public address: set VUKA_INTERNAL_HOST to a private one',
  },
  'proxies-trust-everybody': {
    services: ['gateway'],
    isUnsafe: ({ settings }) => settings.trustedProxies.some(isWide),
    says: 'TRUSTED_PROXIES has a range that is open to strangers: any caller can choose the address that it comes from',
  },
  'weak-credentials': {
    services: 'all',
    isUnsafe: ({ chosenSecrets }) => chosenSecrets.some((text) => entropyBits(text) < LEAST_BITS),
    says: 'a password or credential in VUKA_SECRETS_FILE can be guessed: make it of 24 random bytes or more',
  },
  'rate-limits-off': {
    services: ['gateway', 'validation'],
    isUnsafe: ({ settings }) => Object.values(settings.rateLimits).includes(null),
    says: 'a limit of RATE_LIMIT_PARTNER, RATE_LIMIT_LOOKUPS, RATE_LIMIT_DESTINATION or RATE_LIMIT_FAILED_AUTH is off',
  },
  'logs-silent': {
    services: 'all',
    isUnsafe: ({ settings }) => settings.logLevel === 'silent' || settings.logLevel === 'fatal',
    says: 'LOG_LEVEL keeps alarms out of the log, so that they reach nobody: set error or more',
  },
  'chains-over-http': {
    services: ['offramp'],
    isUnsafe: ({ settings }) => Object.values(settings.chains.endpoints).flat().some(isOpen),
    says: 'an endpoint of CHAIN_RPC_<CHAIN> or chain_rpc is http: on the way anybody can say that a deposit has come',
  },
  'rates-over-http': {
    services: ['offramp'],
    isUnsafe: ({ settings }) => settings.rates.url !== null && isOpen(settings.rates.url),
    says: 'RATES_URL or rates_url is http: on the way anybody can say what a deposit is worth',
  },
  'providers-over-http': {
    services: ['gateway', 'payments', 'validation'],
    isUnsafe: ({ providerUrls }) => providerUrls.some(isOpen),
    says: 'a base_url in VUKA_PROVIDERS_FILE is http: on the way anybody can read the credential and answer for the provider',
  },
  'certificate-checks-off': {
    services: 'all',
    isUnsafe: ({ machine }) => !machine.checksCertificates,
    says: 'NODE_TLS_REJECT_UNAUTHORIZED is 0: no certificate is checked, so that TLS protects nothing',
  },
  'runs-as-root': {
    services: 'all',
    isUnsafe: ({ machine }) => machine.uid === 0,
    says: 'it runs as root: start it as a user of its own',
  },
};

function isWide(range: string): boolean {
  const [network = '', prefix] = range.split('/');
  return Number(prefix) < (network.includes(':') ? SHORTEST_PREFIX.v6 : SHORTEST_PREFIX.v4);
}
