import { z } from 'zod';

import { type CarriedCorridor, limitsBetween, PROVIDER_ROW, type ProviderFactory } from '../../provider-factory.js';
import { ACCOUNT_NAME, chapaProvider, TEST_KEY } from './index.js';
import { CHAPA_CURRENCY, CHAPA_NETWORKS, type ChapaNetwork } from './networks.js';

const HOUR_MS = 3_600_000;
const DECIMALS = 2;
const UNIT = 10n ** BigInt(DECIMALS);
const milliseconds = (from: number, to: number) => z.int().min(from).max(to).optional();

/** The account's own. */
const limit = z
  .strictObject({ network: z.enum(CHAPA_NETWORKS.map(({ network }) => network)), min: z.string(), max: z.string() })
  .refine(
    (row) => limitsBetween(row, DECIMALS) !== null,
    'must have decimal strings as min and max, min not above max',
  );
type LimitRow = z.output<typeof limit>;

const row = z.strictObject({
  ...PROVIDER_ROW,
  account_name: z.string().regex(ACCOUNT_NAME, 'must be 2 to 50 letters, digits and spaces').optional(),
  decimals: z.union([z.literal(0), z.literal(2)]).optional(),
  approvals_sign: z.enum(['payload', 'constant']).optional(),
  charge_is_on_top: z.boolean().optional(),
  call_timeout_ms: milliseconds(1_000, 60_000),
  max_connections: z.int().min(1).max(256).optional(),
  dedupes_for_ms: z.int().min(0).max(168 * HOUR_MS).nullable().optional(),
  not_found_proves_after_ms: z.int().min(60_000).max(168 * HOUR_MS).nullable().optional(),
  refund_safe_after_ms: milliseconds(0, 720 * HOUR_MS),
  limits: z.array(limit).max(CHAPA_NETWORKS.length).optional(),
}); // prettier-ignore
export type ChapaRow = z.output<typeof row>;

export const chapa: ProviderFactory<ChapaRow> = {
  row,
  isPlayMoney: false,
  // [D] test mode has the address of live.
  testHosts: [],
  testCredential: TEST_KEY,
  // It asks before it pays: on a path that has the token, by a question that is signed.
  needsOfCalls: ['signingSecrets', 'callbackTokens'],
  carries: ({ limits = [], decimals = 0 }) => CHAPA_NETWORKS.map((network) => carriedOn(network, limits, decimals)),
  open: (given, { credential, signingSecrets }, { clock }) => ({
    provider: chapaProvider({
      baseUrl: given.base_url,
      credential,
      signingSecrets,
      clock,
      accountName: given.account_name,
      decimals: given.decimals,
      approvalsSign: given.approvals_sign,
      chargeIsOnTop: given.charge_is_on_top,
      callTimeoutMs: given.call_timeout_ms,
      maxConnections: given.max_connections,
      dedupesForMs: given.dedupes_for_ms,
      notFoundProvesAfterMs: given.not_found_proves_after_ms,
      refundSafeAfterMs: given.refund_safe_after_ms,
    }),
  }),
};

function carriedOn(network: ChapaNetwork, own: readonly LimitRow[], decimals: number): CarriedCorridor {
  const told = own.find((one) => one.network === network.network);
  const { min, max } = network.limits;
  return {
    currency: CHAPA_CURRENCY,
    kind: 'mobile',
    network: network.network,
    decimals,
    limits: told === undefined ? { minMinor: min * UNIT, maxMinor: max * UNIT } : limitsBetween(told, DECIMALS),
    banks: null,
    accountLength: null,
  };
}

/** null: no limits. */
