import { Injectable } from '@nestjs/common';
import {
  currencyDecimals,
  effectiveLimits,
  formatDecimal,
  NO_FEE,
  ok,
  PAYOUT_TYPES,
  type AmountLimits,
  type Currencies,
  type Currency,
  type Result,
  type ServiceFee,
} from '@vuka/domain';

import type { Caller } from '../keys/index.js';
import { PartnerTerms } from '../partners/index.js';

type PayingOperation = 'bank_transfer' | 'disburse' | 'pay';

/** `currency`: of the path. `paid_in`: of the amounts. `wallet`: of payouts that leave one. */
interface Terms {
  readonly operation: PayingOperation;
  readonly currency: string;
  readonly paid_in: string;
}

/** Bounds of one payout, inclusive, in decimals of `paid_in`: the smaller of our limit and the network's. */
export interface LimitView extends Terms {
  /** MOBILE, PAYBILL, BUY_GOODS, BANK_TRANSFER. */
  readonly type: string;
  readonly mobile_network: string;
  readonly min: string;
  readonly max: string;
  readonly decimals: number;
}

/** Taken from the same wallet on top of the amount: `flat`, and basis points, rounded up. */
export interface FeeView extends Terms {
  readonly flat: string;
  readonly basis_points: number;
}

/** Uses the rules that judge and charge payouts (docs/decisions/0009). Errors: service_unavailable. */
@Injectable()
export class LimitsAndFees {
  constructor(private readonly terms: PartnerTerms) {}

  limits(caller: Pick<Caller, 'partnerId' | 'terms'>): Result<LimitView[]> {
    const inForce = this.terms.of(caller);
    if (!inForce.ok) return inForce;
    return ok(limitsIn(inForce.value.currencies));
  }

  /** `only` null: all currencies. */
  fees(caller: Pick<Caller, 'partnerId' | 'terms'>, only: Currency | null): Result<FeeView[]> {
    const inForce = this.terms.of(caller);
    return inForce.ok ? ok(feesIn(inForce.value.currencies, only)) : inForce;
  }
}

export function limitsIn(currencies: Currencies): LimitView[] {
  return among(currencies, null).flatMap((currency) => [
    ...transferLimits(currency),
    ...payoutLimits(currency, 'disburse'),
    ...payoutLimits(currency, 'pay'),
  ]);
}

export function feesIn(currencies: Currencies, only: Currency | null): FeeView[] {
  return among(currencies, only).flatMap(feesOf);
}

function among(currencies: Currencies, only: Currency | null): readonly Currency[] {
  return Object.values<Currency>(currencies).filter(({ code }) => only === null || code === only.code);
}

function feesOf({ code, bankTransfer, payouts }: Currency): FeeView[] {
  return [
    ...(bankTransfer === null
      ? []
      : [feeView({ operation: 'bank_transfer', currency: code, paid_in: code }, bankTransfer.serviceFee)]),
    ...payouts.map(({ currency, serviceFee }) =>
      feeView({ operation: 'disburse', currency: code, paid_in: currency }, serviceFee),
    ),
    // The fee on a deposit is in its rate (decisions.md section 3).
    ...payouts.map(({ currency }) => feeView({ operation: 'pay', currency: code, paid_in: currency }, NO_FEE)),
  ];
}

function transferLimits({ code, bankTransfer }: Currency): LimitView[] {
  if (bankTransfer === null) return [];
  const to = { type: PAYOUT_TYPES.bank, mobile_network: '' };
  return [
    limitView({ operation: 'bank_transfer', currency: code, paid_in: code }, to, bankTransfer, bankTransfer.decimals),
  ];
}

/** A pay has the bounds of a payout from the wallet. */
function payoutLimits(currency: Currency, operation: 'disburse' | 'pay'): LimitView[] {
  return effectiveLimits(currency).map(({ kind, network, paidIn, decimals, limits }) =>
    limitView(
      { operation, currency: currency.code, paid_in: paidIn },
      { type: PAYOUT_TYPES[kind], mobile_network: network ?? '' },
      limits,
      decimals,
    ),
  );
}

function limitView(
  terms: Terms,
  to: Pick<LimitView, 'type' | 'mobile_network'>,
  { minMinor, maxMinor }: AmountLimits,
  decimals: number,
): LimitView {
  const text = (minor: bigint): string => formatDecimal(minor, currencyDecimals(terms.paid_in));
  return { ...terms, ...to, min: text(minMinor), max: text(maxMinor), decimals };
}

function feeView(terms: Terms, { flatMinor, basisPoints }: ServiceFee): FeeView {
  // Basis points are at most 10,000 (terms.ts).
  return {
    ...terms,
    flat: formatDecimal(flatMinor, currencyDecimals(terms.paid_in)),
    basis_points: Number(basisPoints),
  };
}
