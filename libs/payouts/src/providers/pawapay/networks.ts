import { findCurrency } from '@vuka/domain';

import type { MobileRecipient, PayoutDestination } from '../../payout-provider.js';

/** A mobile network as pawaPay knows it. */
export interface PawapayNetwork {
  /** pawaPay's name for it. */
  readonly provider: string;
  /** ISO 3166-1 alpha-3. */
  readonly country: string;
  /** The same in alpha-2. */
  readonly countryCode: string;
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

/** Country in ISO 3166-1 alpha-2, whose own currency it pays; limits of that currency. */
type Row = [provider: string, country: string, network: string, decimals: 0 | 2, min?: bigint, max?: bigint];

/** [D] docs.pawapay.io/v2/docs/providers: names, currencies, decimals. Only what our rules can name is here. */
const ROWS: readonly Row[] = [
  ['MPESA_KEN', 'KE', 'Safaricom', 0],
  ['MTN_MOMO_UGA', 'UG', 'MTN', 2, 500n, 5_000_000n],
  ['AIRTEL_OAPI_UGA', 'UG', 'Airtel', 0, 500n, 5_000_000n],
  ['MTN_MOMO_GHA', 'GH', 'MTN', 2, 1n, 15_000n],
  ['AIRTELTIGO_GHA', 'GH', 'AirtelTigo', 2, 1n, 10_000n],
  ['VODAFONE_GHA', 'GH', 'Telecel', 2, 1n, 15_000n],
  ['AIRTEL_MWI', 'MW', 'Airtel Money', 2, 50n, 750_000n],
  ['TNM_MWI', 'MW', 'TNM Mpamba', 2, 50n, 750_000n],
  ['AIRTEL_COD', 'CD', 'Airtel Money', 2, 100n, 6_250_000n],
  ['VODACOM_MPESA_COD', 'CD', 'Mpesa', 0, 500n, 1_000_000n],
  ['MPESA_ETH', 'ET', 'MPESA', 2],
];

/** [D] the same: these pay dollars as well, with cents. */
const IN_USD: ReadonlySet<string> = new Set(['AIRTEL_COD', 'VODACOM_MPESA_COD']);

export const PAWAPAY_NETWORKS: readonly PawapayNetwork[] = ROWS.flatMap(
  ([provider, countryCode, network, decimals, min, max]) => {
    const currency = findCurrency(countryCode)?.code;
    if (currency === undefined) throw new RangeError(`${provider} is in no country of ours`);
    // Their names end with the country.
    const country = provider.slice(-3);
    const limits = min === undefined || max === undefined ? null : { min, max };
    const own: PawapayNetwork = { provider, country, countryCode, currency, network, decimals, limits };
    return IN_USD.has(provider) ? [own, { ...own, currency: 'USD', decimals: 2, limits: null }] : [own];
  },
);

/** undefined: pawaPay does not pay there. */
export function networkOf(currency: string, destination: PayoutDestination): PawapayNetwork | undefined {
  return destination.kind === 'mobile' ? networkNamed(currency, destination.mobile_network) : undefined;
}

/** By our name of it. */
export function networkNamed(currency: string, name: MobileRecipient['mobile_network']): PawapayNetwork | undefined {
  return PAWAPAY_NETWORKS.find((one) => one.currency === currency && one.network === name);
}

export const PAWAPAY_CURRENCIES: readonly string[] = [...new Set(PAWAPAY_NETWORKS.map(({ currency }) => currency))];
