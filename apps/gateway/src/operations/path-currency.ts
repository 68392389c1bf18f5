import { fail, findCurrency, ok, type Currencies, type Currency, type Result } from '@vuka/domain';

/** Members of a currency that are null where the operation is not offered in it. */
export type OfferedOperation = 'bankTransfer';

const SENTENCE: Readonly<Record<OfferedOperation, string>> = { bankTransfer: 'Bank transfer' };

/**
 * The currency a path names, as ISO currency or ISO country, in any case; null where the path leaves it out
 * (decisions.md section 1). Errors: not_found, naming the currencies that would do.
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
