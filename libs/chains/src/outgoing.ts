import type { Chain, Result } from '@vuka/domain';
import type { Clock, Logger, Metrics, MonotonicClock } from '@vuka/runtime';

export interface TransferOrder {
  readonly reference: string;
  /** As `tokenIdentity` of libs/domain: contract, mint, or CODE:ISSUER. */
  readonly token: string;
  readonly from: string;
  /** EVM EIP-55; Stellar G… or M…; Solana the owner, not its token account. */
  readonly to: string;
  /** Minor units of the token, above zero. */
  readonly amountMinor: bigint;
  /** Minor units that transfers of this wallet, prepared but not final, will take. */
  readonly reserved: { readonly tokenMinor: bigint; readonly feeMinor: bigint };
  /** EVM only: a waiting transfer with the same nonce and too low a fee. */
  readonly replaces?: UnsignedTransfer;
}

/**
 * JSON for an offline signer, who rebuilds `payload` from the readable fields and refuses a difference. So
 * nobody is shown one transfer and signs another.
 */
export interface UnsignedTransfer {
  readonly version: 1;
  readonly reference: string;
  readonly chain: string;
  readonly from: string;
  readonly to: string;
  readonly token: string;
  readonly symbol: string;
  readonly decimals: number;
  /** Minor units, decimal. */
  readonly amountMinor: string;
  /** Nonce (EVM) or sequence number (Stellar), decimal; null on Solana. Only one transfer can use it. */
  readonly place: string | null;
  /** Maximum fee, native minor units, decimal. */
  readonly mostFeeMinor: string;
  /** Estimate, RFC 3339; null: never expires. Only `fate` proves that a transfer is dead. */
  readonly expiresAt: string | null;
  readonly terms: Readonly<Record<string, string | number | null>>;
  /** EVM hex, Solana message in base64, Stellar envelope XDR in base64. */
  readonly payload: string;
}

export interface SignedTransfer {
  readonly reference: string;
  /** Hex with 0x (EVM) or base64. */
  readonly raw: string;
  /** Canonical; known before broadcast. */
  readonly transactionId: string;
}

/** Nothing is known; ask again later. No URL in `reason`, because URLs hold keys. */
export interface OutgoingTrouble {
  readonly kind: 'trouble';
  readonly reason: string;
}

export type NextPlace = { readonly kind: 'place'; readonly place: bigint | null } | OutgoingTrouble;

/** Upper bound of the cost, native minor units. */
export interface TransferCost {
  /** Fee at its highest bid, plus rent. */
  readonly totalMinor: bigint;
  /** Rent of an account made for the recipient, who can withdraw it (Solana). */
  readonly rentMinor: bigint;
}

export function costOf({ mostFeeMinor, terms }: Pick<UnsignedTransfer, 'mostFeeMinor' | 'terms'>): TransferCost {
  return { totalMinor: BigInt(mostFeeMinor), rentMinor: BigInt(terms['account_rent'] ?? 0) };
}

export type Preparation =
  /** Not committed: the caller may refuse the cost. */
  | { readonly kind: 'ready'; readonly transfer: UnsignedTransfer; readonly cost: TransferCost }
  /** The wallet has too little now (minor units): the payment waits. */
  | { readonly kind: 'short'; readonly of: 'token' | 'fee'; readonly needsMinor: bigint; readonly hasMinor: bigint }
  /** `agree` endpoints say that the recipient cannot receive it. */
  | { readonly kind: 'refused'; readonly reason: string }
  | OutgoingTrouble;

/**
 * `given`: at least one endpoint has it. `refused` does not prove that it is not on the chain: ask `fate`.
 */
export type Broadcast =
  { readonly kind: 'given' } | { readonly kind: 'refused'; readonly reason: string } | OutgoingTrouble;

export interface IncludedIn {
  readonly number: number;
  readonly hash: string;
}

/**
 * It cannot be included any more, but whether it was is not proven, so people decide.
 * `found`: its own transaction, although no signature was handed in. `alike`: other transfers of the wallet,
 * same value and recipient. It is dead if each of them is another payment.
 */
export interface UnclearFate {
  readonly kind: 'unclear';
  readonly reason: string;
  readonly found: string | null;
  readonly alike: readonly string[];
}

/** Only `final`, `failed` and `dead` are permanent. */
export type TransferFate =
  /** May still come: broadcast the same bytes again. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'waiting' }
  | { readonly kind: 'included'; readonly block: IncludedIn }
  /** Final by the largest tier, and the value moved. */
  | { readonly kind: 'final'; readonly block: IncludedIn }
  /** Final, but nothing moved. Its place is used. */
  | { readonly kind: 'failed'; readonly block: IncludedIn }
  /**
   * Proven that it can never be included: a final transaction used its place, or it expired by final state.
   * Only now may the order be signed anew.
   */
  | { readonly kind: 'dead'; readonly reason: string }
  | UnclearFate
  | OutgoingTrouble;

/** Offline. Errors never contain the secret. */
export interface TransferSigner {
  addressOf(secret: string): Result<string, string>;
  /**
   * `secret`: EVM 32 bytes hex, Solana 64-byte keypair in base58, Stellar S…. Refuses a wrong key, or a
   * payload that differs from the readable fields.
   */
  sign(unsigned: UnsignedTransfer, secret: string): Result<SignedTransfer, string>;
  /** Fails unless `raw` is exactly `unsigned`, signed only by the key of `from`. */
  verify(unsigned: UnsignedTransfer, raw: string): Result<SignedTransfer, string>;
}

/**
 * Holds no key and no state. `until`: epoch ms after which nobody waits. Outages and disagreement are
 * `trouble`; an exception is a bug.
 */
export interface OutgoingTransfers {
  readonly chain: string;
  /** First place that no included transaction has used. */
  nextPlace(from: string, until: number): Promise<NextPlace>;
  /** `place`: from `nextPlace`, or a later one. */
  prepare(order: TransferOrder, place: bigint | null, until: number): Promise<Preparation>;
  /** Safe to repeat. */
  broadcast(signed: SignedTransfer, until: number): Promise<Broadcast>;
  /**
   * `transactionId` null: not handed in, but somebody may still have sent it. Then the fate is `unknown`,
   * `dead`, `unclear` or `trouble`.
   */
  fate(unsigned: UnsignedTransfer, transactionId: string | null, until: number): Promise<TransferFate>;
  close(): Promise<void>;
}

export interface OutgoingOptions {
  readonly chain: Chain;
  /** Secret URLs. */
  readonly endpoints: readonly string[];
  readonly agree: number;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly clock: Clock & MonotonicClock;
}
