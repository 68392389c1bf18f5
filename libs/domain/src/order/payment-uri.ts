import { tokenIdentity, type Chain, type Token } from '../chain/chain.js';
import type { Money } from '../money/money.js';
import { formatTokens } from './order-message.js';

export interface PaymentTarget {
  /** Stellar: the muxed one (M…). */
  readonly address: string;
  /** Stellar: the account (G…) and the order's memo; '' elsewhere. */
  readonly memoAddress: string;
  readonly memo: string;
  readonly amount: Money;
}

/** EIP-681 (EVM), Solana Pay, SEP-7 (Stellar). */
export function paymentUri(
  chain: Chain,
  token: Pick<Token, 'address' | 'onchainSymbol' | 'decimals'>,
  { address, memoAddress, memo, amount: { minor } }: PaymentTarget,
): string {
  if (minor <= 0n) throw new RangeError('paymentUri: an amount is more than 0');
  const amount = formatTokens(minor, token.decimals);
  switch (chain.family) {
    case 'evm':
      return `ethereum:${tokenIdentity(chain, token)}@${String(chain.chainId)}/transfer?${query({ address, uint256: minor.toString() })}`;
    case 'solana':
      // The owner's address: wallets find the token account.
      return `solana:${address}?${query({ amount, 'spl-token': token.address })}`;
    case 'stellar':
      // Account and memo: every wallet supports this form.
      return `web+stellar:pay?${query({ destination: memoAddress, amount, asset_code: token.onchainSymbol, asset_issuer: token.address, memo, memo_type: 'MEMO_ID' })}`;
  }
}

const query = (parameters: Readonly<Record<string, string>>): string =>
  Object.entries(parameters)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');
