import type { Chain, Result } from '@vuka/domain';
import type { Clock, Logger, Metrics, MonotonicClock } from '@vuka/runtime';

export interface TransferOrder {
  /** Ours, for people; never on the chain. */
  readonly reference: string;
  /** As libs/domain `tokenIdentity`: contract, mint, or CODE:ISSUER. */
  readonly token: string;
  readonly from: string;
  /** As the chain spells it: EVM EIP-55; Stellar G… or M…; Solana the owner, not its token account. */
  readonly to: string;
  /** Minor units of the token, above zero. */
  readonly amountMinor: bigint;
  /**
   * Minor units that prepared transfers of this wallet, not yet final, will take: token, and native coin for
   * fees.
   */
  readonly reserved: { readonly tokenMinor: bigint; readonly feeMinor: bigint };
  /** EVM only: a waiting transfer with the same nonce whose fee is too low. */
  readonly replaces?: UnsignedTransfer;
}

/**
 * JSON for an offline signer. The signer rebuilds `payload` from the readable fields and refuses a
 * difference. So nobody is shown one transfer and signs another.
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
  /** Nonce (EVM) or sequence number (Stellar), decimal; null on Solana. Only one transfer can use a place. */
  readonly place: string | null;
  /** Maximum fee, native minor units, decimal. */
  readonly mostFeeMinor: string;
  /**
   * Estimated expiry, RFC 3339; null: never expires. It is no proof: only `fate` proves that a transfer is
   * dead.
   */
  readonly expiresAt: string | null;
  /** Per family: fee bids, limits, blockhash, last valid height, time bounds. */
  readonly terms: Readonly<Record<string, string | number | null>>;
  /**
   * What is signed: EVM unsigned transaction in hex, Solana message in base64, Stellar envelope XDR in
   * base64.
   */
  readonly payload: string;
}

export interface SignedTransfer {
  readonly reference: string;
  /** Hex with 0x (EVM) or base64. */
  readonly raw: string;
  /** Canonical (libs/domain `readTransactionId`); known before broadcast. */
  readonly transactionId: string;
}

/** Nothing is known; ask again later. `reason` never has a URL, because URLs hold keys. */
export interface OutgoingTrouble {
  readonly kind: 'trouble';
  readonly reason: string;
}

export type NextPlace = { readonly kind: 'place'; readonly place: bigint | null } | OutgoingTrouble;

/** Upper bound of the cost, native minor units. */
export interface TransferCost {
  /** Fee at its highest bid, plus rent. */
  readonly totalMinor: bigint;
  /** Part of `totalMinor`: rent of an account made for the recipient, who can withdraw it (Solana). */
  readonly rentMinor: bigint;
}

export function costOf({ mostFeeMinor, terms }: Pick<UnsignedTransfer, 'mostFeeMinor' | 'terms'>): TransferCost {
  return { totalMinor: BigInt(mostFeeMinor), rentMinor: BigInt(terms['account_rent'] ?? 0) };
}

export type Preparation =
  /** The caller decides whether the cost is acceptable; nothing is committed yet. */
  | { readonly kind: 'ready'; readonly transfer: UnsignedTransfer; readonly cost: TransferCost }
  /** The wallet has too little now (minor units). The payment is not at fault and waits. */
  | { readonly kind: 'short'; readonly of: 'token' | 'fee'; readonly needsMinor: bigint; readonly hasMinor: bigint }
  /** `agree` endpoints say the recipient cannot receive it: no trustline, no account, blacklisted. */
  | { readonly kind: 'refused'; readonly reason: string }
  | OutgoingTrouble;

/**
 * `given`: at least one endpoint accepted it or has it already. `refused` is no proof that it is not on the
 * chain: ask `fate`.
 */
export type Broadcast =
  { readonly kind: 'given' } | { readonly kind: 'refused'; readonly reason: string } | OutgoingTrouble;

export interface IncludedIn {
  readonly number: number;
  readonly hash: string;
}

/**
 * It cannot get in any more, but whether it did is not proven, so people decide.
 * `found`: its own transaction, on the chain without a signature handed in.
 * `alike`: other transfers of the wallet, same value and recipient. It is dead if each is known to be another
 * payment.
 */
export interface UnclearFate {
  readonly kind: 'unclear';
  readonly reason: string;
  readonly found: string | null;
  readonly alike: readonly string[];
}

/** Agreed by `agree` endpoints. Only `final`, `failed` and `dead` are permanent. */
export type TransferFate =
  /** In no block, but may still come: broadcast the same bytes again. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'waiting' }
  | { readonly kind: 'included'; readonly block: IncludedIn }
  /** Final by the chain's largest tier, and the value moved as ordered. */
  | { readonly kind: 'final'; readonly block: IncludedIn }
  /** Final, but nothing moved. Its place is used. */
  | { readonly kind: 'failed'; readonly block: IncludedIn }
  /**
   * Proven that it can never be included: its place is used by another final transaction, or it expired by
   * final chain state. Only now may the order be signed anew.
   */
  | { readonly kind: 'dead'; readonly reason: string }
  | UnclearFate
  | OutgoingTrouble;

/** Offline: no network, no clock. Errors are for people and never contain the secret. */
export interface TransferSigner {
  addressOf(secret: string): Result<string, string>;
  /**
   * `secret`: EVM 32 bytes hex, Solana 64-byte keypair in base58, Stellar S…. Refuses a payload that differs
   * from the readable fields, and a key of another wallet.
   */
  sign(unsigned: UnsignedTransfer, secret: string): Result<SignedTransfer, string>;
  /** Checks that `raw` is exactly `unsigned`, signed only by the key of `from`. */
  verify(unsigned: UnsignedTransfer, raw: string): Result<SignedTransfer, string>;
}

/**
 * Holds no key and no state. `until`: epoch ms after which nobody waits. Outages and disagreement are
 * `trouble`; an exception is a bug.
 */
export interface OutgoingTransfers {
  readonly chain: string;
  /** First place of the wallet that no included transaction has used. */
  nextPlace(from: string, until: number): Promise<NextPlace>;
  /** `place`: from `nextPlace`, or a later one. */
  prepare(order: TransferOrder, place: bigint | null, until: number): Promise<Preparation>;
  /** Sends to every endpoint. Safe to repeat. */
  broadcast(signed: SignedTransfer, until: number): Promise<Broadcast>;
  /**
   * `transactionId` null: no signature was handed in. Then only `unknown`, `dead`, `unclear` or `trouble` is
   * possible, because somebody may have signed and sent it.
   */
  fate(unsigned: UnsignedTransfer, transactionId: string | null, until: number): Promise<TransferFate>;
  close(): Promise<void>;
}

export interface OutgoingOptions {
  readonly chain: Chain;
  /** Secret URLs, as for the reader. */
  readonly endpoints: readonly string[];
  readonly agree: number;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly clock: Clock & MonotonicClock;
}
