import { isIP } from 'node:net';
import { resolve } from 'node:path';

import { type CrashAt, type LogLevel, parseCrashAt } from '@vuka/runtime';
import { z } from 'zod';

import {
  CHAIN_VARIABLES,
  endpointsOf,
  isChainVariable,
  sandboxChainsOf,
  type ChainSettings,
} from './chain-settings.js';
import { trustedProxiesOf } from './proxy-settings.js';
import { ratesUrlOf, spreadsOf, type RateSettings } from './rate-settings.js';
import { refuseSetting } from './refuse-setting.js';

/** So many tokens a second, and so many at once. */
export interface RequestRate {
  readonly ratePerS: number;
  readonly burst: number;
}

/** How often partners are answered; null = as often as they ask. */
export interface RateLimitSettings {
  /** Requests of one partner, all its keys together. */
  readonly partner: RequestRate | null;
  /** Those of them that look up a name, which count here and not among the others. */
  readonly lookups: RequestRate | null;
  /** Lookups of one destination by one partner, each of which counts among its lookups besides. */
  readonly destination: RequestRate | null;
  /** Requests from one address whose API key does not open. */
  readonly failedAuth: RequestRate | null;
}

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
  /** Absolute path of the limits and service fees of this deployment (docs/terms.md); absent: the registry's own. */
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
  readonly testWireSeed?: number;
  /** For tests, never in live: how long after "not paid" the sandbox's rails may still have paid (`VUKA_TEST_REFUND_SAFE_MS`). */
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
  /** Absolute path; for the commands: names services that run elsewhere, and what opens their desks. */
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
  'VUKA_SECRETS_FILE', 'VUKA_RAILS_FILE', 'VUKA_START_PATIENCE_S',
] as const; // prettier-ignore

/** An IP address or a name that DNS would take. */
export const isHostName = (text: string): boolean =>
  isIP(text) !== 0 || /^(?=.{1,253}$)[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*$/.test(text);

/** `<rate>/<burst>` or `off`: decisions.md section 1 has the defaults. */
const rateLimit = (variable: string, byDefault: string) =>
  z
    .string()
    .default(byDefault)
    .transform((text): RequestRate | null => {
      if (text === 'off') return null;
      const [, ratePerS = 0, burst = 0] = (/^(\d{1,7})\/(\d{1,7})$/.exec(text) ?? []).map(Number);
      if (ratePerS >= 1 && burst >= 1) return { ratePerS, burst };
      return refuseSetting(
        variable,
        `a rate per second and a burst, whole numbers from 1 to 9999999 (such as ${byDefault}), or off`,
      );
    });

const variables = z.object({
  PORT: z
    .string()
    .regex(/^\d{1,5}$/)
    .transform(Number)
    .refine((port) => port <= 65_535)
    .catch(() => refuseSetting('PORT', 'a whole number from 0 to 65535 (0 = any free port)'))
    .default(3000),
  HOST: z
    .string()
    .refine(isHostName)
    .catch(() => refuseSetting('HOST', 'an IP address or a host name'))
    .default('127.0.0.1'),
  VUKA_DATA_DIR: z
    .string()
    .refine((path) => !path.includes('\0'))
    .catch(() => refuseSetting('VUKA_DATA_DIR', 'a path'))
    .default('.vuka'),
  PUBLIC_URL: z
    .string()
    .transform(
      (text) =>
        publicUrlOf(text) ??
        refuseSetting('PUBLIC_URL', 'http:// or https:// and a host, without path, query or password'),
    )
    .optional(),
  TRUSTED_PROXIES: z
    .string()
    .transform((text) => trustedProxiesOf('TRUSTED_PROXIES', text))
    .optional(),
  VUKA_ENV: z
    .enum(['sandbox', 'live'])
    .catch(() => refuseSetting('VUKA_ENV', 'sandbox or live'))
    .default('sandbox'),
  WEBHOOK_ALLOW_PRIVATE: z
    .enum(['true', 'false'])
    .catch(() => refuseSetting('WEBHOOK_ALLOW_PRIVATE', 'true or false'))
    .transform((text) => text === 'true')
    .optional(),
  WEBHOOK_PAYLOAD_DAYS: z
    .string()
    .regex(/^[1-9]\d{0,3}$/)
    .transform(Number)
    .catch(() => refuseSetting('WEBHOOK_PAYLOAD_DAYS', 'a whole number from 1 to 9999'))
    .default(30),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .catch(() => refuseSetting('LOG_LEVEL', 'fatal, error, warn, info, debug, trace or silent'))
    .default('info'),
  RATE_LIMIT_PARTNER: rateLimit('RATE_LIMIT_PARTNER', '100/500'),
  RATE_LIMIT_LOOKUPS: rateLimit('RATE_LIMIT_LOOKUPS', '5/50'),
  // Enough for a shop that is paid all day, not for watching whose number it becomes.
  RATE_LIMIT_DESTINATION: rateLimit('RATE_LIMIT_DESTINATION', '1/60'),
  RATE_LIMIT_FAILED_AUTH: rateLimit('RATE_LIMIT_FAILED_AUTH', '10/200'),
  VUKA_ADMIN_FILE: z
    .string()
    .refine((path) => !path.includes('\0'))
    .catch(() => refuseSetting('VUKA_ADMIN_FILE', 'a path'))
    .optional(),
  VUKA_TERMS_FILE: z
    .string()
    .refine((path) => !path.includes('\0'))
    .catch(() => refuseSetting('VUKA_TERMS_FILE', 'a path'))
    .optional(),
  CHAIN_RPC_AGREE: z
    .string()
    .regex(/^[1-8]$/)
    .transform(Number)
    .catch(() => refuseSetting('CHAIN_RPC_AGREE', 'a whole number from 1 to 8'))
    .optional(),
  DEPOSIT_XPUB: z
    .string()
    .regex(/^xpub[1-9A-HJ-NP-Za-km-z]{107}$/)
    .catch(() => refuseSetting('DEPOSIT_XPUB', 'an extended public key (xpub…) of an account'))
    .optional(),
  SOLANA_ADDRESSES_FILE: z
    .string()
    .refine((path) => !path.includes('\0'))
    .catch(() => refuseSetting('SOLANA_ADDRESSES_FILE', 'a path'))
    .optional(),
  STELLAR_ACCOUNT: z
    .string()
    .regex(/^G[A-Z2-7]{55}$/)
    .catch(() => refuseSetting('STELLAR_ACCOUNT', 'an account of Stellar (G…)'))
    .optional(),
  REFUND_WALLET_EVM: z
    .string()
    .regex(/^0x[0-9a-fA-F]{40}$/)
    .catch(() => refuseSetting('REFUND_WALLET_EVM', 'an address (0x and 40 hexadecimal digits)'))
    .optional(),
  REFUND_WALLET_SOLANA: z
    .string()
    .regex(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/)
    .catch(() => refuseSetting('REFUND_WALLET_SOLANA', 'an address of Solana (32 bytes in base58)'))
    .optional(),
  REFUND_WALLET_STELLAR: z
    .string()
    .regex(/^G[A-Z2-7]{55}$/)
    .catch(() => refuseSetting('REFUND_WALLET_STELLAR', 'an account of Stellar (G…)'))
    .optional(),
  SANDBOX_REFUND_KEYS_FILE: z
    .string()
    .refine((path) => !path.includes('\0'))
    .catch(() => refuseSetting('SANDBOX_REFUND_KEYS_FILE', 'a path'))
    .optional(),
  SCREENING_FILE: z
    .string()
    .refine((path) => !path.includes('\0'))
    .catch(() => refuseSetting('SCREENING_FILE', 'a path'))
    .optional(),
  OWN_ADDRESSES_FILE: z
    .string()
    .refine((path) => !path.includes('\0'))
    .catch(() => refuseSetting('OWN_ADDRESSES_FILE', 'a path'))
    .optional(),
  UNAPPLIED_POLICY: z
    .enum(['keep', 'wallet'])
    .catch(() => refuseSetting('UNAPPLIED_POLICY', 'keep or wallet'))
    .default('keep'),
  EXPOSURE_LIMIT_USD: z
    .string()
    .regex(/^(0|[1-9]\d{0,8})$/)
    .transform(Number)
    .catch(() => refuseSetting('EXPOSURE_LIMIT_USD', 'a whole number from 0 to 999999999'))
    .default(10_000),
  MOST_WAITING_PAYS: z
    .string()
    .regex(/^[1-9]\d{0,6}$/)
    .transform(Number)
    .catch(() => refuseSetting('MOST_WAITING_PAYS', 'a whole number from 1 to 9999999'))
    .default(1_000),
  CHECKOUT_ORDER_SECONDS: z
    .string()
    .regex(/^[1-9]\d{0,4}$/)
    .transform(Number)
    .refine((seconds) => seconds <= 86_400)
    .catch(() => refuseSetting('CHECKOUT_ORDER_SECONDS', 'a whole number from 1 to 86400'))
    .default(420),
  CHECKOUT_CONFIRM_MINUTES: z
    .string()
    .regex(/^(0|[1-9]\d{0,3})$/)
    .transform(Number)
    .catch(() => refuseSetting('CHECKOUT_CONFIRM_MINUTES', 'a whole number from 0 to 9999'))
    .default(45),
  MOST_OPEN_ORDERS: z
    .string()
    .regex(/^[1-9]\d{0,6}$/)
    .transform(Number)
    .catch(() => refuseSetting('MOST_OPEN_ORDERS', 'a whole number from 1 to 9999999'))
    .default(10_000),
  MOST_OPEN_ORDERS_USD: z
    .string()
    .regex(/^[1-9]\d{0,8}$/)
    .transform(Number)
    .catch(() => refuseSetting('MOST_OPEN_ORDERS_USD', 'a whole number from 1 to 999999999'))
    .default(1_000_000),
  MOST_ORDERS_A_DAY: z
    .string()
    .regex(/^[1-9]\d{0,6}$/)
    .transform(Number)
    .catch(() => refuseSetting('MOST_ORDERS_A_DAY', 'a whole number from 1 to 9999999'))
    .default(20_000),
  VUKA_SANDBOX_CHAINS: z.string().transform(sandboxChainsOf).optional(),
  RATES_URL: z
    .string()
    .transform((text) => ratesUrlOf('RATES_URL', text))
    .optional(),
  RATES_MAX_AGE_MS: z
    .string()
    .regex(/^[1-9]\d{3,6}$/)
    .transform(Number)
    .catch(() => refuseSetting('RATES_MAX_AGE_MS', 'a whole number from 1000 to 9999999'))
    .default(60_000),
  MOST_OPEN_QUOTES_USD: z
    .string()
    .regex(/^[1-9]\d{0,8}$/)
    .transform(Number)
    .catch(() => refuseSetting('MOST_OPEN_QUOTES_USD', 'a whole number from 1 to 999999999'))
    .default(1_000_000),
  RATE_SPREADS: z.string().default('').transform(spreadsOf),
  VUKA_CRASH_AT: z
    .string()
    .transform(
      (text) =>
        parseCrashAt(text) ??
        refuseSetting('VUKA_CRASH_AT', 'the name of a crash point, or that and :<n> with n from 1'),
    )
    .optional(),
  VUKA_TEST_WIRE_SEED: z
    .string()
    .regex(/^\d{1,10}$/)
    .transform(Number)
    .refine((seed) => seed <= 4_294_967_295)
    .catch(() => refuseSetting('VUKA_TEST_WIRE_SEED', 'a whole number from 0 to 4294967295'))
    .optional(),
  VUKA_TEST_SEARCH_MS: z
    .string()
    .regex(/^[1-9]\d{0,7}$/)
    .transform(Number)
    .catch(() => refuseSetting('VUKA_TEST_SEARCH_MS', 'a whole number from 1 to 99999999'))
    .optional(),
  VUKA_TEST_REFUND_SAFE_MS: z
    .string()
    .regex(/^[1-9]\d{0,7}$/)
    .transform(Number)
    .catch(() => refuseSetting('VUKA_TEST_REFUND_SAFE_MS', 'a whole number from 1 to 99999999'))
    .optional(),
  VUKA_TEST_CHAIN_EPOCH: z
    .string()
    .regex(/^[1-9]\d{0,2}$/)
    .transform(Number)
    .catch(() => refuseSetting('VUKA_TEST_CHAIN_EPOCH', 'a whole number from 1 to 999'))
    .optional(),
  VUKA_TEST_PARTNERS: z
    .string()
    .regex(/^\d{1,3}$/)
    .transform(Number)
    .refine((count) => count >= 2)
    .catch(() => refuseSetting('VUKA_TEST_PARTNERS', 'a whole number from 2 to 999'))
    .optional(),
});

const KNOWN: ReadonlySet<string> = new Set([...Object.keys(variables.shape), ...SERVICE_VARIABLES, ...CHAIN_VARIABLES]);

const isOurs = (name: string): boolean => /^(VUKA|RATE_LIMIT|CHECKOUT)_/.test(name) || isChainVariable(name);

/** What a real deployment must not be talked into. */
const FOR_TESTS = [
  'VUKA_CRASH_AT',
  'VUKA_TEST_WIRE_SEED',
  'VUKA_TEST_SEARCH_MS',
  'VUKA_TEST_REFUND_SAFE_MS',
  'VUKA_TEST_CHAIN_EPOCH',
  'VUKA_TEST_PARTNERS',
] as const;

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
  if (parsed.VUKA_ENV === 'live' && parsed.WEBHOOK_ALLOW_PRIVATE === true) {
    refuseSetting('WEBHOOK_ALLOW_PRIVATE', 'false or absent when VUKA_ENV is live');
  }
  if (parsed.VUKA_ENV === 'live' && parsed.PUBLIC_URL?.startsWith('http:') === true)
    refuseSetting('PUBLIC_URL', 'https:// when VUKA_ENV is live');
  if (parsed.VUKA_ENV === 'live' && parsed.VUKA_SANDBOX_CHAINS !== undefined)
    refuseSetting('VUKA_SANDBOX_CHAINS', 'absent when VUKA_ENV is live');
  if (parsed.VUKA_ENV === 'live' && parsed.SANDBOX_REFUND_KEYS_FILE !== undefined)
    refuseSetting('SANDBOX_REFUND_KEYS_FILE', 'absent when VUKA_ENV is live: refunds are signed offline');
  for (const name of FOR_TESTS) {
    if (parsed.VUKA_ENV === 'live' && parsed[name] !== undefined)
      refuseSetting(name, 'absent when VUKA_ENV is live: it is for tests');
  }
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
    chains: {
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
    },
    rates: {
      url: parsed.RATES_URL ?? null,
      maxAgeMs: parsed.RATES_MAX_AGE_MS,
      spreads: parsed.RATE_SPREADS,
      mostOpenQuotesCents: BigInt(parsed.MOST_OPEN_QUOTES_USD) * 100n,
    },
    ...(parsed.VUKA_TERMS_FILE !== undefined && { termsFile: resolve(parsed.VUKA_TERMS_FILE) }),
    ...(parsed.VUKA_ADMIN_FILE !== undefined && { adminFile: resolve(parsed.VUKA_ADMIN_FILE) }),
    ...(parsed.VUKA_CRASH_AT !== undefined && { crashAt: parsed.VUKA_CRASH_AT }),
    ...(parsed.VUKA_TEST_WIRE_SEED !== undefined && { testWireSeed: parsed.VUKA_TEST_WIRE_SEED }),
    ...(parsed.VUKA_TEST_REFUND_SAFE_MS !== undefined && { testRefundSafeMs: parsed.VUKA_TEST_REFUND_SAFE_MS }),
    ...(parsed.VUKA_TEST_PARTNERS !== undefined && { testPartners: parsed.VUKA_TEST_PARTNERS }),
    unknownVariables: Object.keys(given).filter((name) => isOurs(name) && !KNOWN.has(name)),
  };
}

/** The origin; null for anything else. */
function publicUrlOf(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  return url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/` ? url.origin : null;
}

/** What partners were told of an order's time holds everywhere but in tests. */
function checkoutOf(parsed: z.output<typeof variables>): CheckoutSettings {
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
