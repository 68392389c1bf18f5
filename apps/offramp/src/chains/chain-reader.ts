import type { BlockReference, Chain, ChainHeights, SightedTransfer, Sighting } from '@vuka/domain';

/** Says what a chain knows of a transaction and an address of ours (libs/chains DepositReader). */
export interface ReadsDeposits {
  read(transactionId: string, address: string, until: number): Promise<Sighting>;
  /** The same, once all endpoints have spoken: one that sees it is enough against those who know nothing of it. */
  readByAll(transactionId: string, address: string, until: number): Promise<Sighting>;
  /** `hash` null: the chain went past that height without a block. */
  blockAt(
    height: number,
    until: number,
  ): Promise<
    { readonly kind: 'block'; readonly hash: string | null } | { readonly kind: 'trouble'; readonly reason: string }
  >;
  heights(until: number): Promise<ChainHeights | undefined>;
}

/** As a chain's reader tells it (libs/chains Arrival). */
export interface ToldIncomingTransfer extends SightedTransfer {
  readonly transactionId: string;
  readonly address: string;
  readonly block: BlockReference;
}

/** One page of what arrived on a chain (libs/chains Scan). */
export type ScannedPage =
  | {
      readonly kind: 'page';
      readonly incomingTransfers: readonly ToldIncomingTransfer[];
      readonly next: string;
      readonly isAtHead: boolean;
      readonly scannedTo: number | null;
    }
  | { readonly kind: 'reorganised'; readonly back: string; readonly aboveBlock: number; readonly scannedTo: number }
  | { readonly kind: 'trouble'; readonly reason: string };

/** Looks a chain through for what came to addresses (libs/chains DepositReader). */
export interface ScansIncomingTransfers {
  scan(cursor: string | null, addresses: () => Promise<readonly string[]>, until: number): Promise<ScannedPage>;
}

export interface ChainReader extends ReadsDeposits, ScansIncomingTransfers {
  close(): Promise<void>;
}

/** A chain that is read here. */
export interface ServedChain {
  readonly chain: Chain;
  readonly reader: ReadsDeposits;
}

/** A chain that is looked through here. */
export interface ScannedChain {
  readonly chain: Chain;
  readonly reader: ScansIncomingTransfers;
}

/** Chains by their names. */
export type ChainsByName<C> = Pick<ReadonlyMap<string, C>, 'get' | 'keys' | 'values'>;

/** ReadonlySet<string>: names of the chains that are read here. */
export const SERVED_CHAIN_NAMES = Symbol('SERVED_CHAIN_NAMES');
/** number, for tests: how long a chain may take for one answer, in milliseconds. */
export const READ_WITHIN_MS = Symbol('READ_WITHIN_MS');
