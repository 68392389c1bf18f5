import type { Float, PaidVia } from '../../payout-provider.js';
import { networkNamed, PAWAPAY_NETWORKS, type PawapayNetwork } from './networks.js';

/** [D] dashboard/finances/wallets: a wallet is of a country, unless pawaPay has made one for a single network. */

/** pawaPay's names of networks that have a wallet of their own. */
export type OwnWallets = readonly string[];

/** `cd`, and `cd-airtel-cod` for a wallet of AIRTEL_COD alone. `provider` is pawaPay's name; '': of the country. */
export function walletName(countryCode: string, provider: string): string {
  const country = countryCode.toLowerCase();
  return provider === '' ? country : `${country}-${provider.toLowerCase().replaceAll('_', '-')}`;
}

export function floatsOf(ownWallets: OwnWallets): Float[] {
  const floats = PAWAPAY_NETWORKS.map((network) => floatOf(network, ownWallets));
  return floats.filter(
    ({ wallet, currency }, n) =>
      floats.findIndex((other) => other.wallet === wallet && other.currency === currency) === n,
  );
}

/** null: pawaPay does not pay there. */
export function walletOf({ kind, mobileNetwork }: PaidVia, currency: string, ownWallets: OwnWallets): string | null {
  const network = kind === 'mobile' ? networkNamed(currency, mobileNetwork) : undefined;
  return network === undefined ? null : floatOf(network, ownWallets).wallet;
}

function floatOf({ countryCode, provider, currency }: PawapayNetwork, ownWallets: OwnWallets): Float {
  return { wallet: walletName(countryCode, ownWallets.includes(provider) ? provider : ''), currency };
}
