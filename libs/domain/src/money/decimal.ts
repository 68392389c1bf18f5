import { fail, ok, type Result } from '../result/result.js';

/** numeric(38,0) in the database. */
export const MAX_DIGITS = 38;

/** Room for zeros around MAX_DIGITS, and a bound on the work. */
export const MAX_DECIMAL_LENGTH = 100;

const DECIMAL = /^(\d+)(?:\.(\d+))?$/;

/**
 * `parseDecimal('12.5', 2)` = 1250n. No sign, exponent, space or separator. Further decimals must be zeros: an
 * amount is refused, never rounded.
 * The error completes "<field> …".
 */
export function parseDecimal(text: string, decimals: number): Result<bigint, string> {
  if (text.length > MAX_DECIMAL_LENGTH) return fail(`must have at most ${String(MAX_DECIMAL_LENGTH)} characters`);
  const match = DECIMAL.exec(text);
  if (match === null) {
    return fail('must be a decimal number such as 100 or 100.50, without sign, exponent, space or separator');
  }
  const whole = (match[1] ?? '').replace(/^0+/, '');
  const fraction = (match[2] ?? '').replace(/0+$/, '');
  if (fraction.length > decimals) {
    return fail(decimals === 0 ? 'must be a whole number' : `must have at most ${String(decimals)} decimals`);
  }
  const digits = whole + fraction.padEnd(decimals, '0');
  if (digits.length > MAX_DIGITS) {
    return fail(`must have at most ${String(MAX_DIGITS)} digits`);
  }
  return ok(BigInt(digits === '' ? '0' : digits));
}

/**
 * Exact, with any decimals and digits: negative if the text is less than `minor`, 0 if equal. null: not a
 * decimal, or too long.
 */
export function compareDecimal(text: string, minor: bigint, decimals: number): number | null {
  const match = text.length > MAX_DECIMAL_LENGTH ? null : DECIMAL.exec(text);
  if (match === null) return null;
  const [, whole = '', fraction = ''] = match;
  const sent = BigInt(whole + fraction) * 10n ** BigInt(decimals);
  const limit = minor * 10n ** BigInt(fraction.length);
  if (sent === limit) return 0;
  return sent < limit ? -1 : 1;
}

/** `formatDecimal(50000n, 2)` = `500.00`. */
export function formatDecimal(minor: bigint, decimals: number): string {
  const sign = minor < 0n ? '-' : '';
  const digits = (minor < 0n ? -minor : minor).toString().padStart(decimals + 1, '0');
  if (decimals === 0) return sign + digits;
  return `${sign}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

/** `12500000n, 2` → `125,000`; decimals only if not zero. */
export function formatLimit(minor: bigint, decimals: number): string {
  const [whole = '', fraction = ''] = formatDecimal(minor, decimals).split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return /[1-9]/.test(fraction) ? `${grouped}.${fraction}` : grouped;
}
