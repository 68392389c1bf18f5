import type { BlockReference, ChainHeights, SightedTransfer, Sighting } from '@vuka/domain';

/** `unknown`: has not yet said which chain it serves. `resting`: fails too often. */
export type EndpointState = 'ok' | 'unknown' | 'wrong_chain' | 'resting';

/** Endpoints are numbered from 1 in settings order, because their URLs hold keys. */
export interface ChainHealth {
  readonly chain: string;
  /** true while enough endpoints stand to agree; else the reason. */
  readonly state: true | string;
  readonly endpoints: readonly { readonly number: number; readonly state: EndpointState }[];
  /** From the last check; null before the first one. */
  readonly finalityLagBlocks: number | null;
}

export interface IncomingTransfer extends SightedTransfer {
  readonly transactionId: string;
  readonly address: string;
  readonly block: BlockReference;
}

/** Scan position, opaque to the caller; null: start now. */
export type ScanCursor = string;

export type WatchedAddresses = () => Promise<readonly string[]>;

export type Scan =
  /**
   * All from the cursor up to `next`. `isAtHead`: nothing more at the moment. `scannedTo`: epoch ms of the
   * newest block before which all was scanned; null: unchanged.
   */
  | {
      readonly kind: 'page';
      readonly incomingTransfers: readonly IncomingTransfer[];
      readonly next: ScanCursor;
      readonly isAtHead: boolean;
      readonly scannedTo: number | null;
    }
  /**
   * The cursor's block is no longer on the chain: scan again from `back`, whose time is `scannedTo`.
   * Everything found above `aboveBlock` is in doubt.
   */
  | { readonly kind: 'reorganised'; readonly back: ScanCursor; readonly aboveBlock: number; readonly scannedTo: number }
  | { readonly kind: 'trouble'; readonly reason: string };

export type BlockAt =
  /** null: the chain passed this height without a block (Solana). */
  { readonly kind: 'block'; readonly hash: string | null } | { readonly kind: 'trouble'; readonly reason: string };

/** Read-only: holds no key and writes nothing. */
export interface DepositReader {
  /** Name in libs/domain's registry. */
  readonly chain: string;
  /**
   * The state of a transaction, and its transfers to `address` (one of ours). `transactionId` is canonical.
   * `until`: epoch ms after which nobody waits. Outages and disagreement are `trouble`; an exception is a
   * bug. Nothing is cached, because the next block may change the answer. The caller decides how often to
   * ask.
   */
  read(transactionId: string, address: string, until: number): Promise<Sighting>;
  /**
   * As `read`, but waits for all endpoints. `not_found` and `failed` only if none has it succeeded in a
   * block, because a pruned endpoint reports an old transaction as absent.
   */
  readByAll(transactionId: string, address: string, until: number): Promise<Sighting>;
  /** `trouble` also where the block is pruned or not there yet. */
  blockAt(height: number, until: number): Promise<BlockAt>;
  /** Undefined if too few endpoints answer. Rejects only for a bug. */
  heights(until: number): Promise<ChainHeights | undefined>;
  /**
   * A bounded page of transfers to `addresses`: listed tokens and lookalikes. The addresses are read after
   * the page's last block was seen. So an address added later can only be paid in later blocks, and no
   * deposit is missed. Rejects as `addresses` does.
   */
  scan(cursor: ScanCursor | null, addresses: WatchedAddresses, until: number): Promise<Scan>;
  health(): ChainHealth;
}
