import { Inject, Injectable } from '@nestjs/common';
import {
  coveredAmounts,
  currencyDecimals,
  effectiveLimits,
  formatDecimal,
  NO_FEE,
  ok,
  PAYOUT_TYPES,
  type Coverage,
  type Currencies,
  type Currency,
  type EffectiveLimits,
  type Result,
  type ServiceFee,
  type VelocityLimit,
  velocityLimitsIn,
} from '@vuka/domain';
import { COVERAGE } from '@vuka/service-host';

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
  /** Of all payouts in `paid_in` together. Absent: none. */
  readonly velocity?: readonly VelocityView[];
}

/** `amount` and `count`: null is any. Windows are hours and days of UTC. */
export interface VelocityView {
  readonly per: VelocityLimit['per'];
  readonly window: VelocityLimit['window'];
  readonly amount: string | null;
  readonly count: number | null;
}

/** Taken from the same wallet on top of the amount: `flat`, and basis points, rounded up. */
export interface FeeView extends Terms {
  readonly flat: string;
  readonly basis_points: number;
}

/** Uses the rules that judge and charge payouts (docs/decisions/0009). Errors: service_unavailable. */
@Injectable()
export class LimitsAndFees {
  constructor(
    private readonly terms: PartnerTerms,
    @Inject(COVERAGE) private readonly coverage: Coverage,
  ) {}

  /** Only what a configured route carries. */
  limits(caller: Pick<Caller, 'partnerId' | 'terms'>): Result<LimitView[]> {
    const inForce = this.terms.of(caller);
    if (!inForce.ok) return inForce;
    return ok(
      limitsOf(inForce.value.currencies)
        .flatMap((limit) => coveredBy(this.coverage, limit))
        .map((limit) => withVelocity(limitView(limit), inForce.value.currencies)),
    );
  }

  /** `only` null: all currencies. */
  fees(caller: Pick<Caller, 'partnerId' | 'terms'>, only: Currency | null): Result<FeeView[]> {
    const inForce = this.terms.of(caller);
    return inForce.ok ? ok(feesIn(inForce.value.currencies, only)) : inForce;
  }
}

/** Whether or not a route carries it. */
export function limitsIn(currencies: Currencies): LimitView[] {
  return limitsOf(currencies).map(limitView);
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

interface LimitOf extends EffectiveLimits {
  readonly operation: PayingOperation;
  readonly currency: Currency['code'];
}

function limitsOf(currencies: Currencies): LimitOf[] {
  return among(currencies, null).flatMap((currency) => [
    ...transferLimits(currency),
    ...payoutLimits(currency, 'disburse'),
    ...payoutLimits(currency, 'pay'),
  ]);
}

function transferLimits({ code, bankTransfer }: Currency): LimitOf[] {
  if (bankTransfer === null) return [];
  const { decimals } = bankTransfer;
  return [
    {
      operation: 'bank_transfer',
      currency: code,
      paidIn: code,
      kind: 'bank',
      network: null,
      decimals,
      limits: bankTransfer,
    },
  ];
}

/** A pay has the bounds of a payout from the wallet. */
function payoutLimits(currency: Currency, operation: 'disburse' | 'pay'): LimitOf[] {
  return effectiveLimits(currency).map((effective) => ({ ...effective, operation, currency: currency.code }));
}

/** [] where no route carries any of it. */
function coveredBy(coverage: Coverage, limit: LimitOf): LimitOf[] {
  const { paidIn, kind, network } = limit;
  const covered = coveredAmounts(coverage, { currency: paidIn, kind, network }, limit);
  return covered === null ? [] : [{ ...limit, ...covered }];
}

function limitView({ operation, currency, paidIn, kind, network, decimals, limits }: LimitOf): LimitView {
  const text = (minor: bigint): string => formatDecimal(minor, currencyDecimals(paidIn));
  const to = { type: PAYOUT_TYPES[kind], mobile_network: network ?? '' };
  const bounds = { min: text(limits.minMinor), max: text(limits.maxMinor), decimals };
  return { operation, currency, paid_in: paidIn, ...to, ...bounds };
}

function withVelocity(view: LimitView, currencies: Currencies): LimitView {
  const limits = velocityLimitsIn(currencies, view.paid_in);
  if (limits.length === 0) return view;
  const text = (minor: bigint): string => formatDecimal(minor, currencyDecimals(view.paid_in));
  const velocity = limits.map(({ per, window, maxMinor, maxCount }) => ({
    per,
    window,
    amount: maxMinor === null ? null : text(maxMinor),
    count: maxCount,
  }));
  return { ...view, velocity };
}

function feeView(terms: Terms, { flatMinor, basisPoints }: ServiceFee): FeeView {
  // Basis points are at most 10,000 (terms.ts).
  return {
    ...terms,
    flat: formatDecimal(flatMinor, currencyDecimals(terms.paid_in)),
    basis_points: Number(basisPoints),
  };
}
