import type { BlockReference, ChainHeights, SightedTransfer } from '@vuka/domain';

import type { IncomingTransfer, EndpointState, ScanCursor } from '../deposit-reader.js';

export interface Question {
  readonly transactionId: string;
  readonly address: string;
}

export type Testimony =
  /** In no block, although its newest block is fresh. */
  | { readonly kind: 'absent' }
  | {
      readonly kind: 'seen';
      readonly succeeded: boolean;
      readonly block: BlockReference;
      readonly transfers: readonly SightedTransfer[];
      /** Set if an alias was requested. */
      readonly transactionId?: string;
      readonly heights: ChainHeights;
      /** Over everything except heights. */
      readonly digest: string;
    }
  /** No credible answer. `why`: our words only. */
  | { readonly kind: 'nothing'; readonly why: string };

export type BlockTestimony =
  | { readonly kind: 'block'; readonly hash: string | null; readonly digest: string }
  | { readonly kind: 'nothing'; readonly why: string };

/** Identical for each endpoint, so that answers can be compared. */
export interface PageQuestion {
  /** null: from `heights.latest` on. */
  readonly cursor: ScanCursor | null;
  /**
   * Called with what may still change about the page's end (block hash; '' if final). Endpoints that saw the
   * same get one list, read afterwards.
   */
  readonly addresses: (seen: string) => Promise<readonly string[]>;
  /** Agreed heights; nothing newer is reported. */
  readonly heights: ChainHeights;
  /** Page divisor (1, 2, 4, …) after too large pages. */
  readonly share: number;
}

export type PageTestimony =
  | {
      readonly kind: 'page';
      readonly incomingTransfers: readonly IncomingTransfer[];
      readonly next: ScanCursor;
      readonly isAtHead: boolean;
      readonly scannedTo: number | null;
      readonly digest: string;
    }
  | {
      readonly kind: 'reorganised';
      readonly back: ScanCursor;
      readonly aboveBlock: number;
      readonly scannedTo: number;
      readonly digest: string;
    }
  /** Larger than an answer may be, or refused as too much. */
  | { readonly kind: 'too_large' }
  | { readonly kind: 'nothing'; readonly why: string };

/** Methods reject only for bugs. */
export interface Endpoint {
  /** From 1, in settings order. */
  readonly number: number;
  readonly state: EndpointState;
  /** Each minute; at every check while not confirmed. */
  readonly isCheckDue: boolean;
  /** undefined if silent. Silence does not change the state. */
  checkChain(): Promise<string | undefined>;
  look(question: Question): Promise<Testimony>;
  blockAt(height: number): Promise<BlockTestimony>;
  /** Undefined if silent or the wrong chain. */
  heights(): Promise<ChainHeights | undefined>;
  scanPage(question: PageQuestion): Promise<PageTestimony>;
  /** Alarm, at most every ten minutes. */
  contradicted(transactionId: string): void;
  close(): Promise<void>;
}
