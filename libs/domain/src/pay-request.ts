import type { Chain, ChainFamily } from './chain/chain.js';
import { CHAINS, DEFAULT_CHAIN } from './chain/registry.js';
import { TRANSACTION_HASHES } from './chain/transaction-id.js';
import type { Currency } from './currency/currency.js';
import { described, faultsOf, lineUpTo, oneOf, optional, patternText, readFields, refusal, required, type RequestFields } from './field-rules.js';
import { commonPart, DISBURSE_FIELDS, readPayout, type PayoutRequest } from './payout-request.js';
import { ok, type Result } from './result.js';

/** A payout funded by a deposit on chain, as the rules left it. The deposit itself is judged by offramp. */
export interface PayRequest extends PayoutRequest {
  readonly chain: Chain['name'];
  /** As sent: what is the same transaction, the chain's own reader knows. */
  readonly transactionHash: string;
  readonly asset: string | null;
  readonly quoteId: string | null;
  readonly refundAddress: string | null;
}

const MAX_ASSET = 20;
const MAX_HASH = 100;
const MAX_QUOTE_ID = 100;
const MAX_ADDRESS = 128;

const CHAIN_FIELD = { chain: optional(described(oneOf(CHAINS, 'unsupported_network'), `The chain of the deposit; ${DEFAULT_CHAIN} where it is not sent.`)) };

const DEFAULT_FAMILY: ChainFamily = CHAINS.find(({ name }) => name === DEFAULT_CHAIN)?.family ?? 'evm';

/** What pay takes besides the fields of disburse (decisions.md section 2). */
export const PAY_FIELDS = {
  ...DISBURSE_FIELDS,
  asset: optional(described(lineUpTo(MAX_ASSET), 'The token, case-sensitive.')),
  quote_id: optional(lineUpTo(MAX_QUOTE_ID)),
  refund_address: optional(described(lineUpTo(MAX_ADDRESS), 'Where the deposit goes back to if the payout fails for good.')),
};

/**
 * The body of a pay, as parsed with raw numbers: the rules of disburse, and a deposit. Errors: those of `readPayout`, and
 * unsupported_network for a chain that is none.
 */
export function parsePay(currency: Currency, body: RequestFields): Result<PayRequest> {
  const chain = readFields(body, CHAIN_FIELD);
  // What a hash looks like is the chain's: where none can be told, only that there is one.
  const hash = chain.ok ? patternText(TRANSACTION_HASHES[chain.value.chain?.family ?? DEFAULT_FAMILY]) : lineUpTo(MAX_HASH);
  const deposit = readFields(body, { transaction_hash: required(hash) });
  const payout = readPayout(currency, body, PAY_FIELDS);
  if (!chain.ok || !deposit.ok || !payout.ok) return refusal(faultsOf(deposit, chain, payout));
  const { rest, ...common } = payout.value;
  return ok({
    ...common,
    ...commonPart(rest),
    chain: chain.value.chain?.name ?? DEFAULT_CHAIN,
    transactionHash: deposit.value.transaction_hash,
    asset: rest.asset ?? null,
    quoteId: rest.quote_id ?? null,
    refundAddress: rest.refund_address ?? null,
  });
}
