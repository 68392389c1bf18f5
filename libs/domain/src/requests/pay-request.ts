import { acceptedTokenNamed, acceptedTokens, type Chain, type ChainFamily } from '../chain/chain.js';
import { CHAINS, chainNamed, DEFAULT_CHAIN } from '../chain/registry.js';
import { isSolanaAddress, readTransactionId, TRANSACTION_HASHES } from '../chain/transaction-id.js';
import type { Currency } from '../currency/currency.js';
import {
  described,
  fault,
  faultsOf,
  lineUpTo,
  oneOf,
  optional,
  patternText,
  readFields,
  refusal,
  required,
  textAs,
  type RequestFields,
  type ValueRule,
} from './field-rules.js';
import { onceFor } from './once-for.js';
import { commonPart, DISBURSE_FIELDS, readPayout, type PayoutRequest } from './payout-request.js';
import { ok, type Result } from '../result/result.js';

/** offramp judges the deposit itself. */
export interface PayRequest extends PayoutRequest {
  readonly chain: Chain['name'];
  /** Canonical. */
  readonly transactionHash: string;
  /** A token accepted on that chain; null: any of them. */
  readonly asset: string | null;
  /** Lower case. */
  readonly quoteId: string | null;
  /** As sent; only the form is checked, not the checksum. */
  readonly refundAddress: string | null;
}

export const MAX_ASSET = 20;
export const MAX_HASH = 100;
export const MAX_ADDRESS = 128;

/** RFC 9562, any version. */
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

export const CHAIN_FIELD = {
  chain: optional(
    described(oneOf(CHAINS, 'unsupported_network'), `The chain of the deposit; ${DEFAULT_CHAIN} where it is not sent.`),
  ),
};

const ASSET = described(
  lineUpTo(MAX_ASSET),
  'The token of the deposit, case-sensitive; whichever accepted one arrives where it is not sent.',
);
const QUOTE_ID = textAs((sent) => (UUID.test(sent) ? sent.toLowerCase() : null), 'be the quote_id of a quote: a UUID', {
  format: 'uuid',
});
const REFUND_ADDRESS = described(
  lineUpTo(MAX_ADDRESS),
  'Where the deposit goes back to if the payout fails for good, unless it is too little to send or the account owes money: an address of its chain.',
);

/** In addition to disburse, for any chain (decisions.md section 2). */
export const PAY_FIELDS = {
  ...DISBURSE_FIELDS,
  asset: optional(ASSET),
  quote_id: optional(QUOTE_ID),
  refund_address: optional(REFUND_ADDRESS),
};

const payFieldsOn = onceFor((chain: Chain) => ({
  ...PAY_FIELDS,
  asset: optional(assetOn(chain)),
  refund_address: optional(addressOn(chain, REFUND_ADDRESS)),
}));

export function addressOn(chain: Pick<Chain, 'family'>, line: ValueRule<string>): ValueRule<string> {
  return narrowed(line, ADDRESSES[chain.family]);
}

/** Symbol or alias; letter case counts (decisions.md section 1). Error: unsupported_network. */
export function assetOn(chain: Chain): ValueRule<string> {
  const symbols = acceptedTokens(chain)
    .map(({ symbol }) => symbol)
    .join(', ');
  return {
    read: (value, field) => {
      const sent = ASSET.read(value, field);
      if (!sent.ok) return sent;
      const token = acceptedTokenNamed(chain, sent.value);
      return token === undefined
        ? fault('unsupported_network', field, `${field} must be one of ${symbols} on ${chain.name}`)
        : ok(token.symbol);
    },
    schema: ASSET.schema,
  };
}

/** Without checksums. */
const ADDRESSES: Readonly<
  Record<ChainFamily, { readonly looksRight: (address: string) => boolean; readonly rule: string }>
> = {
  evm: { looksRight: (address) => /^0x[0-9a-fA-F]{40}$/.test(address), rule: '0x and 40 hexadecimal digits' },
  stellar: {
    looksRight: (address) => /^(?:G[A-Z2-7]{55}|M[A-Z2-7]{68})$/.test(address),
    rule: 'an address of Stellar: G and 55 characters, or M and 68',
  },
  solana: { looksRight: isSolanaAddress, rule: 'an address of Solana: 32 bytes in base58' },
};

/** Checks only the form; null: no fault. */
export function addressFault({ family }: Pick<Chain, 'family'>, address: string): string | null {
  const { looksRight, rule } = ADDRESSES[family];
  return looksRight(address) ? null : `must be ${rule}`;
}

function narrowed(line: ValueRule<string>, { looksRight, rule }: (typeof ADDRESSES)[ChainFamily]): ValueRule<string> {
  return {
    read: (value, field) => {
      const sent = line.read(value, field);
      return !sent.ok || looksRight(sent.value) ? sent : fault('invalid_request', field, `${field} must be ${rule}`);
    },
    schema: line.schema,
  };
}

/** Canonical. */
export function hashOf(family: ChainFamily): ValueRule<string> {
  const { rule, pattern } = TRANSACTION_HASHES[family];
  return textAs((sent) => readTransactionId(family, sent), `be ${rule}`, { pattern: pattern.source });
}

/** For a schema, which cannot express that the hash form depends on the chain. */
export const DEPOSIT_FIELDS = {
  transaction_hash: required(
    patternText({
      pattern: new RegExp(
        Object.values(TRANSACTION_HASHES)
          .map(({ pattern }) => `(?:${pattern.source})`)
          .join('|'),
      ),
      rule: 'as the chain names the transfer',
      example: `0x${'3f'.repeat(32)}`,
    }),
  ),
  ...CHAIN_FIELD,
};

/**
 * Disburse rules plus a deposit. Errors: those of `readPayout`, and unsupported_network for the chain or the
 * token.
 */
export function parsePay(currency: Currency, body: RequestFields): Result<PayRequest> {
  const read = readFields(body, CHAIN_FIELD);
  const chain = read.ok ? (read.value.chain ?? chainNamed(DEFAULT_CHAIN)) : undefined;
  // Without a known chain, only presence is checked.
  const hash = chain === undefined ? lineUpTo(MAX_HASH) : hashOf(chain.family);
  const deposit = readFields(body, { transaction_hash: required(hash) });
  const payout = readPayout(currency, body, chain === undefined ? PAY_FIELDS : payFieldsOn(chain));
  if (chain === undefined || !deposit.ok || !payout.ok) return refusal(faultsOf(deposit, read, payout));
  const { rest, ...common } = payout.value;
  return ok({
    ...common,
    ...commonPart(rest),
    chain: chain.name,
    transactionHash: deposit.value.transaction_hash,
    asset: rest.asset ?? null,
    quoteId: rest.quote_id ?? null,
    refundAddress: rest.refund_address ?? null,
  });
}
