import type { Chain, Result } from '@vuka/domain';
import type { Clock, Logger, Metrics, MonotonicClock } from '@vuka/runtime';

/** What is to leave a wallet of ours. */
export interface TransferOrder {
  /** Ours: ties what comes back from a signer to what was asked for. Shown to people, and on no chain. */
  readonly reference: string;
  /** As libs/domain `tokenIdentity` names it: contract, mint, or CODE:ISSUER. One of the chain's accepted tokens. */
  readonly token: string;
  /** The wallet that pays, gas included. */
  readonly from: string;
  /** As the chain spells it (EVM: EIP-55; Stellar: G… or M…; Solana: the owner, not its token account). */
  readonly to: string;
  /** Minor units of the token, above zero. */
  readonly amountMinor: bigint;
  /** What other transfers out of this wallet, prepared and not yet final, will take: of this token, and of the native coin for their fees. */
  readonly reserved: { readonly tokenMinor: bigint; readonly feeMinor: bigint };
  /** The one with the same place that waits and whose fee is too low for the chain by now (EVM alone). */
  readonly replaces?: UnsignedTransfer;
}

/**
 * All that an offline signer needs, and that a person reads before it signs; JSON as it is. The readable members are what is meant: a signer
 * makes `payload` of them again and refuses where it is another, so that nobody is shown one transfer and signs a different one.
 */
export interface UnsignedTransfer {
  readonly version: 1;
  readonly reference: string;
  /** Of libs/domain's registry. */
  readonly chain: string;
  readonly from: string;
  readonly to: string;
  readonly token: string;
  /** The token's, to be read: USDC. */
  readonly symbol: string;
  readonly decimals: number;
  /** Whole number of minor units, decimal. */
  readonly amountMinor: string;
  /** Nonce (EVM) or sequence number (Stellar) of the wallet, decimal; null where the chain has none (Solana). Two with one place exclude each other. */
  readonly place: string | null;
  /** At most so much of the native coin's minor units goes for fees, decimal. */
  readonly mostFeeMinor: string;
  /** When it cannot get onto the chain any more by time alone, RFC 3339, as well as is known; null: never. What proves it is `fate`. */
  readonly expiresAt: string | null;
  /** The family's own: fee bids, limits, blockhash, last valid height, time bounds. */
  readonly terms: Readonly<Record<string, string | number | null>>;
  /** What is signed, whole: EVM the unsigned transaction in hex, Solana the message in base64, Stellar the envelope's XDR in base64. */
  readonly payload: string;
}

export interface SignedTransfer {
  readonly reference: string;
  /** What is given to the chain: hex with 0x (EVM) or base64. */
  readonly raw: string;
  /** Canonical (libs/domain `readTransactionId`): known before it is broadcast. */
  readonly transactionId: string;
}

/** Outages, lateness and endpoints that do not agree: nothing is known, and it is asked again later. Never a URL in `reason`. */
export interface OutgoingTrouble {
  readonly kind: 'trouble';
  readonly reason: string;
}

export type NextPlace =
  { readonly kind: 'place'; /** null: the chain has none. */ readonly place: bigint | null } | OutgoingTrouble;

/** What a transfer costs its wallet at most, in minor units of the native coin. */
export interface TransferCost {
  /** All of it: the fee at its highest bid, and rent. */
  readonly totalMinor: bigint;
  /** Of it, rent of an account that is made for the recipient, who can take it out (Solana). */
  readonly rentMinor: bigint;
}

/** What is signed says it itself. */
export function costOf({ mostFeeMinor, terms }: Pick<UnsignedTransfer, 'mostFeeMinor' | 'terms'>): TransferCost {
  return { totalMinor: BigInt(mostFeeMinor), rentMinor: BigInt(terms['account_rent'] ?? 0) };
}

export type Preparation =
  /** Whether it may cost so much is for whoever asked to judge: nothing is committed by this. */
  | { readonly kind: 'ready'; readonly transfer: UnsignedTransfer; readonly cost: TransferCost }
  /** The wallet has too little at the moment; minor units. Not the refund's fault: it waits. */
  | { readonly kind: 'short'; readonly of: 'token' | 'fee'; readonly needsMinor: bigint; readonly hasMinor: bigint }
  /** Enough endpoints agree that the chain would not let this recipient have it: no trustline, no such account, blacklisted. */
  | { readonly kind: 'refused'; readonly reason: string }
  | OutgoingTrouble;

/** `given`: at least one endpoint has taken it, or has it already. `refused`: all that answered would not; what became of it, `fate` tells. */
export type Broadcast =
  { readonly kind: 'given' } | { readonly kind: 'refused'; readonly reason: string } | OutgoingTrouble;

export interface IncludedIn {
  readonly number: number;
  readonly hash: string;
}

/**
 * It cannot get in any more, and whether it did is not proven: people are asked. `found`: its own transaction on the chain, of which nobody handed in a signature.
 * `alike`: others that left the wallet since and moved the same to the same recipient; it is dead where each is known to be something else.
 */
export interface UnclearFate {
  readonly kind: 'unclear';
  readonly reason: string;
  readonly found: string | null;
  readonly alike: readonly string[];
}

/** What has become of a transfer, by `agree` of the endpoints. Only `final`, `failed` and `dead` are for good. */
export type TransferFate =
  /** Agreed to be nowhere, and may still come: give it to the chain again as it is. */
  | { readonly kind: 'unknown' }
  /** An endpoint has it, in no block. */
  | { readonly kind: 'waiting' }
  | { readonly kind: 'included'; readonly block: IncludedIn }
  /** Final by the chain's largest tier, and the value moved as ordered. */
  | { readonly kind: 'final'; readonly block: IncludedIn }
  /** Final on the chain, and nothing moved. Its place is used up. */
  | { readonly kind: 'failed'; readonly block: IncludedIn }
  /**
   * Proven: it is nowhere, and can never be. Its place is used by another transaction that is final, or its time is over by the chain's own
   * final state. Only now may the order be signed anew.
   */
  | { readonly kind: 'dead'; readonly reason: string }
  | UnclearFate
  | OutgoingTrouble;

/** What needs a key, or tells who had it. Offline: no network, no clock. The error is for people, and never has the secret in it. */
export interface TransferSigner {
  /** The wallet that a secret is the key of. */
  addressOf(secret: string): Result<string, string>;
  /** `secret`: EVM 32 bytes in hex, Solana the 64 bytes of a keypair in base58, Stellar S…. Refuses a payload that is not what its readable members say, and a key of another wallet. */
  sign(unsigned: UnsignedTransfer, secret: string): Result<SignedTransfer, string>;
  /** That `raw` is `unsigned`, whole and unchanged, signed by the key of its `from` and by nobody else; with its transaction id. */
  verify(unsigned: UnsignedTransfer, raw: string): Result<SignedTransfer, string>;
}

/**
 * Transfers out of a wallet of ours on one chain. Holds no key. `until`: epoch milliseconds by the clock after which nobody waits for the
 * answer. Outages and disagreement are `trouble`, never an exception; an exception is a bug. Remembers nothing from call to call.
 */
export interface OutgoingTransfers {
  readonly chain: string;
  /** The first place of the wallet that no transaction in a block has used. */
  nextPlace(from: string, until: number): Promise<NextPlace>;
  /** Asks for what changes (fees, blockhash, balances) and puts the transfer together. `place` as `nextPlace` has it, or a later one. */
  prepare(order: TransferOrder, place: bigint | null, until: number): Promise<Preparation>;
  /** Gives the bytes to every endpoint, as they are. A repeat is harmless. */
  broadcast(signed: SignedTransfer, until: number): Promise<Broadcast>;
  /** `transactionId` null: no signature of it was handed in, so that only `unknown`, `dead`, `unclear` and `trouble` can be told. Somebody may have signed it and sent it all the same. */
  fate(unsigned: UnsignedTransfer, transactionId: string | null, until: number): Promise<TransferFate>;
  close(): Promise<void>;
}

export interface OutgoingOptions {
  readonly chain: Chain;
  /** Secrets all of them, as those of the reader. */
  readonly endpoints: readonly string[];
  readonly agree: number;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly clock: Clock & MonotonicClock;
}
