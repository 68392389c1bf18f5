import {
  acceptedTokens,
  chainNamed,
  DEFAULT_CHAIN,
  DEFAULT_CURRENCY,
  orderFields,
  type Currencies,
  type Currency,
} from '@vuka/domain';

import type { JsonSchema } from './json-schema.js';
import type { Described } from './operation-texts.js';

/** Of the order that the examples make and ask for. */
export const EXAMPLE_ORDER_ID = 'docs-order';

const [{ symbol: EXAMPLE_ASSET = '' } = {}] = acceptedTokens(chainNamed(DEFAULT_CHAIN) ?? { tokens: [] });

const ORDER_EXAMPLE: Readonly<Record<string, string>> = {
  network: DEFAULT_CHAIN,
  asset: EXAMPLE_ASSET,
  currency_code: DEFAULT_CURRENCY,
  amount: '1500',
  order_id: EXAMPLE_ORDER_ID,
};

/** What an operation reads from its query, by the rules that judge it. `all`: by the terms in force. */
export function queryParametersOf(name: Described, all: readonly Currency[]): readonly JsonSchema[] {
  if (name !== 'checkout') return [];
  const currencies = Object.fromEntries(all.map((currency) => [currency.code, currency])) as Currencies;
  return Object.entries(orderFields(currencies)).map(([field, rule]) => {
    const { description, ...schema } = rule.schema;
    return { name: field, in: 'query', required: rule.required, description, schema, example: ORDER_EXAMPLE[field] };
  });
}
