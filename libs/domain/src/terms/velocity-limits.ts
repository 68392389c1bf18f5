import { z } from 'zod';

import { VELOCITY_SUBJECTS, VELOCITY_WINDOWS, type CurrencyCode, type VelocityLimit } from '../currency/currency.js';
import { currencyDecimals, type Currencies } from '../currency/registry.js';
import { formatDecimal, parseDecimal } from '../money/decimal.js';
import { fail, ok, type Result } from '../result/result.js';

const MAX_COUNT = 1_000_000_000;
const HOUR_MS = 3_600_000;
const WINDOW_MS = { hour: HOUR_MS, day: 24 * HOUR_MS } as const;

/** `null` takes a limit away; an absent member keeps it. */
export const velocityRules = {
  per: z.enum(VELOCITY_SUBJECTS),
  window: z.enum(VELOCITY_WINDOWS),
  amount: z.string().max(40).nullable().optional(),
  count: z.int().min(1).max(MAX_COUNT).nullable().optional(),
};
interface VelocityRow extends Pick<VelocityLimit, 'per' | 'window'> {
  readonly amount?: string | null | undefined;
  readonly count?: number | null | undefined;
}

/** Whole units: sums still fit 38 digits. */
const MAX_AMOUNT_DIGITS = 27;

/** Days before hours, in the order of subjects: the first one that is reached opens last. */
export function withVelocityLimit(
  old: readonly VelocityLimit[],
  row: VelocityRow,
  decimals: number,
): Result<readonly VelocityLimit[], string> {
  if (row.amount === undefined && row.count === undefined) return fail('amount or count must be there');
  const isSame = ({ per, window }: VelocityLimit): boolean => per === row.per && window === row.window;
  const known = old.find(isSame);
  const amount = typeof row.amount === 'string' ? parseDecimal(row.amount, decimals) : ok(row.amount);
  if (!amount.ok) return fail(`amount ${amount.error}`);
  if (amount.value === 0n) return fail('amount must be above 0');
  if (typeof amount.value === 'bigint' && amount.value >= 10n ** BigInt(MAX_AMOUNT_DIGITS + decimals))
    return fail(`amount must have at most ${String(MAX_AMOUNT_DIGITS)} digits`);
  const limit: VelocityLimit = {
    per: row.per,
    window: row.window,
    maxMinor: amount.value === undefined ? (known?.maxMinor ?? null) : amount.value,
    maxCount: row.count === undefined ? (known?.maxCount ?? null) : row.count,
  };
  const kept = old.filter((other) => !isSame(other));
  const isNone = limit.maxMinor === null && limit.maxCount === null;
  return ok([...kept, ...(isNone ? [] : [limit])].sort(opensLast));
}

function opensLast(one: VelocityLimit, other: VelocityLimit): number {
  return (
    VELOCITY_WINDOWS.indexOf(other.window) - VELOCITY_WINDOWS.indexOf(one.window) ||
    VELOCITY_SUBJECTS.indexOf(one.per) - VELOCITY_SUBJECTS.indexOf(other.per)
  );
}

/** Of payouts whose amount is in `paidIn`. [] costs nothing where payouts are accepted. */
export function velocityLimitsIn(currencies: Currencies, paidIn: string): readonly VelocityLimit[] {
  return Object.values(currencies).flatMap(({ payouts }) =>
    payouts.flatMap(({ currency, velocityLimits = [] }) => (currency === paidIn ? velocityLimits : [])),
  );
}

/** null: no row changed them, so that the deployment's hold. By object identity, as ownServiceFee(). */
export function ownVelocityLimits(
  base: Currencies,
  over: Currencies,
  { currency, paidIn }: { readonly currency: CurrencyCode; readonly paidIn: string },
): readonly VelocityLimit[] | null {
  const of = (currencies: Currencies): readonly VelocityLimit[] | undefined =>
    currencies[currency].payouts.find((rules) => rules.currency === paidIn)?.velocityLimits;
  const own = of(over);
  return own === undefined || own === of(base) ? null : own;
}

/** When the window that holds `now` is over. */
export function windowEnd(window: VelocityLimit['window'], now: Date): Date {
  const length = WINDOW_MS[window];
  return new Date(now.getTime() - (now.getTime() % length) + length);
}

const SUBJECTS = { partner: 'all your payouts', key: 'one API key', recipient: 'one recipient' } as const;

/** Amount, currency and number: `… and 20 payouts an hour for one recipient`. */
export function velocityText({ per, window, maxMinor, maxCount }: VelocityLimit, paidIn: string): string {
  const most = [
    ...(maxMinor === null ? [] : [`${formatDecimal(maxMinor, currencyDecimals(paidIn))} ${paidIn}`]),
    ...(maxCount === null ? [] : [`${String(maxCount)} ${maxCount === 1 ? 'payout' : 'payouts'}`]),
  ].join(' and ');
  return `${most} ${window === 'hour' ? 'an hour' : 'a day'} for ${SUBJECTS[per]}`;
}
