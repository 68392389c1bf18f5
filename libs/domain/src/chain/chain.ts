import type { CurrencyCode, NamedChoice } from '../currency/currency.js';
import type { Asset } from '../money/money.js';
import type { FinalityRule } from './finality.js';
import type { SourceKey } from './sources.js';

/** How a chain writes transactions and addresses. */
export type ChainFamily = 'evm' | 'solana' | 'stellar';

/** What one whole token is held to be worth one of. */
export type Peg = 'USD' | 'EUR' | CurrencyCode;

/** A stablecoin on one chain. What it is, its address says: symbols are reused, renamed and imitated. */
export interface Token {
  /** Ours, of the ledger and of answers: unique on its chain. */
  readonly symbol: string;
  /** What else clients may call it; with the letter case, which tells USDm from USDM. */
  readonly aliases: readonly string[];
  /** What the contract calls itself (Stellar: the asset's code); only to be shown. */
  readonly onchainSymbol: string;
  /** Contract (EVM: EIP-55), mint (Solana) or issuer (Stellar, where the asset is this and its code: `tokenIdentity`). */
  readonly address: string;
  /** Solana: the program that the mint belongs to, where it is not the first one. Accounts that hold the token follow from it. */
  readonly program?: 'token-2022';
  readonly decimals: number;
  readonly peg: Peg;
  /** Accepted; one that is not stays listed, so that whoever enables it finds it checked. */
  readonly enabled: boolean;
  readonly issuance: 'native' | 'usdt0' | 'bridged' | 'binance-peg';
  readonly sources: readonly SourceKey[];
}

/** A token that is taken for another by its name: recorded where it arrives, never credited. */
export interface Lookalike {
  readonly symbol: string;
  readonly address: string;
  readonly why: string;
  readonly sources: readonly SourceKey[];
}

/** What bounds what a transfer out of a wallet of ours costs us. A chain without them does not start (`chainFault`). */
export interface FeeFacts {
  /** The most that is bid for one unit, whatever endpoints say: wei for a unit of gas (EVM), micro-lamports for a compute unit (Solana), stroops for an operation (Stellar). */
  readonly mostPerUnit: bigint;
  /** Of the native coin. */
  readonly coinDecimals: number;
  /** US cents that one whole native coin is held to cost at most: above its record. It only bounds costs, nothing is ever priced by it. */
  readonly mostCoinCents: bigint;
  readonly source: SourceKey;
}

interface ChainFacts extends NamedChoice {
  /** As wallets and exchanges name it to the people who choose it there. */
  readonly title: string;
  /** What fees are paid in there. */
  readonly nativeCoin: string;
  readonly tokens: readonly Token[];
  readonly lookalikes: readonly Lookalike[];
  readonly finality: FinalityRule;
  /** Usual time from block to block (Solana: slot, Stellar: ledger), milliseconds. */
  readonly blockMs: number;
  /** How long a transaction that is not found, or not final, is looked for: milliseconds from when its claim was opened. */
  readonly searchForMs: number;
  /** US cents below which a deposit is not sent back there: above what the dearest transfer costs us, which a deposit of dust would have us pay. */
  readonly leastRefundCents: bigint;
  readonly fees: FeeFacts;
}

export interface EvmChain extends ChainFacts {
  readonly family: 'evm';
  /** EIP-155. An endpoint that tells another one is of another chain. */
  readonly chainId: number;
}

export interface SolanaChain extends ChainFacts {
  readonly family: 'solana';
  /** Hash of the first block: tells mainnet from the others. */
  readonly genesisHash: string;
  /** Rent of new token accounts, lamports, that refunds of one partner may cost us in 24 hours: their owners can take it out, so that it is bounded whatever the refunds are worth. */
  readonly mostRentADay: bigint;
}

export interface StellarChain extends ChainFacts {
  readonly family: 'stellar';
  /** Names the network; part of what is signed. */
  readonly networkPassphrase: string;
}

export type Chain = EvmChain | SolanaChain | StellarChain;

/** What a deposit may be in: enabled, and pegged to the dollar (decisions.md section 1). */
export function acceptedTokens(chain: Pick<Chain, 'tokens'>): readonly Token[] {
  return chain.tokens.filter(({ enabled, peg }) => enabled && peg === 'USD');
}

/** The listed token of an identity, accepted or not. EVM addresses mean the same in any letter case, others do not. */
export function tokenAt(chain: Pick<Chain, 'tokens' | 'family'>, identity: string): Token | undefined {
  return chain.tokens.find((token) => sameAddress(chain.family, tokenIdentity(chain, token), identity));
}

/** What tells a token from all others of its chain, as readers name it: its address, and on Stellar `CODE:ISSUER`. */
export function tokenIdentity(
  { family }: Pick<Chain, 'family'>,
  { address, onchainSymbol }: Pick<Token, 'address' | 'onchainSymbol'>,
): string {
  return family === 'stellar' ? `${onchainSymbol}:${address}` : address;
}

/** The accepted token that a client means by a symbol; letter case counts. */
export function acceptedTokenNamed(chain: Pick<Chain, 'tokens'>, sent: string): Token | undefined {
  return acceptedTokens(chain).find(({ symbol, aliases }) => symbol === sent || aliases.includes(sent));
}

/** The ledger's name of a token: `USDC@CELO`. */
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

/** `CELO`, or `USDT on CELO`: what a switch is of, as people are told it and as its record has it. */
export function assetOnChain({ chain, asset }: { readonly chain: string; readonly asset: string | null }): string {
  return asset === null ? chain : `${asset} on ${chain}`;
}
