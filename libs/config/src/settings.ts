import { resolve } from 'node:path';

import type { CrashAt, LogLevel } from '@vuka/runtime';

import {
  CHAIN_VARIABLES,
  endpointsOf,
  isChainVariable,
  sandboxChainsOf,
  type ChainSettings,
} from './chain-settings.js';
import type { RateLimitSettings } from './rate-limit-settings.js';
import type { RateSettings } from './rate-settings.js';
import { refuseSetting } from './refuse-setting.js';
import { FOR_TESTS, variables, type Variables } from './settings-variables.js';

/** Of checkout; the first two are part of what partners are promised, and in live what they are by default. */
export interface CheckoutSettings {
  /** From the reservation of an order to its end. */
  readonly orderSeconds: number;
  /** After its end: how long a deposit that was seen in time may take to become final. */
  readonly confirmMinutes: number;
  /** Orders of one partner that may be open at the same time. */
  readonly mostOpenOrders: number;
  /** What these may be worth together: US cents. */
  readonly mostOpenOrdersCents: bigint;
  /** Orders of one partner that may be made within 24 hours. */
  readonly mostOrdersADay: number;
}

/** What may be set from outside in both profiles, checked once at boot. */
export interface Settings {
  /** TCP port of the API; 0 = any free one. */
  readonly port: number;
  readonly host: string;
  /** Origin that payers reach the API by, as partners are told of pages; absent: the sandbox's own address, and in live there are none. */
  readonly publicUrl?: string;
  /** Addresses and ranges of the proxies before the API, which are believed where a request came from; [] for none. */
  readonly trustedProxies: readonly string[];
  readonly env: 'sandbox' | 'live';
  /** Webhooks and other outbound calls may go to http, loopback and private networks. Never in live. */
  readonly webhookAllowPrivate: boolean;
  readonly logLevel: LogLevel;
  /** How long the body of a webhook that is at rest is kept, and may be sent again. */
  readonly webhookPayloadDays: number;
  /** Absolute path of the limits and service fees of this deployment (docs/operators/terms.md); absent: the registry's own. */
  readonly termsFile?: string;
  readonly rateLimits: RateLimitSettings;
  /** Pays of one partner that may wait for their deposits at the same time. */
  readonly mostWaitingPays: number;
  readonly checkout: CheckoutSettings;
  readonly chains: ChainSettings;
  readonly rates: RateSettings;
  /** For tests, never in live: where this process kills itself (`VUKA_CRASH_AT=<point>[:<n>]`, crash-points.ts). */
  readonly crashAt?: CrashAt;
  /** For tests, never in live: events are duplicated, delayed and interleaved as this seed has it (`VUKA_TEST_WIRE_SEED`). */
  readonly testEventBusSeed?: number;
  /** For tests, never in live: how long after "not paid" the sandbox's providers may still have paid (`VUKA_TEST_REFUND_SAFE_MS`). */
  readonly testRefundSafeMs?: number;
  /** For tests, never in live: so many sandbox partners instead of two (`VUKA_TEST_PARTNERS`). */
  readonly testPartners?: number;
  /** Names of VUKA_*, RATE_LIMIT_*, CHECKOUT_* and CHAIN_RPC_* variables nothing here knows: probably typing errors, to be warned about. */
  readonly unknownVariables: readonly string[];
}

/** Those of the embedded profile. */
export interface EmbeddedSettings extends Settings {
  /** Absolute path. */
  readonly dataDir: string;
  /** Absolute path; for the commands: names services that run elsewhere, and what opens their admin parts. */
  readonly adminFile?: string;
  /** Names of chains that the sandbox runs a node of its own for, where no endpoint is given. Empty in live. */
  readonly sandboxChains: readonly string[];
}

/** Read by a service that runs alone (libs/service-host); named here so that neither profile takes the other's for typing errors. */
export const SERVICE_VARIABLES = [
  'VUKA_DATABASE_URL', 'VUKA_DATABASE_CONNECTIONS', 'VUKA_DATABASE_CA_FILE',
  'VUKA_KAFKA_BROKERS', 'VUKA_KAFKA_PREFIX', 'VUKA_KAFKA_TLS', 'VUKA_KAFKA_CA_FILE', 'VUKA_KAFKA_CERT_FILE', 'VUKA_KAFKA_KEY_FILE',
  'VUKA_KAFKA_SASL', 'VUKA_KAFKA_USERNAME',
  'VUKA_REDIS_URL', 'VUKA_REDIS_PREFIX',
  'VUKA_INTERNAL_HOST', 'VUKA_INTERNAL_PORT',
  'VUKA_GATEWAY_URL', 'VUKA_PAYMENTS_URL', 'VUKA_NOTIFIER_URL', 'VUKA_VALIDATION_URL', 'VUKA_OFFRAMP_URL', 'VUKA_CHECKOUT_URL',
  'VUKA_SECRETS_FILE', 'VUKA_PROVIDERS_FILE', 'VUKA_START_PATIENCE_S',
] as const; // prettier-ignore

const KNOWN: ReadonlySet<string> = new Set([...Object.keys(variables.shape), ...SERVICE_VARIABLES, ...CHAIN_VARIABLES]);

const isOurs = (name: string): boolean => /^(VUKA|RATE_LIMIT|CHECKOUT)_/.test(name) || isChainVariable(name);

/** What is set; an empty variable counts as absent. */
export function givenVariables(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined || value === '' ? [] : [[name, value]])),
  );
}

/** Reads the settings. An empty variable counts as absent. Throws SettingsError naming the variable and the rule. */
export function loadSettings(env: NodeJS.ProcessEnv): EmbeddedSettings {
  const given = givenVariables(env);
  const parsed = variables.parse(given);
  if (parsed.VUKA_ENV === 'live') refuseInLive(parsed);
  return {
    port: parsed.PORT,
    host: parsed.HOST,
    ...(parsed.PUBLIC_URL !== undefined && { publicUrl: parsed.PUBLIC_URL }),
    trustedProxies: parsed.TRUSTED_PROXIES ?? [],
    dataDir: resolve(parsed.VUKA_DATA_DIR),
    sandboxChains: parsed.VUKA_ENV === 'live' ? [] : (parsed.VUKA_SANDBOX_CHAINS ?? sandboxChainsOf('all')),
    env: parsed.VUKA_ENV,
    webhookAllowPrivate: parsed.WEBHOOK_ALLOW_PRIVATE ?? parsed.VUKA_ENV === 'sandbox',
    logLevel: parsed.LOG_LEVEL,
    webhookPayloadDays: parsed.WEBHOOK_PAYLOAD_DAYS,
    mostWaitingPays: parsed.MOST_WAITING_PAYS,
    checkout: checkoutOf(parsed),
    rateLimits: {
      partner: parsed.RATE_LIMIT_PARTNER,
      lookups: parsed.RATE_LIMIT_LOOKUPS,
      destination: parsed.RATE_LIMIT_DESTINATION,
      failedAuth: parsed.RATE_LIMIT_FAILED_AUTH,
    },
    chains: chainsOf(parsed, given),
    rates: {
      url: parsed.RATES_URL ?? null,
      maxAgeMs: parsed.RATES_MAX_AGE_MS,
      spreads: parsed.RATE_SPREADS,
      mostOpenQuotesCents: BigInt(parsed.MOST_OPEN_QUOTES_USD) * 100n,
    },
    ...(parsed.VUKA_TERMS_FILE !== undefined && { termsFile: resolve(parsed.VUKA_TERMS_FILE) }),
    ...(parsed.VUKA_ADMIN_FILE !== undefined && { adminFile: resolve(parsed.VUKA_ADMIN_FILE) }),
    ...(parsed.VUKA_CRASH_AT !== undefined && { crashAt: parsed.VUKA_CRASH_AT }),
    ...(parsed.VUKA_TEST_WIRE_SEED !== undefined && { testEventBusSeed: parsed.VUKA_TEST_WIRE_SEED }),
    ...(parsed.VUKA_TEST_REFUND_SAFE_MS !== undefined && { testRefundSafeMs: parsed.VUKA_TEST_REFUND_SAFE_MS }),
    ...(parsed.VUKA_TEST_PARTNERS !== undefined && { testPartners: parsed.VUKA_TEST_PARTNERS }),
    unknownVariables: Object.keys(given).filter((name) => isOurs(name) && !KNOWN.has(name)),
  };
}

/** What a real deployment must not be talked into. */
function refuseInLive(parsed: Variables): void {
  if (parsed.WEBHOOK_ALLOW_PRIVATE === true)
    refuseSetting('WEBHOOK_ALLOW_PRIVATE', 'false or absent when VUKA_ENV is live');
  if (parsed.PUBLIC_URL?.startsWith('http:') === true) refuseSetting('PUBLIC_URL', 'https:// when VUKA_ENV is live');
  if (parsed.VUKA_SANDBOX_CHAINS !== undefined) refuseSetting('VUKA_SANDBOX_CHAINS', 'absent when VUKA_ENV is live');
  if (parsed.SANDBOX_REFUND_KEYS_FILE !== undefined)
    refuseSetting('SANDBOX_REFUND_KEYS_FILE', 'absent when VUKA_ENV is live: refunds are signed offline');
  for (const name of FOR_TESTS)
    if (parsed[name] !== undefined) refuseSetting(name, 'absent when VUKA_ENV is live: it is for tests');
}

function chainsOf(parsed: Variables, given: Readonly<Record<string, string>>): ChainSettings {
  return {
    endpoints: endpointsOf(given),
    agree: parsed.CHAIN_RPC_AGREE ?? (parsed.VUKA_ENV === 'live' ? 2 : 1),
    depositXpub: parsed.DEPOSIT_XPUB ?? null,
    stellarAccount: parsed.STELLAR_ACCOUNT ?? null,
    unapplied: parsed.UNAPPLIED_POLICY,
    refundWallets: {
      ...(parsed.REFUND_WALLET_EVM !== undefined && { evm: parsed.REFUND_WALLET_EVM }),
      ...(parsed.REFUND_WALLET_SOLANA !== undefined && { solana: parsed.REFUND_WALLET_SOLANA }),
      ...(parsed.REFUND_WALLET_STELLAR !== undefined && { stellar: parsed.REFUND_WALLET_STELLAR }),
    },
    ...(parsed.SANDBOX_REFUND_KEYS_FILE !== undefined && {
      sandboxRefundKeysFile: resolve(parsed.SANDBOX_REFUND_KEYS_FILE),
    }),
    exposureLimitCents: BigInt(parsed.EXPOSURE_LIMIT_USD) * 100n,
    ...(parsed.VUKA_TEST_SEARCH_MS !== undefined && { searchMs: parsed.VUKA_TEST_SEARCH_MS }),
    ...(parsed.VUKA_TEST_CHAIN_EPOCH !== undefined && { epochBlocks: parsed.VUKA_TEST_CHAIN_EPOCH }),
    ...(parsed.SOLANA_ADDRESSES_FILE !== undefined && { solanaAddressesFile: resolve(parsed.SOLANA_ADDRESSES_FILE) }),
    ...(parsed.SCREENING_FILE !== undefined && { screeningFile: resolve(parsed.SCREENING_FILE) }),
    ...(parsed.OWN_ADDRESSES_FILE !== undefined && { ownAddressesFile: resolve(parsed.OWN_ADDRESSES_FILE) }),
  };
}

/** What partners were told of an order's time holds everywhere but in tests. */
function checkoutOf(parsed: Variables): CheckoutSettings {
  const {
    CHECKOUT_ORDER_SECONDS: orderSeconds,
    CHECKOUT_CONFIRM_MINUTES: confirmMinutes,
    MOST_OPEN_ORDERS: mostOpenOrders,
    MOST_ORDERS_A_DAY: mostOrdersADay,
  } = parsed;
  if (parsed.VUKA_ENV === 'live' && orderSeconds !== 420)
    refuseSetting('CHECKOUT_ORDER_SECONDS', '420 or absent when VUKA_ENV is live: partners are told seven minutes');
  if (parsed.VUKA_ENV === 'live' && confirmMinutes !== 45)
    refuseSetting('CHECKOUT_CONFIRM_MINUTES', '45 or absent when VUKA_ENV is live');
  return {
    orderSeconds,
    confirmMinutes,
    mostOpenOrders,
    mostOpenOrdersCents: BigInt(parsed.MOST_OPEN_ORDERS_USD) * 100n,
    mostOrdersADay,
  };
}
