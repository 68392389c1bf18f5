import type { BlockReference, ChainHeights, SightedTransfer } from '@vuka/domain';

import type { IncomingTransfer, EndpointState, ScanCursor } from '../deposit-reader.js';

/** `address`: one of ours, in the form of its family. */
export interface Question {
  readonly transactionId: string;
  readonly address: string;
}

export type Testimony =
  /** In no block, although the endpoint's newest block is fresh. */
  | { readonly kind: 'absent' }
  | {
      readonly kind: 'seen';
      readonly succeeded: boolean;
      readonly block: BlockReference;
      readonly transfers: readonly SightedTransfer[];
      /** Canonical id, if it was requested by an alias. */
      readonly transactionId?: string;
      readonly heights: ChainHeights;
      /** `digestOf` everything above except the heights. */
      readonly digest: string;
    }
  /** No credible answer. `why`: our words, never what it sent. */
  | { readonly kind: 'nothing'; readonly why: string };

export type BlockTestimony =
  | { readonly kind: 'block'; readonly hash: string | null; readonly digest: string }
  | { readonly kind: 'nothing'; readonly why: string };

/** All endpoints get the same question, so that answers can be compared. */
export interface PageQuestion {
  /** null: from `heights.latest` on. */
  readonly cursor: ScanCursor | null;
  /**
   * Called with what may still change about the page's end: a block hash, or '' if final. Endpoints that saw
   * the same get the same list, read after the first of them saw it.
   */
  readonly addresses: (seen: string) => Promise<readonly string[]>;
  /** Agreed heights. Nothing newer than `latest` is reported; an endpoint that lags says nothing. */
  readonly heights: ChainHeights;
  /** Divisor of the page size (1, 2, 4, …), raised after a page was too large. */
  readonly share: number;
}

/** `digest`: `pageDigest` of the rest. */
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

/** No method rejects, except for a bug. */
export interface Endpoint {
  /** From 1, in settings order. */
  readonly number: number;
  readonly state: EndpointState;
  /** Due each minute, and at every check while the chain is not confirmed. */
  readonly isCheckDue: boolean;
  /** Returns what the endpoint reported; undefined if nothing. Silence does not change the state. */
  checkChain(): Promise<string | undefined>;
  look(question: Question): Promise<Testimony>;
  blockAt(height: number): Promise<BlockTestimony>;
  /** Undefined if silent or of the wrong chain. */
  heights(): Promise<ChainHeights | undefined>;
  scanPage(question: PageQuestion): Promise<PageTestimony>;
  /** Contradicted by enough others: an alarm, at most every ten minutes. */
  contradicted(transactionId: string): void;
  close(): Promise<void>;
}
