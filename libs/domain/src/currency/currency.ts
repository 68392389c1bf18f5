import type { BankData } from '../bank/bank-data.js';

/** The destination currencies; USD is only a wallet (and what CDF may be paid out in). */
export const CURRENCY_CODES = ['KES', 'UGX', 'NGN', 'GHS', 'MWK', 'CDF', 'ETB'] as const;
export type CurrencyCode = (typeof CURRENCY_CODES)[number];
export type WalletCurrency = CurrencyCode | 'USD';

/** What one payment may be, in minor units of its currency, both ends included. */
export interface AmountLimits {
  readonly minMinor: bigint;
  readonly maxMinor: bigint;
}

/** How a number of a recipient looks; `rule` completes "account_number must be …". */
export interface NumberRule {
  readonly pattern: RegExp;
  readonly rule: string;
  /** For documentation; the sandbox pays it. */
  readonly example: string;
}

/** A name of the interface and what else it is called. Letter case, spaces, dashes and underscores never count. */
export interface NamedChoice {
  readonly name: string;
  readonly aliases: readonly string[];
}

/** Our fee on one payout: flat plus basis points of the amount, rounded up to a minor unit. */
export interface ServiceFee {
  readonly flatMinor: bigint;
  readonly basisPoints: bigint;
}

/** The bank transfer operation in one currency (decisions.md section 3). */
export interface BankTransferRules extends AmountLimits {
  /** Decimals a request's amount may carry; trailing zeros beyond are accepted. */
  readonly decimals: number;
  readonly accountNumber: NumberRule;
  readonly serviceFee: ServiceFee;
}

export interface MobileNetwork extends NamedChoice {
  readonly decimals: number;
  /** What the network itself takes in one payment. */
  readonly networkLimits: AmountLimits;
}

/** A country's mobile numbers. */
export interface PhoneRule {
  /** Without trunk `0` and country code. */
  readonly national: RegExp;
  /** May be sent as it is, without either. */
  readonly bareAccepted: boolean;
  /** In local form: for messages and documentation; the sandbox pays it. */
  readonly example: string;
}

interface Payable {
  /** Ours, on a request's amount. Settings, never above the destination network's own (terms.ts). */
  readonly limits: AmountLimits;
}

export interface MobileDestination extends Payable {
  readonly kind: 'mobile';
  readonly networks: readonly MobileNetwork[];
}

/** The network's own limits on what reaches the recipient; null: it publishes none. */
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
  /** The names of account and bank have to be sent too. */
  readonly namesRequired: boolean;
}

/** One kind of recipient that can be paid in a currency, and what a request must say about it. */
export type DestinationRules = MobileDestination | PaybillDestination | TillDestination | BankDestination;

/** Payouts (disburse, pay) that leave one wallet currency. */
export interface PayoutRules {
  readonly currency: WalletCurrency;
  /** Each kind once; where there are several, a request's `type` says which. */
  readonly destinations: readonly DestinationRules[];
  /** Of disburse; pay has none, it is in the rate (decisions.md section 3). */
  readonly serviceFee: ServiceFee;
}

/** A kind of destination whose owner's name may be asked for (decisions.md section 2, validation). */
export type LookupRules =
  { readonly kind: 'mobile' | 'paybill' | 'till' } | { readonly kind: 'bank'; readonly bankNameRequired: boolean };

/** One destination currency. An operation that is not offered is `null`, never absent. */
export interface Currency {
  readonly code: CurrencyCode;
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
  /** ISO 3166-1 numeric: the country's id in lists, for ever. */
  readonly country_id: number;
  readonly country_name: string;
  /** International calling code, digits without `+`. */
  readonly phone_code: string;
  readonly phone: PhoneRule;
  /** ISO 4217 exponent: what minor units of this currency mean inside. */
  readonly decimals: number;
  /** The country's bank list as published, [] where none is known; bank.ts says which can be used. */
  readonly banks: readonly BankData[];
  readonly bankTransfer: BankTransferRules | null;
  /** By the wallet they leave. The first is meant where a request does not say; where there are several, its `currency` may. */
  readonly payouts: readonly [PayoutRules, ...PayoutRules[]];
  readonly lookups: readonly LookupRules[];
  /** Where the networks' own limits were read; they are not ours to set. */
  readonly networkLimitsSource: string;
  /** What each wallet of the sandbox opens with. */
  readonly sandboxOpeningMinor: bigint;
  /** Fiat per 1 USD in the sandbox, the middle: an example, near the market of November 2026. */
  readonly sandboxRate: string;
}
