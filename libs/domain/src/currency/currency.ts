import type { BankData } from '../bank/bank-data.js';

/** USD is only a wallet (and CDF may be paid in it). */
export const CURRENCY_CODES = ['KES', 'UGX', 'NGN', 'GHS', 'MWK', 'CDF', 'ETB'] as const;
export type CurrencyCode = (typeof CURRENCY_CODES)[number];
export type WalletCurrency = CurrencyCode | 'USD';

/** Minor units, inclusive. */
export interface AmountLimits {
  readonly minMinor: bigint;
  readonly maxMinor: bigint;
}

/** `rule` completes "account_number must be …". */
export interface NumberRule {
  readonly pattern: RegExp;
  readonly rule: string;
  /** The sandbox accepts it. */
  readonly example: string;
}

/** Letter case, spaces, dashes and underscores never count. */
export interface NamedChoice {
  readonly name: string;
  readonly aliases: readonly string[];
}

/** Flat plus basis points, rounded up to a minor unit. */
export interface ServiceFee {
  readonly flatMinor: bigint;
  readonly basisPoints: bigint;
}

export const VELOCITY_SUBJECTS = ['partner', 'key', 'recipient'] as const;
/** Fixed hours and days of UTC. */
export const VELOCITY_WINDOWS = ['hour', 'day'] as const;

/** Of what is accepted in one window, from one wallet currency. At least one of both is set. */
export interface VelocityLimit {
  readonly per: (typeof VELOCITY_SUBJECTS)[number];
  readonly window: (typeof VELOCITY_WINDOWS)[number];
  readonly maxMinor: bigint | null;
  readonly maxCount: number | null;
}

/** decisions.md section 3. */
export interface BankTransferRules extends AmountLimits {
  /** Of a request's amount; further zeros are accepted. */
  readonly decimals: number;
  readonly accountNumber: NumberRule;
  readonly serviceFee: ServiceFee;
}

export interface MobileNetwork extends NamedChoice {
  readonly decimals: number;
  readonly networkLimits: AmountLimits;
}

export interface PhoneRule {
  /** Without trunk `0` and country code. */
  readonly national: RegExp;
  readonly bareAccepted: boolean;
  /** Local form; the sandbox accepts it. */
  readonly example: string;
}

interface Payable {
  /** Ours. Configurable, within the network's own (terms.ts). */
  readonly limits: AmountLimits;
}

export interface MobileDestination extends Payable {
  readonly kind: 'mobile';
  readonly networks: readonly MobileNetwork[];
}

/** On what the recipient gets; null: the network publishes none. */
interface OnOneNetwork extends Payable {
  readonly decimals: number;
  readonly networkLimits: AmountLimits | null;
}

export interface PaybillDestination extends OnOneNetwork {
  readonly kind: 'paybill';
  readonly shortcode: NumberRule;
  readonly accountNumber: NumberRule;
}

export interface TillDestination extends OnOneNetwork {
  readonly kind: 'till';
  readonly shortcode: NumberRule;
}

export interface BankDestination extends OnOneNetwork {
  readonly kind: 'bank';
  readonly accountNumber: NumberRule;
  readonly namesRequired: boolean;
}

export type DestinationRules = MobileDestination | PaybillDestination | TillDestination | BankDestination;

export interface PayoutRules {
  readonly currency: WalletCurrency;
  /** With several kinds, the request needs `type`. */
  readonly destinations: readonly DestinationRules[];
  /** Pay has its fee in the rate (decisions.md section 3). */
  readonly serviceFee: ServiceFee;
  /** Of all operations that pay in `currency`. Absent: none; only terms set them. */
  readonly velocityLimits?: readonly VelocityLimit[];
}

/** decisions.md section 2, validation. */
export type LookupRules =
  { readonly kind: 'mobile' | 'paybill' | 'till' } | { readonly kind: 'bank'; readonly bankNameRequired: boolean };

/** An operation that is not offered is `null`, never absent. */
export interface Currency {
  readonly code: CurrencyCode;
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
  /** Numeric; never changes. */
  readonly country_id: number;
  readonly country_name: string;
  /** Digits without `+`. */
  readonly phone_code: string;
  readonly phone: PhoneRule;
  /** ISO 4217 exponent. */
  readonly decimals: number;
  /** bank.ts decides which are usable. */
  readonly banks: readonly BankData[];
  readonly bankTransfer: BankTransferRules | null;
  /** The first is the default; with several, the request may send `currency`. */
  readonly payouts: readonly [PayoutRules, ...PayoutRules[]];
  readonly lookups: readonly LookupRules[];
  readonly networkLimitsSource: string;
  readonly sandboxOpeningMinor: bigint;
  /** Mid rate, fiat per 1 USD: an example. */
  readonly sandboxRate: string;
}
