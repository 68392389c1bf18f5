import type { Chain } from '../chain/chain.js';
import { ACCEPTED_SYMBOLS, CHAINS } from '../chain/registry.js';
import { CURRENCY_CODES, type Currency, type CurrencyCode } from '../currency/currency.js';
import { currencyDecimals, type Currencies } from '../currency/registry.js';
import {
  described,
  fault,
  faultsOf,
  lineUpTo,
  oneOf,
  readFields,
  refusal,
  required,
  textAs,
  type FieldRule,
  type RequestFields,
  type RuleSet,
  type ValueRule,
} from '../requests/field-rules.js';
import { formatLimit, MAX_DECIMAL_LENGTH } from '../money/decimal.js';
import { money, type Money } from '../money/money.js';
import { onceFor } from '../requests/once-for.js';
import { assetOn, MAX_ASSET } from '../requests/pay-request.js';
import { anyAmountField, REFERENCE_PATTERN } from '../requests/payout-request.js';
import { ok, type Result } from '../result/result.js';

/** Names are canonical. */
export interface OrderRequest {
  /** The partner's own. */
  readonly orderId: string;
  readonly network: Chain['name'];
  /** Symbol of a token accepted on that network. */
  readonly asset: string;
  /** In the credited wallet's currency. */
  readonly amount: Money<CurrencyCode>;
}

/** A repeated parameter becomes an array, which the rules refuse. `''` counts as absent. */
export function queryFields(query: URLSearchParams): RequestFields {
  const names = [...new Set(query.keys())];
  // Entries, not assignments: a parameter may be called __proto__.
  return Object.fromEntries(
    names.map((name) => {
      const sent = query.getAll(name);
      return [name, sent.length === 1 ? sent[0] : sent];
    }),
  );
}

const NETWORK = described(oneOf(CHAINS, 'unsupported_network'), 'The network the payer sends on.');
const ANY_ASSET = described(
  lineUpTo(MAX_ASSET),
  'The token the payer sends, case-sensitive; which ones a network has, /account/networks tells.',
  { examples: [...ACCEPTED_SYMBOLS] },
);
const CURRENCY_CODE = described(
  oneOf(
    CURRENCY_CODES.map((name) => ({ name, aliases: [] })),
    'unsupported_currency',
  ),
  'Of the amount, and of the wallet that is credited.',
);
const ORDER_ID = textAs(
  (sent) => (REFERENCE_PATTERN.test(sent) ? sent : null),
  'be 1 to 100 letters, digits or the characters . _ : -',
  {
    pattern: REFERENCE_PATTERN.source,
    description: 'Your own name for the order, case-sensitive; used once, for ever.',
    examples: ['order-1001'],
  },
);

const once = <T>(rule: ValueRule<T>): FieldRule<T> => {
  const sent = required(rule);
  return {
    ...sent,
    read: (value, field) =>
      Array.isArray(value) ? fault('invalid_request', field, `${field} must be sent once`) : sent.read(value, field),
  };
};

const NETWORK_FIELD = { network: once(NETWORK) };
const CURRENCY_FIELD = { currency_code: once(CURRENCY_CODE) };
const ORDER_ID_FIELD = { order_id: once(ORDER_ID) };

const amountField = onceFor((currency: Currency) => once(anyAmountField(currency.payouts[0])));
const assetField = onceFor((chain: Chain) => once(assetOn(chain)));

/** The currency's rules check it later. */
const amountOfAny = (description: string): ValueRule<unknown> => ({
  read: (value) => ok(value),
  schema: {
    type: 'string',
    pattern: String.raw`^\d+(\.\d+)?$`,
    maxLength: MAX_DECIMAL_LENGTH,
    description,
    examples: ['1500.00'],
  },
});

/** For a schema, which cannot express dependencies between them. */
export function orderFields(currencies: Currencies): RuleSet {
  const limits = CURRENCY_CODES.map((code) => limitsText(currencies[code])).join(', ');
  const amount = amountOfAny(`In \`currency_code\`: ${limits}. At most the decimals of the currency; no exponent.`);
  return { ...NETWORK_FIELD, asset: once(ANY_ASSET), ...CURRENCY_FIELD, amount: once(amount), ...ORDER_ID_FIELD };
}

function limitsText({ code, payouts: [{ currency, destinations }] }: Currency): string {
  const decimals = currencyDecimals(currency);
  const least = destinations.map(({ limits }) => limits.minMinor).reduce((a, b) => (a < b ? a : b));
  const most = destinations.map(({ limits }) => limits.maxMinor).reduce((a, b) => (a > b ? a : b));
  return `${code} ${formatLimit(least, decimals)} to ${formatLimit(most, decimals)}`;
}

/**
 * interface.md, checkout order request. Uses the currency's pay limits. Errors: invalid_request,
 * amount_out_of_range, unsupported_currency, unsupported_network.
 */
export function parseOrder(query: RequestFields, currencies: Currencies): Result<OrderRequest> {
  const network = readFields(query, NETWORK_FIELD);
  const chain = network.ok ? network.value.network : undefined;
  const asset = readFields(query, { asset: chain === undefined ? once(ANY_ASSET) : assetField(chain) });
  const code = readFields(query, CURRENCY_FIELD);
  const currency = code.ok ? code.value.currency_code.name : undefined;
  const orderId = readFields(query, ORDER_ID_FIELD);
  if (currency === undefined)
    return refusal(faultsOf(network, asset, code, readFields(query, { amount: once(amountOfAny('')) }), orderId));
  const amount = readFields(query, { amount: amountField(currencies[currency]) });
  if (chain === undefined || !asset.ok || !amount.ok || !orderId.ok)
    return refusal(faultsOf(network, asset, code, amount, orderId));
  return ok({
    orderId: orderId.value.order_id,
    network: chain.name,
    asset: asset.value.asset,
    amount: money(amount.value.amount, currency),
  });
}

/** decisions.md section 2. */
export const ORDER_STATUS_FIELDS = { order_id: required(ORDER_ID) };

/** Errors: invalid_request. */
export function parseOrderStatus(body: RequestFields): Result<{ readonly orderId: string }> {
  const read = readFields(body, ORDER_STATUS_FIELDS);
  return read.ok ? ok({ orderId: read.value.order_id }) : refusal(read.error);
}
