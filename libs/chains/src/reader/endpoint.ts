import type { BlockReference, ChainHeights, SightedTransfer } from '@vuka/domain';

import type { IncomingTransfer, EndpointState, ScanCursor } from '../deposit-reader.js';

/** What is asked of a transaction: its canonical id, and an address of ours as its family has it. */
export interface Question {
  readonly transactionId: string;
  readonly address: string;
}

/** What one endpoint told of a transaction. */
export type Testimony =
  /** It knows of none in a block, and its own newest block is fresh. */
  | { readonly kind: 'absent' }
  | {
      readonly kind: 'seen';
      readonly succeeded: boolean;
      readonly block: BlockReference;
      readonly transfers: readonly SightedTransfer[];
      /** Where it was asked for by an alias: its canonical id. */
      readonly transactionId?: string;
      readonly heights: ChainHeights;
      /** `digestOf` all of the above save the heights. */
      readonly digest: string;
    }
  /** It said nothing that could be believed. `why`: in our words, never what it sent. */
  | { readonly kind: 'nothing'; readonly why: string };

/** What one endpoint told of a height: as BlockAt. `digest`: of what it told. */
export type BlockTestimony =
  | { readonly kind: 'block'; readonly hash: string | null; readonly digest: string }
  | { readonly kind: 'nothing'; readonly why: string };

/** A page of incoming transfers is asked of each endpoint in the same words, so that their answers can be compared. */
export interface PageQuestion {
  /** null: from `heights.latest` on. */
  readonly cursor: ScanCursor | null;
  /**
   * What to look for. An endpoint asks with what it has seen of the page's end that could be another one yet: a block's hash, '' where what was agreed on is final.
   * All who have seen the same get one list, as of a moment after the first of them had.
   */
  readonly addresses: (seen: string) => Promise<readonly string[]>;
  /** What enough endpoints have reached: nothing newer than `latest` is told, and an endpoint that is not there yet says nothing. */
  readonly heights: ChainHeights;
  /** 1, 2, 4, …: by what the largest page is divided, after a page was too large. */
  readonly share: number;
}

/** What one endpoint told of a page; kinds as of Scan. `digest`: `pageDigest` of the rest. */
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
  /** More than an answer may hold, or the endpoint refuses so much at once. */
  | { readonly kind: 'too_large' }
  | { readonly kind: 'nothing'; readonly why: string };

/** One endpoint of a chain: what it says, once it has said that it serves that chain. No method rejects, save for a bug. */
export interface Endpoint {
  /** From 1, in the order of the settings. */
  readonly number: number;
  readonly state: EndpointState;
  /** Whether checkChain() is due again: each minute, and at every look while it is not right. */
  readonly isCheckDue: boolean;
  /** Asks which chain it serves. Silence changes nothing: an endpoint that never told is not heard. In words what it told; undefined where it told nothing. */
  checkChain(): Promise<string | undefined>;
  look(question: Question): Promise<Testimony>;
  blockAt(height: number): Promise<BlockTestimony>;
  /** Undefined where it does not tell, or not of the right chain. */
  heights(): Promise<ChainHeights | undefined>;
  scanPage(question: PageQuestion): Promise<PageTestimony>;
  /** It told of a block what enough others tell otherwise: an alarm, at most every ten minutes. */
  contradicted(transactionId: string): void;
  close(): Promise<void>;
}
