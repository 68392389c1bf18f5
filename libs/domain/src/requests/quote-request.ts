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

export interface QuoteRequest {
  readonly amount: Money<WalletCurrency>;
  readonly chain: Chain['name'];
  /** Accepted on that chain. */
  readonly asset: string;
}

const ANY_ASSET = described(lineUpTo(MAX_ASSET), 'The token that you will send, case-sensitive.', {
  examples: ['USDC'],
});

/** For any chain. `currency` only if there is a choice. */
export function quoteFields(currency: Currency, payouts: PayoutRules): RuleSet {
  const wallet: RuleSet = currency.payouts.length > 1 ? { currency: walletField(currency) } : {};
  return { amount: required(anyAmountField(payouts)), ...CHAIN_FIELD, asset: required(ANY_ASSET), ...wallet };
}

/**
 * decisions.md section 2. Uses the currency's limits for any recipient. Errors: invalid_request,
 * amount_out_of_range, unsupported_network (chain or token), unsupported_currency.
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

/** Default: the first wallet. */
function payoutsOf(currency: Currency, body: RequestFields): Read<PayoutRules> {
  const [first] = currency.payouts;
  if (currency.payouts.length === 1) return ok(first);
  const read = readFields(body, { currency: walletField(currency) });
  return read.ok ? ok(currency.payouts.find((rules) => rules.currency === read.value.currency?.name) ?? first) : read;
}
