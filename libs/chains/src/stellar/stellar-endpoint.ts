import { tokenIdentity, type BlockReference, type ChainHeights, type SightedTransfer } from '@vuka/domain';

import { digestOf } from '../reader/agreement.js';
import { BaseEndpoint } from '../reader/base-endpoint.js';
import type { ReaderFacts } from '../reader/chain-reader.js';
import type { EndpointParts } from '../reader/create-reader.js';
import type { PageQuestion, PageTestimony, Question, Testimony } from '../reader/endpoint.js';
import { MalformedAnswerError } from '../reader/json-values.js';
import { shared } from '../reader/asked-once.js';

import { Horizon, type Newest } from './horizon.js';
import { movementsTo, type Movement } from './movements.js';
import { scanPage } from './payments-page.js';
import { readAddress, routeOf } from './routing.js';

export interface StellarChainFacts extends ReaderFacts {
  readonly family: 'stellar';
  readonly networkPassphrase: string;
  readonly tokens: readonly { readonly address: string; readonly onchainSymbol: string }[];
}

/** Cache time of the newest ledger. */
const HEADS_MS = 500;
/** An endpoint lags if its newest ledger is older than both. */
const FRESH_LEDGERS = 5;
const FRESH_MS = 30_000;
const PASSPHRASE = /^[\x20-\x7e]{1,100}$/;
/** Size of the address cache. */
const MOST_ADDRESSES = 200_000;
/** Bound for unlisted assets. */
const MOST_UNKNOWN = 20;

/** A closed ledger is final, so `finalized` is the newest one. */
export class StellarEndpoint extends BaseEndpoint<StellarChainFacts> {
  private readonly horizon: Horizon;
  private readonly listed: ReadonlySet<string>;
  private readonly newest: () => Promise<Newest>;
  private readonly accounts = new Map<string, string>();

  constructor(parts: EndpointParts<StellarChainFacts>) {
    super(parts);
    const { chain, client, clock } = parts;
    this.horizon = new Horizon(client);
    this.listed = new Set(chain.tokens.map((token) => tokenIdentity(chain, token)));
    this.newest = shared(HEADS_MS, clock, () => this.horizon.newest());
  }

  protected async askIdentity(): Promise<string> {
    const { networkPassphrase } = await this.horizon.newest();
    if (!PASSPHRASE.test(networkPassphrase)) throw new MalformedAnswerError('network_passphrase');
    return networkPassphrase;
  }

  protected async askHeights(): Promise<ChainHeights> {
    return heightsAt((await this.newest()).ledger);
  }

  protected async testify({ transactionId, address }: Question): Promise<Testimony> {
    const [transaction, newest] = await Promise.all([this.horizon.transaction(transactionId), this.newest()]);
    if (transaction === undefined) return this.isFresh(newest) ? { kind: 'absent' } : { kind: 'nothing', why: 'lags' };
    const [block, operations] = await Promise.all([
      this.ledger(transaction.ledger),
      transaction.succeeded ? this.horizon.operations(transactionId, transaction.operations) : [],
    ]);
    if (block.timeMs !== transaction.timeMs) throw new MalformedAnswerError('ledger.closed_at');
    const { account, id } = readAddress(address);
    const transfers = operations
      .flatMap((operation) => movementsTo(account, operation, transaction))
      .filter(({ muxedId }) => routeOf(muxedId, transaction.memo) === id);
    const alias = transaction.transactionId === transactionId ? {} : { transactionId: transaction.transactionId };
    const seen = { succeeded: transaction.succeeded, block, transfers: this.told(transfers), ...alias };
    // Reporting a ledger proves this height.
    return { kind: 'seen', ...seen, heights: heightsAt(Math.max(newest.ledger, block.number)), digest: digestOf(seen) };
  }

  protected async askBlockHash(height: number): Promise<string | undefined> {
    return (await this.horizon.ledger(height))?.hash;
  }

  protected async askPage(question: PageQuestion): Promise<PageTestimony> {
    const newest = await this.newest();
    if (newest.ledger < question.heights.latest) return { kind: 'nothing', why: 'lags' };
    return scanPage(question, {
      horizon: this.horizon,
      listed: this.listed,
      ledgerAt: (ledger) => this.ledger(ledger),
      accountOf: (address) => this.accountOf(address),
    });
  }

  /** Parsing is slow, and pages have many. */
  private accountOf(address: string): string {
    const known = this.accounts.get(address);
    if (known !== undefined) return known;
    const { account } = readAddress(address);
    if (this.accounts.size >= MOST_ADDRESSES) this.accounts.clear();
    this.accounts.set(address, account);
    return account;
  }

  private async ledger(ledger: number): Promise<BlockReference> {
    const block = await this.horizon.ledger(ledger);
    if (block === undefined) throw new MalformedAnswerError('a ledger that is not there');
    return block;
  }

  private told(movements: readonly Movement[]): SightedTransfer[] {
    let unknown = 0;
    return movements
      .filter(({ token }) => this.listed.has(token) || unknown++ < MOST_UNKNOWN)
      .map(({ token, from, value, ordinal }) => ({ token, from, value, ordinal }));
  }

  private isFresh({ closedAtMs }: Newest): boolean {
    const { clock, chain } = this.parts;
    return clock.now().getTime() - closedAtMs <= Math.max(FRESH_MS, FRESH_LEDGERS * chain.blockMs);
  }
}

const heightsAt = (ledger: number): ChainHeights => ({ latest: ledger, safe: null, finalized: ledger });
