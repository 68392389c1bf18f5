import { fail, findCurrency, ok, type Currencies, type Currency, type Result } from '@vuka/domain';

/** null in currencies that do not offer the operation. */
export type OfferedOperation = 'bankTransfer';

const SENTENCE: Readonly<Record<OfferedOperation, string>> = { bankTransfer: 'Bank transfer' };

/**
 * An ISO currency or country in any case; null: not in the path (decisions.md section 1). Errors: not_found, naming
 * the valid ones.
 */
export function currencyOfPath(
  text: string | undefined,
  operation: OfferedOperation | null,
  currencies: Currencies,
): Result<Currency | null> {
  if (text === undefined || text === '') return ok(null);
  const found = findCurrency(text);
  const all = Object.values<Currency>(currencies);
  if (found === undefined) {
    const supported = all.map(({ code, country }) => `${code} (${country})`).join(', ');
    return fail({
      code: 'not_found',
      message: `The path names no supported currency or country. Supported: ${supported}`,
    });
  }
  const currency = currencies[found.code];
  if (operation === null || currency[operation] !== null) return ok(currency);
  const offered = all.filter((other) => other[operation] !== null).map(({ code }) => code);
  const message = `${SENTENCE[operation]} is not offered in ${currency.code}. It is offered in: ${offered.join(', ')}`;
  return fail({ code: 'not_found', message });
}
