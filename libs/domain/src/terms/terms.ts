import { z } from 'zod';

import {
  CURRENCY_CODES,
  type AmountLimits,
  type Currency,
  type CurrencyCode,
  type DestinationRules,
  type PayoutRules,
  type ServiceFee,
  type WalletCurrency,
} from '../currency/currency.js';
import { NO_FEE } from '../currency/number-rules.js';
import { CURRENCIES, currencyDecimals, WALLET_CURRENCIES, type Currencies } from '../currency/registry.js';
import { PAYOUT_TYPES, TYPE_CHOICES, type DestinationKind } from '../destination/destination.js';
import { formatLimit, parseDecimal } from '../money/decimal.js';
import { fail, ok, type Result } from '../result/result.js';
import { velocityRules, withVelocityLimit } from './velocity-limits.js';

/** decisions.md section 3. Amounts are decimal strings. */
const decimal = z.string().max(40);
const currency = z.enum(CURRENCY_CODES);
const wallet = z.enum(WALLET_CURRENCIES as [WalletCurrency, ...WalletCurrency[]]);
const types = Object.values(PAYOUT_TYPES);

const termsFile = z.strictObject({
  limits: z
    .array(
      z.discriminatedUnion('operation', [
        z.strictObject({
          operation: z.literal('bank_transfer'),
          currency,
          min: decimal.optional(),
          max: decimal.optional(),
        }),
        z.strictObject({
          operation: z.literal('payout'),
          currency,
          /** Default: the currency's own wallet. */
          paid_in: wallet.optional(),
          /** Absent: every kind. */
          type: z.enum(types as [string, ...string[]]).optional(),
          min: decimal.optional(),
          max: decimal.optional(),
        }),
      ]),
    )
    .max(500)
    .default([]),
  service_fees: z
    .array(
      z.strictObject({
        operation: z.enum(['bank_transfer', 'disburse']),
        currency,
        paid_in: wallet.optional(),
        flat: decimal.default('0'),
        basis_points: z.int().min(0).max(10_000).default(0),
      }),
    )
    .max(500)
    .default([]),
  velocity_limits: z
    .array(z.strictObject({ currency, paid_in: wallet.optional(), ...velocityRules }))
    .max(500)
    .default([]),
});
type TermsFile = z.infer<typeof termsFile>;
type LimitRow = TermsFile['limits'][number];
type FeeRow = TermsFile['service_fees'][number];
type VelocityRow = TermsFile['velocity_limits'][number];

/** In live without a service fee: the registry's fees are sandbox examples. */
export function defaultTerms(env: 'sandbox' | 'live'): Currencies {
  return env === 'sandbox' ? CURRENCIES : mapCurrencies(CURRENCIES, withoutFees);
}

/** The error names the row and the rule. A limit may narrow the network's own, never widen it. */
export function applyTerms(base: Currencies, json: unknown): Result<Currencies, string> {
  const parsed = termsFile.safeParse(json);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return fail(`${issue?.path.join('.') || 'the file'}: ${issue?.message ?? 'is no object'}`);
  }
  const { limits, service_fees: fees, velocity_limits: velocity } = parsed.data;
  const limited = applyRows('limits', base, limits, applyLimit);
  const charged = limited.ok ? applyRows('service_fees', limited.value, fees, applyFee) : limited;
  return charged.ok ? applyRows('velocity_limits', charged.value, velocity, applyVelocityLimit) : charged;
}

function applyRows<Row>(
  list: keyof TermsFile,
  base: Currencies,
  rows: readonly Row[],
  apply: (terms: Currencies, row: Row) => Result<Currencies, string>,
): Result<Currencies, string> {
  let terms = base;
  for (const [index, row] of rows.entries()) {
    const next = apply(terms, row);
    if (!next.ok) return fail(`${list}.${String(index)}: ${next.error}`);
    terms = next.value;
  }
  return ok(terms);
}

function mapCurrencies(currencies: Currencies, change: (currency: Currency) => Currency): Currencies {
  return Object.fromEntries(CURRENCY_CODES.map((code) => [code, change(currencies[code])])) as Record<
    CurrencyCode,
    Currency
  >;
}

function withoutFees(currency: Currency): Currency {
  return {
    ...currency,
    bankTransfer: currency.bankTransfer && { ...currency.bankTransfer, serviceFee: NO_FEE },
    payouts: mapPayouts(currency, (payouts) => ({ ...payouts, serviceFee: NO_FEE })),
  };
}

function mapPayouts(
  { payouts: [first, ...others] }: Currency,
  change: (payouts: PayoutRules) => PayoutRules,
): Currency['payouts'] {
  return [change(first), ...others.map(change)];
}

function replaced(currencies: Currencies, currency: Currency): Currencies {
  return mapCurrencies(currencies, (known) => (known.code === currency.code ? currency : known));
}

interface Taker {
  readonly decimals: number;
  readonly networkLimits: AmountLimits | null;
}

/** Whole units: sums still fit 38 digits. */
const MAX_LIMIT_DIGITS = 27;

/** Absent members keep the old value. Within the networks' limits, in steps that each network can pay. */
function newLimits(
  old: AmountLimits,
  takers: readonly Taker[],
  row: LimitRow,
  minorDecimals: number,
): Result<AmountLimits, string> {
  const decimals = Math.min(...takers.map((taker) => taker.decimals));
  const scale = 10n ** BigInt(minorDecimals - decimals);
  const min = row.min === undefined ? ok(old.minMinor / scale) : parseDecimal(row.min, decimals);
  const max = row.max === undefined ? ok(old.maxMinor / scale) : parseDecimal(row.max, decimals);
  if (!min.ok) return fail(`min ${min.error}`);
  if (!max.ok) return fail(`max ${max.error}`);
  const limits = { minMinor: min.value * scale, maxMinor: max.value * scale };
  if (limits.minMinor === 0n || limits.minMinor > limits.maxMinor) return fail('min must be above 0 and not above max');
  if (limits.maxMinor >= 10n ** BigInt(MAX_LIMIT_DIGITS + minorDecimals))
    return fail(`max must have at most ${String(MAX_LIMIT_DIGITS)} digits`);
  const published = takers.flatMap(({ networkLimits }) => networkLimits ?? []);
  const widest = published.length === 0 ? null : published.reduce(wider);
  const text = (minor: bigint): string => formatLimit(minor, minorDecimals);
  if (widest && limits.maxMinor > widest.maxMinor)
    return fail(`max must not be above the network's own ${text(widest.maxMinor)}`);
  if (widest && limits.minMinor < widest.minMinor)
    return fail(`min must not be below the network's own ${text(widest.minMinor)}`);
  // With several networks, each must keep a non-empty range.
  const starved = published.find((network) => narrower(limits, network).minMinor > narrower(limits, network).maxMinor);
  if (starved)
    return fail(
      `min and max must leave something to the network that takes ${text(starved.minMinor)} to ${text(starved.maxMinor)}`,
    );
  return ok(limits);
}

function wider(a: AmountLimits, b: AmountLimits): AmountLimits {
  return {
    minMinor: a.minMinor < b.minMinor ? a.minMinor : b.minMinor,
    maxMinor: a.maxMinor > b.maxMinor ? a.maxMinor : b.maxMinor,
  };
}

function applyLimit(terms: Currencies, row: LimitRow): Result<Currencies, string> {
  const currency = terms[row.currency];
  if (row.operation === 'bank_transfer') {
    if (currency.bankTransfer === null) return fail(`bank transfers in ${row.currency} are not offered`);
    const toBanks = currency.payouts[0].destinations.find((rules) => rules.kind === 'bank');
    const { decimals } = currency.bankTransfer;
    const limits = newLimits(
      currency.bankTransfer,
      [{ decimals, networkLimits: toBanks?.networkLimits ?? null }],
      row,
      currency.decimals,
    );
    return limits.ok
      ? ok(replaced(terms, { ...currency, bankTransfer: { ...currency.bankTransfer, ...limits.value } }))
      : limits;
  }
  const paidIn = row.paid_in ?? currency.payouts[0].currency;
  const payouts = currency.payouts.find((rules) => rules.currency === paidIn);
  if (payouts === undefined) return fail(`payouts in ${row.currency} are not made from ${paidIn}`);
  const kinds = payouts.destinations
    .map(({ kind }) => kind)
    .filter((kind) => row.type === undefined || TYPE_CHOICES[kind].name === row.type);
  if (kinds.length === 0) return fail(`${String(row.type)} is no kind of recipient in ${row.currency}`);
  const destinations: DestinationRules[] = [];
  for (const rules of payouts.destinations) {
    const changed = kinds.includes(rules.kind)
      ? newLimits(rules.limits, rules.kind === 'mobile' ? rules.networks : [rules], row, currencyDecimals(paidIn))
      : ok(rules.limits);
    if (!changed.ok) return changed;
    destinations.push({ ...rules, limits: changed.value });
  }
  const change = (rules: PayoutRules): PayoutRules => (rules.currency === paidIn ? { ...rules, destinations } : rules);
  return ok(replaced(terms, { ...currency, payouts: mapPayouts(currency, change) }));
}

function applyFee(terms: Currencies, row: FeeRow): Result<Currencies, string> {
  const currency = terms[row.currency];
  const paidIn = row.paid_in ?? (row.operation === 'bank_transfer' ? currency.code : currency.payouts[0].currency);
  const flat = parseDecimal(row.flat, currencyDecimals(paidIn));
  if (!flat.ok) return fail(`flat ${flat.error}`);
  const fee: ServiceFee = { flatMinor: flat.value, basisPoints: BigInt(row.basis_points) };
  if (row.operation === 'bank_transfer') {
    if (currency.bankTransfer === null) return fail(`bank transfers in ${row.currency} are not offered`);
    if (paidIn !== currency.code) return fail(`bank transfers in ${row.currency} are not made from ${paidIn}`);
    return ok(replaced(terms, { ...currency, bankTransfer: { ...currency.bankTransfer, serviceFee: fee } }));
  }
  if (!currency.payouts.some((rules) => rules.currency === paidIn))
    return fail(`payouts in ${row.currency} are not made from ${paidIn}`);
  const change = (rules: PayoutRules): PayoutRules =>
    rules.currency === paidIn ? { ...rules, serviceFee: fee } : rules;
  return ok(replaced(terms, { ...currency, payouts: mapPayouts(currency, change) }));
}

function applyVelocityLimit(terms: Currencies, row: VelocityRow): Result<Currencies, string> {
  const currency = terms[row.currency];
  const paidIn = row.paid_in ?? currency.payouts[0].currency;
  const payouts = currency.payouts.find((rules) => rules.currency === paidIn);
  if (payouts === undefined) return fail(`payouts in ${row.currency} are not made from ${paidIn}`);
  const limits = withVelocityLimit(payouts.velocityLimits ?? [], row, currencyDecimals(paidIn));
  if (!limits.ok) return limits;
  const change = (rules: PayoutRules): PayoutRules =>
    rules.currency === paidIn ? { ...rules, velocityLimits: limits.value } : rules;
  return ok(replaced(terms, { ...currency, payouts: mapPayouts(currency, change) }));
}

export interface FeeOf {
  readonly operation: 'bank_transfer' | 'disburse';
  readonly currency: CurrencyCode;
  readonly paidIn: string;
}

/**
 * null: no row changed the fee. Compared by object identity: an equal fee from a row is still agreed, so later
 * changes of `base` do not affect it.
 */
export function ownServiceFee(base: Currencies, over: Currencies, of: FeeOf): ServiceFee | null {
  const [theirs, own] = [serviceFeeOf(base, of), serviceFeeOf(over, of)];
  return own === undefined || own === theirs ? null : own;
}

function serviceFeeOf(currencies: Currencies, { operation, currency, paidIn }: FeeOf): ServiceFee | undefined {
  const { bankTransfer, payouts } = currencies[currency];
  return operation === 'bank_transfer'
    ? bankTransfer?.serviceFee
    : payouts.find((rules) => rules.currency === paidIn)?.serviceFee;
}

/** For the documentation. */
export interface EffectiveLimits {
  readonly kind: DestinationKind;
  readonly network: string | null;
  readonly paidIn: PayoutRules['currency'];
  readonly decimals: number;
  readonly limits: AmountLimits;
}

/** The smaller of ours and the network's. */
export function effectiveLimits({ payouts }: Currency): readonly EffectiveLimits[] {
  return payouts.flatMap(({ currency: paidIn, destinations }) =>
    destinations.flatMap((rules): EffectiveLimits[] => {
      const { kind, limits } = rules;
      if (rules.kind !== 'mobile')
        return [
          { kind, network: null, paidIn, decimals: rules.decimals, limits: narrower(limits, rules.networkLimits) },
        ];
      return rules.networks.map(({ name, decimals, networkLimits }) => ({
        kind,
        network: name,
        paidIn,
        decimals,
        limits: narrower(limits, networkLimits),
      }));
    }),
  );
}

function narrower(ours: AmountLimits, network: AmountLimits | null): AmountLimits {
  if (network === null) return ours;
  return {
    minMinor: ours.minMinor > network.minMinor ? ours.minMinor : network.minMinor,
    maxMinor: ours.maxMinor < network.maxMinor ? ours.maxMinor : network.maxMinor,
  };
}
