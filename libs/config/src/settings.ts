import { resolve } from 'node:path';

import type { CrashAt, LogLevel } from '@vuka/runtime';

import { isLoopback } from './address-ranges.js';
import {
  CHAIN_VARIABLES,
  endpointsOf,
  isChainVariable,
  sandboxChainsOf,
  type ChainSettings,
} from './chain-settings.js';
import { PROXIES_RULE } from './proxy-settings.js';
import type { RateLimitSettings } from './rate-limit-settings.js';
import type { RateSettings } from './rate-settings.js';
import { refuseSetting } from './refuse-setting.js';
import type { RiskName } from './risks/risk-names.js';
import { FOR_TESTS, variables, type Variables } from './settings-variables.js';

/** Partners were promised both times. In live they are always the defaults. */
export interface CheckoutSettings {
  readonly orderSeconds: number;
  /** After the order's end, for a deposit seen in time to become final. */
  readonly confirmMinutes: number;
  readonly mostOpenOrders: number;
  /** Per partner, total value. */
  readonly mostOpenOrdersCents: bigint;
  /** Per partner in 24 hours. */
  readonly mostOrdersADay: number;
}

export interface Settings {
  /** 0 = any free port. */
  readonly port: number;
  readonly host: string;
  /** Origin of payer pages. Absent: the sandbox's own; live has no pages then. */
  readonly publicUrl?: string;
  /** Proxies whose word about the caller's address we trust. */
  readonly trustedProxies: readonly string[];
  readonly env: 'sandbox' | 'live';
  /** What live may do although it is unsafe. Without effect in the sandbox. */
  readonly acceptedRisks: readonly RiskName[];
  /** Also http, loopback and private networks. Never in live, nor by default where others reach the API. */
  readonly webhookAllowPrivate: boolean;
  readonly logLevel: LogLevel;
  /** How long a finished webhook's body is kept and can be sent again. */
  readonly webhookPayloadDays: number;
  /** After which recipients' numbers and names are erased. null: never. */
  readonly recipientRetentionDays: number | null;
  /** docs/operators/terms.md */
  readonly termsFile?: string;
  readonly rateLimits: RateLimitSettings;
  /** Per partner. */
  readonly mostWaitingPays: number;
  readonly checkout: CheckoutSettings;
  readonly chains: ChainSettings;
  readonly rates: RateSettings;
  /** Tests only: where this process kills itself (crash-points.ts). */
  readonly crashAt?: CrashAt;
  /** Tests only: seed for duplicated, delayed and reordered events. */
  readonly testEventBusSeed?: number;
  /** Tests only: how long after "not paid" a sandbox provider may still have paid. */
  readonly testRefundSafeMs?: number;
  /** Tests only. */
  readonly testPartners?: number;
  /** Probably typing errors, so we warn. */
  readonly unknownVariables: readonly string[];
}

export interface EmbeddedSettings extends Settings {
  readonly dataDir: string;
  /** Addresses and credentials of remote services, for the commands. */
  readonly adminFile?: string;
  /** Chains that the sandbox runs its own node for. Empty in live. */
  readonly sandboxChains: readonly string[];
}

/** Read by services that run alone (libs/service-host). Listed so that no profile warns about them. */
export const SERVICE_VARIABLES = [
  'VUKA_DATABASE_URL', 'VUKA_DATABASE_CONNECTIONS', 'VUKA_DATABASE_CA_FILE',
  'VUKA_KAFKA_BROKERS', 'VUKA_KAFKA_PREFIX', 'VUKA_KAFKA_TLS', 'VUKA_KAFKA_CA_FILE', 'VUKA_KAFKA_CERT_FILE', 'VUKA_KAFKA_KEY_FILE',
  'VUKA_KAFKA_SASL', 'VUKA_KAFKA_USERNAME',
  'VUKA_REDIS_URL', 'VUKA_REDIS_PREFIX',
  'VUKA_INTERNAL_HOST', 'VUKA_INTERNAL_PORT',
  'VUKA_INTERNAL_TLS', 'VUKA_INTERNAL_CERT_FILE', 'VUKA_INTERNAL_KEY_FILE', 'VUKA_INTERNAL_CA_FILE',
  'VUKA_GATEWAY_URL', 'VUKA_PAYMENTS_URL', 'VUKA_NOTIFIER_URL', 'VUKA_VALIDATION_URL', 'VUKA_OFFRAMP_URL', 'VUKA_CHECKOUT_URL',
  'VUKA_SECRETS_FILE', 'VUKA_PROVIDERS_FILE', 'VUKA_ALLOW_STABLECOIN_FUNDS_AT', 'VUKA_START_PATIENCE_S',
] as const; // prettier-ignore

const KNOWN: ReadonlySet<string> = new Set([...Object.keys(variables.shape), ...SERVICE_VARIABLES, ...CHAIN_VARIABLES]);

const isOurs = (name: string): boolean => /^(VUKA|RATE_LIMIT|CHECKOUT)_/.test(name) || isChainVariable(name);

/** An empty variable counts as absent. */
export function givenVariables(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined || value === '' ? [] : [[name, value]])),
  );
}

/** Throws SettingsError with the variable and the rule. */
export function loadSettings(env: NodeJS.ProcessEnv): EmbeddedSettings {
  const given = givenVariables(env);
  const parsed = variables.parse(given);
  if (parsed.VUKA_ENV === 'live') refuseInLive(parsed);
  else if (parsed.TRUSTED_PROXIES?.some((range) => range.endsWith('/0')))
    refuseSetting('TRUSTED_PROXIES', PROXIES_RULE);
  return {
    port: parsed.PORT,
    host: parsed.HOST,
    ...(parsed.PUBLIC_URL !== undefined && { publicUrl: parsed.PUBLIC_URL }),
    trustedProxies: parsed.TRUSTED_PROXIES ?? [],
    dataDir: resolve(parsed.VUKA_DATA_DIR),
    sandboxChains: parsed.VUKA_ENV === 'live' ? [] : (parsed.VUKA_SANDBOX_CHAINS ?? sandboxChainsOf('all')),
    env: parsed.VUKA_ENV,
    acceptedRisks: parsed.VUKA_ACCEPT_RISK ?? [],
    webhookAllowPrivate: parsed.WEBHOOK_ALLOW_PRIVATE ?? (parsed.VUKA_ENV === 'sandbox' && isLoopback(parsed.HOST)),
    logLevel: parsed.LOG_LEVEL,
    webhookPayloadDays: parsed.WEBHOOK_PAYLOAD_DAYS,
    recipientRetentionDays: parsed.RECIPIENT_RETENTION_DAYS ?? null,
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

function refuseInLive(parsed: Variables): void {
  if (parsed.WEBHOOK_ALLOW_PRIVATE === true)
    refuseSetting('WEBHOOK_ALLOW_PRIVATE', 'false or left out when VUKA_ENV is live');
  if (parsed.PUBLIC_URL?.startsWith('http:') === true) refuseSetting('PUBLIC_URL', 'https:// when VUKA_ENV is live');
  if (parsed.VUKA_SANDBOX_CHAINS !== undefined) refuseSetting('VUKA_SANDBOX_CHAINS', 'left out when VUKA_ENV is live');
  if (parsed.SANDBOX_REFUND_KEYS_FILE !== undefined)
    refuseSetting('SANDBOX_REFUND_KEYS_FILE', 'left out when VUKA_ENV is live: refunds are signed offline');
  for (const name of FOR_TESTS)
    if (parsed[name] !== undefined) refuseSetting(name, 'left out when VUKA_ENV is live: it is for tests');
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

/** Only tests may change times promised to partners. */
function checkoutOf(parsed: Variables): CheckoutSettings {
  const {
    CHECKOUT_ORDER_SECONDS: orderSeconds,
    CHECKOUT_CONFIRM_MINUTES: confirmMinutes,
    MOST_OPEN_ORDERS: mostOpenOrders,
    MOST_ORDERS_A_DAY: mostOrdersADay,
  } = parsed;
  if (parsed.VUKA_ENV === 'live' && orderSeconds !== 420)
    refuseSetting('CHECKOUT_ORDER_SECONDS', '420 or left out when VUKA_ENV is live: partners are told seven minutes');
  if (parsed.VUKA_ENV === 'live' && confirmMinutes !== 45)
    refuseSetting('CHECKOUT_CONFIRM_MINUTES', '45 or left out when VUKA_ENV is live');
  return {
    orderSeconds,
    confirmMinutes,
    mostOpenOrders,
    mostOpenOrdersCents: BigInt(parsed.MOST_OPEN_ORDERS_USD) * 100n,
    mostOrdersADay,
  };
}
