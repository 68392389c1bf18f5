import type { CurrencyCode, NamedChoice } from '../currency/currency.js';
import type { Asset } from '../money/money.js';
import type { FinalityRule } from './finality.js';
import type { SourceKey } from './sources.js';

export type ChainFamily = 'evm' | 'solana' | 'stellar';

/** What one whole token is assumed to be worth. */
export type Peg = 'USD' | 'EUR' | CurrencyCode;

/** The address identifies it: symbols are reused, renamed and imitated. */
export interface Token {
  /** Ours, unique on its chain. */
  readonly symbol: string;
  /** Letter case counts: USDm is not USDM. */
  readonly aliases: readonly string[];
  /** Only for display. */
  readonly onchainSymbol: string;
  /** Contract (EVM: EIP-55), mint (Solana) or issuer (Stellar; see `tokenIdentity`). */
  readonly address: string;
  /** Solana: token account addresses depend on it. */
  readonly program?: 'token-2022';
  readonly decimals: number;
  readonly peg: Peg;
  /** False: not accepted, but already checked. */
  readonly enabled: boolean;
  readonly issuance: 'native' | 'usdt0' | 'bridged' | 'binance-peg';
  readonly sources: readonly SourceKey[];
}

/** A similar name: recorded if it arrives, never credited. */
export interface Lookalike {
  readonly symbol: string;
  readonly address: string;
  readonly why: string;
  readonly sources: readonly SourceKey[];
}

/** They bound the cost of a transfer. Without them a chain does not start (`chainFault`). */
export interface FeeFacts {
  /**
   * Highest bid. Wei per gas (EVM), micro-lamports per compute unit (Solana), stroops per operation (Stellar).
   */
  readonly mostPerUnit: bigint;
  readonly coinDecimals: number;
  /** Above the coin's record price. Only a cost bound, never a price. */
  readonly mostCoinCents: bigint;
  readonly source: SourceKey;
}

interface ChainFacts extends NamedChoice {
  readonly title: string;
  readonly nativeCoin: string;
  readonly tokens: readonly Token[];
  readonly lookalikes: readonly Lookalike[];
  readonly finality: FinalityRule;
  /** Usual; Solana: slot, Stellar: ledger. */
  readonly blockMs: number;
  /** From the claim: how long we search for a missing or not final transaction. */
  readonly searchForMs: number;
  /** Smaller deposits are not refunded: the transfer of dust costs us more. */
  readonly leastRefundCents: bigint;
  readonly fees: FeeFacts;
}

export interface EvmChain extends ChainFacts {
  readonly family: 'evm';
  /** EIP-155. */
  readonly chainId: number;
}

export interface SolanaChain extends ChainFacts {
  readonly family: 'solana';
  /** Tells mainnet from other networks. */
  readonly genesisHash: string;
  /**
   * Lamports per partner in 24 hours for new token accounts. Their owners can take the rent out, so it is
   * bounded.
   */
  readonly mostRentADay: bigint;
}

export interface StellarChain extends ChainFacts {
  readonly family: 'stellar';
  readonly networkPassphrase: string;
}

export type Chain = EvmChain | SolanaChain | StellarChain;

/** Enabled and pegged to the dollar (decisions.md section 1). */
export function acceptedTokens(chain: Pick<Chain, 'tokens'>): readonly Token[] {
  return chain.tokens.filter(({ enabled, peg }) => enabled && peg === 'USD');
}

/** Accepted or not. */
export function tokenAt(chain: Pick<Chain, 'tokens' | 'family'>, identity: string): Token | undefined {
  return chain.tokens.find((token) => sameAddress(chain.family, tokenIdentity(chain, token), identity));
}

/** The address; on Stellar `CODE:ISSUER`. */
export function tokenIdentity(
  { family }: Pick<Chain, 'family'>,
  { address, onchainSymbol }: Pick<Token, 'address' | 'onchainSymbol'>,
): string {
  return family === 'stellar' ? `${onchainSymbol}:${address}` : address;
}

export function acceptedTokenNamed(chain: Pick<Chain, 'tokens'>, sent: string): Token | undefined {
  return acceptedTokens(chain).find(({ symbol, aliases }) => symbol === sent || aliases.includes(sent));
}

/** `USDC@CELO`. */
export function tokenAsset(chain: Pick<Chain, 'name'>, token: Pick<Token, 'symbol'>): Asset {
  return `${token.symbol}@${chain.name}`;
}

/** `USDC` of `USDC@BNB`. */
export function assetSymbol(asset: Asset): string {
  return asset.slice(0, asset.lastIndexOf('@'));
}

export function sameAddress(family: ChainFamily, one: string, other: string): boolean {
  return family === 'evm' ? one.toLowerCase() === other.toLowerCase() : one === other;
}

export function assetOnChain({ chain, asset }: { readonly chain: string; readonly asset: string | null }): string {
  return asset === null ? chain : `${asset} on ${chain}`;
}
