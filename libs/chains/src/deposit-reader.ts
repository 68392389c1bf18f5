import type { BlockReference, ChainHeights, SightedTransfer, Sighting } from '@vuka/domain';

/** `unknown`: has not yet said which chain it serves. `resting`: fails too often. */
export type EndpointState = 'ok' | 'unknown' | 'wrong_chain' | 'resting';

/** Endpoints are numbered from 1, because their URLs hold keys. */
export interface ChainHealth {
  readonly chain: string;
  /** true while enough endpoints can agree; else the reason. */
  readonly state: true | string;
  readonly endpoints: readonly { readonly number: number; readonly state: EndpointState }[];
  /** null before the first check. */
  readonly finalityLagBlocks: number | null;
}

export interface IncomingTransfer extends SightedTransfer {
  readonly transactionId: string;
  readonly address: string;
  readonly block: BlockReference;
}

/** Opaque to the caller; null: start now. */
export type ScanCursor = string;

export type WatchedAddresses = () => Promise<readonly string[]>;

export type Scan =
  /**
   * `isAtHead`: nothing more at the moment. `scannedTo`: epoch ms of the newest block before which all was
   * scanned; null: unchanged.
   */
  | {
      readonly kind: 'page';
      readonly incomingTransfers: readonly IncomingTransfer[];
      readonly next: ScanCursor;
      readonly isAtHead: boolean;
      readonly scannedTo: number | null;
    }
  /**
   * The cursor's block left the chain: scan again from `back`. What was found above `aboveBlock` is in doubt.
   */
  | { readonly kind: 'reorganised'; readonly back: ScanCursor; readonly aboveBlock: number; readonly scannedTo: number }
  | { readonly kind: 'trouble'; readonly reason: string };

export type BlockAt =
  /** null: the chain passed this height without a block (Solana). */
  { readonly kind: 'block'; readonly hash: string | null } | { readonly kind: 'trouble'; readonly reason: string };

/** Holds no key and writes nothing. */
export interface DepositReader {
  readonly chain: string;
  /**
   * Reports a transaction (canonical id) and its transfers to `address`, one of ours. `until`: epoch ms after
   * which nobody waits.
   * Outages and disagreement are `trouble`; an exception is a bug. Nothing is cached, because the next block
   * may change it.
   */
  read(transactionId: string, address: string, until: number): Promise<Sighting>;
  /**
   * Waits for all endpoints. `not_found` and `failed` only if none has it succeeded in a block, because a
   * pruned endpoint reports it as absent.
   */
  readByAll(transactionId: string, address: string, until: number): Promise<Sighting>;
  /** Pruned or future blocks are `trouble`. */
  blockAt(height: number, until: number): Promise<BlockAt>;
  /** Undefined if too few endpoints answer. Rejects only for a bug. */
  heights(until: number): Promise<ChainHeights | undefined>;
  /**
   * A bounded page of transfers of listed tokens and lookalikes. Addresses are read after the page's last
   * block was seen. So a later address can only be paid in later blocks, and no deposit is missed.
   */
  scan(cursor: ScanCursor | null, addresses: WatchedAddresses, until: number): Promise<Scan>;
  health(): ChainHealth;
}
