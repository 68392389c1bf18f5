import { isIP } from 'node:net';

import { parseCrashAt } from '@vuka/runtime';
import { z } from 'zod';

import { sandboxChainsOf } from './chain-settings.js';
import { trustedProxiesOf } from './proxy-settings.js';
import { rateLimit } from './rate-limit-settings.js';
import { ratesUrlOf, spreadsOf } from './rate-settings.js';
import { refuseSetting } from './refuse-setting.js';
import { RISK_NAMES, riskNamesOf } from './risks/risk-names.js';

export const isHostName = (text: string): boolean =>
  isIP(text) !== 0 || /^(?=.{1,253}$)[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*$/.test(text);

export const variables = z.object({
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
  VUKA_ACCEPT_RISK: z
    .string()
    .transform(
      (text) =>
        riskNamesOf(text) ??
        refuseSetting('VUKA_ACCEPT_RISK', `names from this list, separated by commas: ${RISK_NAMES.join(', ')}`),
    )
    .optional(),
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
  /** A month at least: providers may still speak of a payment. */
  RECIPIENT_RETENTION_DAYS: z
    .string()
    .regex(/^(?:3[1-9]|[4-9]\d|[1-9]\d{2,3})$/)
    .transform(Number)
    .catch(() => refuseSetting('RECIPIENT_RETENTION_DAYS', 'a whole number from 31 to 9999'))
    .optional(),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .catch(() => refuseSetting('LOG_LEVEL', 'fatal, error, warn, info, debug, trace or silent'))
    .default('info'),
  RATE_LIMIT_PARTNER: rateLimit('RATE_LIMIT_PARTNER', '100/500'),
  RATE_LIMIT_LOOKUPS: rateLimit('RATE_LIMIT_LOOKUPS', '5/50'),
  // Enough for a shop that is paid all day. Too little to watch a number for a change of owner.
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

export type Variables = z.output<typeof variables>;

/** Refused in a real deployment. */
export const FOR_TESTS = [
  'VUKA_CRASH_AT',
  'VUKA_TEST_WIRE_SEED',
  'VUKA_TEST_SEARCH_MS',
  'VUKA_TEST_REFUND_SAFE_MS',
  'VUKA_TEST_CHAIN_EPOCH',
  'VUKA_TEST_PARTNERS',
] as const;

/** null: not an origin. */
function publicUrlOf(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  return url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/` ? url.origin : null;
}
