import { CURRENCIES, fail, findCurrency, ok, type Currency, type Result } from '@vuka/domain';

/**
 * The currency a path names, as ISO currency or ISO country, in any case (decisions.md section 1).
 * Errors: not_found, naming the supported ones.
 */
export function currencyOfPath(text: string): Result<Currency> {
  const currency = findCurrency(text);
  if (currency !== undefined) return ok(currency);
  const supported = Object.values(CURRENCIES)
    .map(({ code, country }) => `${code} (${country})`)
    .join(', ');
  return fail({ code: 'not_found', message: `The path names no supported currency or country. Supported: ${supported}` });
}

/** The currency of a path whose currency may be left out; null = any. */
export function optionalCurrencyOfPath(text: string | undefined): Result<Currency | null> {
  return text === undefined || text === '' ? ok(null) : currencyOfPath(text);
}
