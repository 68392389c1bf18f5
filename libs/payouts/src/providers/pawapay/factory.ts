import { currencyDecimals, type AmountLimits, type WalletCurrency } from '@vuka/domain';
import { z } from 'zod';

import { callbackPathOf } from '../../callback-path.js';
import {
  limitsBetween,
  PROVIDER_ROW,
  present,
  type CarriedCorridor,
  type ProviderFactory,
} from '../../provider-factory.js';
import { CUSTOMER_MESSAGE, pawapayProvider } from './index.js';
import { PAWAPAY_NETWORKS, type PawapayNetwork } from './networks.js';

const milliseconds = (from: number, to: number) => z.int().min(from).max(to).optional();
const HOUR_MS = 3_600_000;
const NETWORK_NAMES = PAWAPAY_NETWORKS.map(({ provider }) => provider);

/** As GET /v2/active-conf?operationType=PAYOUT tells them of the account. */
const limit = z
  .strictObject({ provider: z.string(), currency: z.string(), min: z.string(), max: z.string() })
  .superRefine((row, context) => {
    const network = PAWAPAY_NETWORKS.find((one) => isOf(row, one));
    if (network === undefined)
      return context.addIssue({
        code: 'custom',
        message: 'must name a network and a currency of docs/operators/providers/pawapay.md',
      });
    if (limitsBetween(row, currencyDecimals(row.currency)) === null)
      context.addIssue({ code: 'custom', message: 'must have decimal strings as min and max, min not above max' });
  });
type LimitRow = z.output<typeof limit>;

const row = z.strictObject({
  ...PROVIDER_ROW,
  callback_host: z.string().regex(/^[a-z0-9.-]{1,253}(:\d{1,5})?$/, 'must be a host in lower case').optional(),
  customer_message: z.string().regex(CUSTOMER_MESSAGE, 'must be 4 to 22 letters, digits and spaces').optional(),
  call_timeout_ms: milliseconds(1_000, 60_000),
  max_connections: z.int().min(1).max(256).optional(),
  dedupes_for_ms: z.int().min(0).max(168 * HOUR_MS).nullable().optional(),
  refund_safe_after_ms: milliseconds(0, 720 * HOUR_MS),
  signature_max_age_ms: milliseconds(1_000, 24 * HOUR_MS),
  own_wallets: z.array(z.enum(NETWORK_NAMES)).max(100).optional(),
  limits: z.array(limit).max(100).optional(),
}); // prettier-ignore
export type PawapayRow = z.output<typeof row>;

export const pawapay: ProviderFactory<PawapayRow> = {
  row,
  isPlayMoney: false,
  testHosts: ['api.sandbox.pawapay.io'],
  carries: ({ limits = [] }) => PAWAPAY_NETWORKS.map((network) => carriedOn(network, limits)),
  open: (given, { credential, callbackTokens: [token] }, { clock }) => ({
    provider: pawapayProvider({
      baseUrl: given.base_url,
      credential,
      clock,
      ...present({
        callbackHost: given.callback_host,
        statementCallbackUrl: callbackUrlOf(given.callback_host, token),
        customerMessage: given.customer_message,
        callTimeoutMs: given.call_timeout_ms,
        maxConnections: given.max_connections,
        dedupesForMs: given.dedupes_for_ms,
        refundSafeAfterMs: given.refund_safe_after_ms,
        signatureMaxAgeMs: given.signature_max_age_ms,
        ownWallets: given.own_wallets,
      }),
    }),
  }),
};

/** The one that pawaPay was given; undefined: there is none. */
function callbackUrlOf(host: string | undefined, token: string | undefined): string | undefined {
  return host === undefined || token === undefined ? undefined : `https://${host}${callbackPathOf('pawapay', token)}`;
}

function carriedOn(network: PawapayNetwork, own: readonly LimitRow[]): CarriedCorridor {
  const currency = network.currency as WalletCurrency;
  const told = own.find((one) => isOf(one, network));
  return {
    currency,
    kind: 'mobile',
    network: network.network,
    decimals: Math.min(network.decimals, currencyDecimals(currency)),
    limits: told === undefined ? publishedLimits(network) : limitsBetween(told, currencyDecimals(told.currency)),
    banks: null,
    accountLength: null,
  };
}

function publishedLimits({ limits, currency }: PawapayNetwork): AmountLimits | null {
  const unit = 10n ** BigInt(currencyDecimals(currency));
  return limits && { minMinor: limits.min * unit, maxMinor: limits.max * unit };
}

function isOf({ provider, currency }: Pick<LimitRow, 'provider' | 'currency'>, network: PawapayNetwork): boolean {
  return network.provider === provider && network.currency === currency;
}

/** null: no limits. */
