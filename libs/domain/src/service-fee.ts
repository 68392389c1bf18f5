import type { CurrencyCode } from './currency/currency.js';

/** Money operations that may carry a service fee. */
export type FeeOperation = 'bank_transfer' | 'disburse' | 'pay';

/** Our fee on one operation in one currency: flat plus basis points of the amount, rounded up to a minor unit. */
export interface ServiceFee {
  readonly flatMinor: bigint;
  readonly basisPoints: bigint;
}

/** Fees by operation and currency; what is not named costs nothing. */
export type ServiceFeePolicy = Readonly<
  Partial<Record<FeeOperation, Readonly<Partial<Record<CurrencyCode, ServiceFee>>>>>
>;

/** decisions.md section 3: KES bank transfer 30.00, else nothing. */
export const SANDBOX_SERVICE_FEES: ServiceFeePolicy = {
  bank_transfer: { KES: { flatMinor: 30_00n, basisPoints: 0n } },
};

const BASIS = 10_000n;

/** The service fee in minor units of `currency`, on top of the amount and from the wallet (decisions.md section 3). */
export function serviceFee(
  currency: string,
  operation: FeeOperation,
  amountMinor: bigint,
  policy: ServiceFeePolicy = SANDBOX_SERVICE_FEES,
): bigint {
  if (amountMinor < 0n) throw new RangeError('serviceFee: an amount is at least 0');
  const fees: Readonly<Partial<Record<string, ServiceFee>>> = policy[operation] ?? {};
  const fee = fees[currency];
  if (fee === undefined) return 0n;
  return fee.flatMinor + (amountMinor * fee.basisPoints + BASIS - 1n) / BASIS;
}
