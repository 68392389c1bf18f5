import { chainNamed, DEFAULT_CHAIN } from '../chain/registry.js';
import type { Chain } from '../chain/chain.js';
import type { Currency, PayoutRules, WalletCurrency } from '../currency/currency.js';
import {
  described,
  faultsOf,
  lineUpTo,
  readFields,
  refusal,
  required,
  type Read,
  type RequestFields,
  type RuleSet,
} from './field-rules.js';
import { money, type Money } from '../money/money.js';
import { assetOn, CHAIN_FIELD, MAX_ASSET } from './pay-request.js';
import { anyAmountField, walletField } from './payout-request.js';
import { ok, type Problem, type Result } from '../result/result.js';

/** What a quote is asked for: the rate of this amount, paid for with this token on this chain. */
export interface QuoteRequest {
  readonly amount: Money<WalletCurrency>;
  readonly chain: Chain['name'];
  /** Symbol of a token accepted on that chain. */
  readonly asset: string;
}

const ANY_ASSET = described(lineUpTo(MAX_ASSET), 'The token that you will send, case-sensitive.', {
  examples: ['USDC'],
});

/** Every field of the request in one of the currency's wallets, whatever its chain. `currency` only where there is a choice. */
export function quoteFields(currency: Currency, payouts: PayoutRules): RuleSet {
  const wallet: RuleSet = currency.payouts.length > 1 ? { currency: walletField(currency) } : {};
  return { amount: required(anyAmountField(payouts)), ...CHAIN_FIELD, asset: required(ANY_ASSET), ...wallet };
}

/**
 * The body of a quote (decisions.md section 2): limits are those of the currency, whoever will be paid.
 * Errors: invalid_request, amount_out_of_range, unsupported_network (no such chain, or the token is not accepted on it), unsupported_currency.
 */
export function parseQuote(currency: Currency, body: RequestFields): Result<QuoteRequest, Problem> {
  const payouts = payoutsOf(currency, body);
  const amount = readFields(body, {
    amount: required(anyAmountField(payouts.ok ? payouts.value : currency.payouts[0])),
  });
  const read = readFields(body, CHAIN_FIELD);
  const chain = read.ok ? (read.value.chain ?? chainNamed(DEFAULT_CHAIN)) : undefined;
  const asset = readFields(body, { asset: required(chain === undefined ? ANY_ASSET : assetOn(chain)) });
  if (!payouts.ok || !amount.ok || chain === undefined || !asset.ok)
    return refusal(faultsOf(amount, read, asset, payouts));
  return ok({
    amount: money(amount.value.amount, payouts.value.currency),
    chain: chain.name,
    asset: asset.value.asset,
  });
}

/** The rules of the wallet that is named, the first where none is. */
function payoutsOf(currency: Currency, body: RequestFields): Read<PayoutRules> {
  const [first] = currency.payouts;
  if (currency.payouts.length === 1) return ok(first);
  const read = readFields(body, { currency: walletField(currency) });
  return read.ok ? ok(currency.payouts.find((rules) => rules.currency === read.value.currency?.name) ?? first) : read;
}
