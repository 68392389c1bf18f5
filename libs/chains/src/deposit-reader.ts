import type { BlockReference, ChainHeights, SightedTransfer, Sighting } from '@vuka/domain';

/** How an endpoint stands: `unknown` has not told yet which chain it serves, `wrong_chain` told another, `resting` fails too often. */
export type EndpointState = 'ok' | 'unknown' | 'wrong_chain' | 'resting';

/** A chain as its reader sees it. Endpoints have numbers, from 1 in the order of the settings: their URLs hold keys. */
export interface ChainHealth {
  readonly chain: string;
  /** true while enough endpoints stand to agree on anything, else why not. */
  readonly state: true | string;
  readonly endpoints: readonly { readonly number: number; readonly state: EndpointState }[];
  /** Of the last look; null before the first one that came to something. */
  readonly finalityLagBlocks: number | null;
}

/** Something that came to an address of ours, whoever claims it. */
export interface IncomingTransfer extends SightedTransfer {
  /** Canonical. */
  readonly transactionId: string;
  readonly address: string;
  readonly block: BlockReference;
}

/** How far a chain has been looked through. Opaque to whoever keeps it; null: from now on. */
export type ScanCursor = string;

/** Which addresses are looked for, as of the moment when this is asked. */
export type WatchedAddresses = () => Promise<readonly string[]>;

export type Scan =
  /**
   * All there was from the cursor on, up to `next`; `isAtHead`: there is no more at the moment. `scannedTo`: time of the newest block before which everything was
   * looked through, epoch milliseconds; null: no newer one than was told before.
   */
  | {
      readonly kind: 'page';
      readonly incomingTransfers: readonly IncomingTransfer[];
      readonly next: ScanCursor;
      readonly isAtHead: boolean;
      readonly scannedTo: number | null;
    }
  /** The block of the cursor is not the chain's any more: look again from `back`, whose block is of `scannedTo`, and what was found above it is in doubt. */
  | { readonly kind: 'reorganised'; readonly back: ScanCursor; readonly aboveBlock: number; readonly scannedTo: number }
  | { readonly kind: 'trouble'; readonly reason: string };

/** What a chain has at a height. */
export type BlockAt =
  /** null: none, and never one again, since the chain has gone past it without (Solana). */
  { readonly kind: 'block'; readonly hash: string | null } | { readonly kind: 'trouble'; readonly reason: string };

/** What a chain says about deposits to us. Reads alone: it holds no key, and writes nothing anywhere. */
export interface DepositReader {
  /** CELO, …: the name of libs/domain's registry. */
  readonly chain: string;
  /**
   * What became of a transaction, and what of it came to `address`. `transactionId` in canonical spelling, `address` one of ours;
   * `until`: epoch milliseconds by the clock after which nobody waits for the answer any more. Outages, disagreement and lateness are
   * `trouble`, never an exception; an exception is a bug. Nothing is remembered from read to read, not even that a transaction is
   * unknown: that may change with the next block, and who asks decides how often.
   */
  read(transactionId: string, address: string, until: number): Promise<Sighting>;
  /**
   * The same, once every endpoint has spoken or nobody waits for it any more: `not_found` and `failed` only where none of them has it in a
   * block of the chain and succeeded. One that has pruned its history tells of a transaction as of one that never was.
   */
  readByAll(transactionId: string, address: string, until: number): Promise<Sighting>;
  /** Which block enough endpoints agree that the chain has at a height. What they have pruned, and what is not there yet, is trouble. */
  blockAt(height: number, until: number): Promise<BlockAt>;
  /** What enough endpoints agree that the chain has come to; undefined where too few tell. Never rejects, save for a bug. */
  heights(until: number): Promise<ChainHeights | undefined>;
  /**
   * Transfers of listed tokens and lookalikes to any of `addresses` (as `read` takes them), a bounded page of blocks at a time. The addresses are asked for only
   * after the last block of the page was seen, so that one that is not among them yet can be paid in later blocks alone: nothing is missed by a
   * page that was looked through without it. Rejects as `addresses` does.
   */
  scan(cursor: ScanCursor | null, addresses: WatchedAddresses, until: number): Promise<Scan>;
  health(): ChainHealth;
}
