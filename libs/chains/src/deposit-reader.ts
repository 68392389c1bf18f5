import type { Sighting } from '@vuka/domain';

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
  health(): ChainHealth;
}
