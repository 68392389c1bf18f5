import type { BlockReference, Chain, ChainHeights, SightedTransfer, Sighting } from '@vuka/domain';

/** See libs/chains DepositReader. */
export interface ReadsDeposits {
  read(transactionId: string, address: string, until: number): Promise<Sighting>;
  /** Waits for all endpoints: one that sees it outweighs the others. */
  readByAll(transactionId: string, address: string, until: number): Promise<Sighting>;
  /** `hash` null: the chain has no block at that height. */
  blockAt(
    height: number,
    until: number,
  ): Promise<
    { readonly kind: 'block'; readonly hash: string | null } | { readonly kind: 'trouble'; readonly reason: string }
  >;
  heights(until: number): Promise<ChainHeights | undefined>;
}

/** See libs/chains Arrival. */
export interface ToldIncomingTransfer extends SightedTransfer {
  readonly transactionId: string;
  readonly address: string;
  readonly block: BlockReference;
}

/** See libs/chains Scan. */
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

export interface ScansIncomingTransfers {
  scan(cursor: string | null, addresses: () => Promise<readonly string[]>, until: number): Promise<ScannedPage>;
}

export interface ChainReader extends ReadsDeposits, ScansIncomingTransfers {
  close(): Promise<void>;
}

export interface ServedChain {
  readonly chain: Chain;
  readonly reader: ReadsDeposits;
}

export interface ScannedChain {
  readonly chain: Chain;
  readonly reader: ScansIncomingTransfers;
}

export type ChainsByName<C> = Pick<ReadonlyMap<string, C>, 'get' | 'keys' | 'values'>;

/** ReadonlySet<string>. */
export const SERVED_CHAIN_NAMES = Symbol('SERVED_CHAIN_NAMES');
/** number, for tests: ms for one answer of a chain. */
export const READ_WITHIN_MS = Symbol('READ_WITHIN_MS');
