import { formatMoney, decodeMoney, findWallet } from '@vuka/domain';
import { LosslessNumber } from 'lossless-json';

/** decisions.md section 2, compat. */
export interface WalletView {
  readonly id: number;
  /** Written digit for digit with the currency's decimals: a float would lose cents of a large balance. */
  readonly balance: LosslessNumber;
  readonly currency: string;
  readonly country_name: string;
}

export function walletView({
  id,
  currency,
  balance_minor,
}: {
  id: number;
  currency: string;
  balance_minor: string;
}): WalletView {
  const balance = new LosslessNumber(formatMoney(decodeMoney(balance_minor, currency)));
  return { id, balance, currency, country_name: findWallet(currency)?.country_name ?? '' };
}
