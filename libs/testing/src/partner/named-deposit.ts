import { CHAIN_FACTS, tokenNamed } from '../books/chain-facts.js';

export interface DepositFields {
  readonly transaction_hash: string;
  readonly chain?: string | null;
  readonly asset?: string | null;
  readonly quote_id?: string | null;
  readonly refund_address?: string | null;
}

/** What a quote promised (decisions.md section 2). */
export interface Quote {
  readonly quote_id: string;
  /** Fiat per whole token, an exact decimal. */
  readonly rate: string;
  readonly amount: string;
  readonly asset_amount: string;
  readonly amount_in_usd: string;
  readonly settlement_wallet_address: string;
  readonly memo_address: string;
  readonly memo: string;
  readonly expires_in: number;
  readonly expires_at: string;
}

export interface HeldQuote extends Quote {
  readonly chain: string;
  readonly asset: string;
}

export interface NamedDeposit {
  readonly chain: string;
  /** `0x` and lower case on EVM, lower case on Stellar, unchanged on Solana. */
  readonly hash: string;
  /** Symbol; null: any. */
  readonly asset: string | null;
  readonly quote: HeldQuote | null;
  readonly refundTo: string | null;
}

const CHAIN_ALIASES: Readonly<Record<string, string>> = {
  BSC: 'BNB',
  BINANCE: 'BNB',
  AVAX: 'AVALANCHE',
  ETH: 'ETHEREUM',
  MATIC: 'POLYGON',
  ARB: 'ARBITRUM',
};
const DEFAULT_CHAIN = 'CELO';

export function chainMeantBy(sent: string | null | undefined): string {
  const name = (sent || DEFAULT_CHAIN).toUpperCase();
  return CHAIN_ALIASES[name] ?? name;
}

export function depositNamedBy(body: DepositFields, quotes: ReadonlyMap<string, HeldQuote>): NamedDeposit {
  const chain = chainMeantBy(body.chain);
  const quote = quotes.get(body.quote_id?.toLowerCase() ?? '') ?? null;
  const asset = body.asset ? (tokenNamed(chain, body.asset)?.symbol ?? body.asset) : null;
  return {
    chain,
    hash: spelledHash(chain, body.transaction_hash),
    asset,
    quote,
    refundTo: body.refund_address || null,
  };
}

export function spelledHash(chain: string, sent: string): string {
  switch (CHAIN_FACTS[chain]?.family) {
    case 'solana':
      return sent;
    case 'stellar':
      return sent.toLowerCase();
    default:
      return `0x${sent.replace(/^0x/i, '').toLowerCase()}`;
  }
}
