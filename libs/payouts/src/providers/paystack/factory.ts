import { banksOf, currencyDecimals } from '@vuka/domain';
import { z } from 'zod';

import {
  limitsBetween,
  PROVIDER_ROW,
  present,
  type CarriedCorridor,
  type ProviderFactory,
} from '../../provider-factory.js';
import type { BankCodes } from './banks.js';
import { banksOfChannel, PAYSTACK_CHANNELS, type PaystackChannel } from './channels.js';
import { paystackProvider, REASON } from './index.js';

const milliseconds = (from: number, to: number) => z.int().min(from).max(to).optional();
const HOUR_MS = 3_600_000;
/** [D] a NUBAN. */
const NUBAN = { min: 10, max: 10 } as const;

/** As Paystack tells them of the account. Whole corridors: their limits are by currency and kind. */
const limit = z
  .strictObject({
    currency: z.string(),
    kind: z.string(),
    network: z.string().optional(),
    min: z.string(),
    max: z.string(),
  })
  .superRefine((row, context) => {
    const isKnown = PAYSTACK_CHANNELS.some((one) => isOf(row, one));
    if (!isKnown)
      context.addIssue({
        code: 'custom',
        message: 'must name a currency, a kind and, of mobile, a network of docs/operators/providers/paystack.md',
      });
    else if (limitsBetween(row, currencyDecimals(row.currency)) === null)
      context.addIssue({ code: 'custom', message: 'must have decimal strings as min and max, min not above max' });
  });
type LimitRow = z.output<typeof limit>;

const KENYAN: ReadonlySet<string> = new Set(banksOf('KES').map(({ code }) => code));
const kesBanks = z
  .record(z.string(), z.string().regex(/^[A-Za-z0-9]{1,20}$/, 'must be a code of GET /bank?currency=KES'))
  .superRefine((map, context) => {
    const refuse = (message: string): void => context.addIssue({ code: 'custom', message });
    const stranger = Object.keys(map).find((code) => !KENYAN.has(code));
    if (stranger !== undefined) refuse('must have bank codes of /v1/banks/kes');
    // Two banks under one code: one of them would be paid for the other.
    if (new Set(Object.values(map)).size < Object.keys(map).length) refuse('must not have a code of theirs twice');
  });

const row = z.strictObject({
  ...PROVIDER_ROW,
  reason: z.string().regex(REASON, 'must be 3 to 100 letters, digits and spaces').optional(),
  kes_banks: kesBanks.optional(),
  call_timeout_ms: milliseconds(1_000, 60_000),
  max_connections: z.int().min(1).max(256).optional(),
  dedupes_for_ms: z.int().min(0).max(168 * HOUR_MS).nullable().optional(),
  not_found_proves_after_ms: z.int().min(60_000).max(168 * HOUR_MS).nullable().optional(),
  refund_safe_after_ms: milliseconds(0, 720 * HOUR_MS),
  limits: z.array(limit).max(20).optional(),
}); // prettier-ignore
export type PaystackRow = z.output<typeof row>;

export const paystack: ProviderFactory<PaystackRow> = {
  row,
  isPlayMoney: false,
  // Test and live are one host: the key tells them apart [D].
  testHosts: [],
  testCredential: /^sk_test_/,
  carries: ({ limits = [], kes_banks: banks = {} }) =>
    PAYSTACK_CHANNELS.flatMap((channel) => carriedOn(channel, limits, new Map(Object.entries(banks)))),
  open: (given, { credential }, { clock, kept }) => ({
    provider: paystackProvider({
      baseUrl: given.base_url,
      credential,
      clock,
      kept,
      kesBanks: new Map(Object.entries(given.kes_banks ?? {})),
      ...present({
        reason: given.reason,
        callTimeoutMs: given.call_timeout_ms,
        maxConnections: given.max_connections,
        dedupesForMs: given.dedupes_for_ms,
        notFoundProvesAfterMs: given.not_found_proves_after_ms,
        refundSafeAfterMs: given.refund_safe_after_ms,
      }),
    }),
  }),
};

/** None where no bank is mapped. */
function carriedOn(channel: PaystackChannel, own: readonly LimitRow[], kes: BankCodes): CarriedCorridor[] {
  const { currency, kind, network, decimals } = channel;
  const codes = banksOfChannel(channel, kes);
  if (codes !== null && codes.size === 0) return [];
  const ours: readonly string[] = banksOf(currency).map(({ code }) => code);
  const told = own.find((one) => isOf(one, channel));
  return [
    {
      currency,
      kind,
      network,
      decimals: Math.min(decimals, currencyDecimals(currency)),
      limits: told === undefined ? null : limitsBetween(told, currencyDecimals(told.currency)),
      banks: codes && new Set(ours.filter((code) => codes.has(code))),
      accountLength: currency === 'NGN' ? NUBAN : null,
    },
  ];
}

function isOf(
  { currency, kind, network }: Pick<LimitRow, 'currency' | 'kind' | 'network'>,
  one: PaystackChannel,
): boolean {
  return one.currency === currency && one.kind === kind && one.network === (network ?? null);
}

/** null: no limits. */
