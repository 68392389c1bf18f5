import type { MobileRecipient, PayoutDestination } from '../../payout-provider.js';

/** A mobile network as pawaPay knows it. */
export interface PawapayNetwork {
  /** pawaPay's name for it. */
  readonly provider: string;
  /** ISO 3166-1 alpha-3. */
  readonly country: string;
  readonly currency: string;
  /** Its name in our rules (libs/domain). */
  readonly network: string;
  /** Decimals an amount may carry there. */
  readonly decimals: 0 | 2;
  /**
   * What one payout may be, in whole units; null where nothing was published. [U]: a snapshot of an account, mostly of deposits. The
   * account's own are told by GET /v2/active-conf.
   */
  readonly limits: { readonly min: bigint; readonly max: bigint } | null;
}

type Row = [provider: string, country: string, currency: string, network: string, decimals: 0 | 2, ...limits: bigint[]];

/** [D] docs.pawapay.io/v2/docs/providers: names, currencies, decimals. Only what our rules can name is here. */
const ROWS: readonly Row[] = [
  ['MPESA_KEN', 'KEN', 'KES', 'Safaricom', 0],
  ['MTN_MOMO_UGA', 'UGA', 'UGX', 'MTN', 2, 500n, 5_000_000n],
  ['AIRTEL_OAPI_UGA', 'UGA', 'UGX', 'Airtel', 0, 500n, 5_000_000n],
  ['MTN_MOMO_GHA', 'GHA', 'GHS', 'MTN', 2, 1n, 15_000n],
  ['AIRTELTIGO_GHA', 'GHA', 'GHS', 'AirtelTigo', 2, 1n, 10_000n],
  ['VODAFONE_GHA', 'GHA', 'GHS', 'Telecel', 2, 1n, 15_000n],
  ['AIRTEL_MWI', 'MWI', 'MWK', 'Airtel Money', 2, 50n, 750_000n],
  ['TNM_MWI', 'MWI', 'MWK', 'TNM Mpamba', 2, 50n, 750_000n],
  ['AIRTEL_COD', 'COD', 'CDF', 'Airtel Money', 2, 100n, 6_250_000n],
  ['AIRTEL_COD', 'COD', 'USD', 'Airtel Money', 2],
  ['VODACOM_MPESA_COD', 'COD', 'CDF', 'Mpesa', 0, 500n, 1_000_000n],
  ['VODACOM_MPESA_COD', 'COD', 'USD', 'Mpesa', 2],
  ['MPESA_ETH', 'ETH', 'ETB', 'MPESA', 2],
];

export const PAWAPAY_NETWORKS: readonly PawapayNetwork[] = ROWS.map(
  ([provider, country, currency, network, decimals, min, max]) => ({
    provider,
    country,
    currency,
    network,
    decimals,
    limits: min === undefined || max === undefined ? null : { min, max },
  }),
);

/** undefined: pawaPay does not pay there. */
export function networkOf(currency: string, destination: PayoutDestination): PawapayNetwork | undefined {
  return destination.kind === 'mobile' ? networkNamed(currency, destination.mobile_network) : undefined;
}

function networkNamed(currency: string, name: MobileRecipient['mobile_network']): PawapayNetwork | undefined {
  return PAWAPAY_NETWORKS.find((one) => one.currency === currency && one.network === name);
}

export const PAWAPAY_CURRENCIES: readonly string[] = [...new Set(PAWAPAY_NETWORKS.map(({ currency }) => currency))];
