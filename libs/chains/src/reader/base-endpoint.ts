import type { ChainHeights } from '@vuka/domain';

import type { EndpointState } from '../deposit-reader.js';

import type { ReaderFacts } from './chain-reader.js';
import type { EndpointParts } from './create-reader.js';
import { troubleOf } from './endpoint-client.js';
import type { BlockTestimony, Endpoint, PageQuestion, PageTestimony, Question, Testimony } from './endpoint.js';
import { shared } from './asked-once.js';

const RECHECK_MS = 60_000;
const CONTRADICTION_EVERY_MS = 600_000;

/**
 * Asked nothing before it confirmed its chain. RpcError and MalformedAnswerError become `nothing`; other
 * errors are bugs.
 */
export abstract class BaseEndpoint<Facts extends ReaderFacts> implements Endpoint {
  private chainState: 'ok' | 'unknown' | 'wrong_chain' = 'unknown';
  private checkedAtMs = 0;
  private contradictedAtMs: number | undefined;
  private readonly asking: () => Promise<string>;

  constructor(protected readonly parts: EndpointParts<Facts>) {
    this.asking = shared(0, parts.clock, () => this.askIdentity());
  }

  /** Form is checked, because people see it. */
  protected abstract askIdentity(): Promise<string>;
  protected abstract askHeights(): Promise<ChainHeights>;
  protected abstract testify(question: Question): Promise<Testimony>;
  /** null: never a block at this height; undefined: cannot tell. */
  protected abstract askBlockHash(height: number): Promise<string | null | undefined>;
  protected abstract askPage(question: PageQuestion): Promise<PageTestimony>;

  get number(): number {
    return this.parts.number;
  }

  get state(): EndpointState {
    return this.chainState === 'ok' && this.parts.client.isResting ? 'resting' : this.chainState;
  }

  get isCheckDue(): boolean {
    return this.chainState !== 'ok' || this.parts.clock.monotonicMs() - this.checkedAtMs >= RECHECK_MS;
  }

  async checkChain(): Promise<string | undefined> {
    try {
      const told = await this.asking();
      this.checkedAtMs = this.parts.clock.monotonicMs();
      this.noteChain(told);
      return told;
    } catch (error) {
      troubleOf(error);
      return undefined;
    }
  }

  async heights(): Promise<ChainHeights | undefined> {
    if (this.chainState !== 'ok') return undefined;
    try {
      return await this.askHeights();
    } catch (error) {
      troubleOf(error);
      return undefined;
    }
  }

  look(question: Question): Promise<Testimony> {
    return this.heard(() => this.testify(question));
  }

  blockAt(height: number): Promise<BlockTestimony> {
    return this.heard(async () => {
      const hash = await this.askBlockHash(height);
      return hash === undefined
        ? { kind: 'nothing', why: 'no such block' }
        : { kind: 'block', hash, digest: String(hash) };
    });
  }

  scanPage(question: PageQuestion): Promise<PageTestimony> {
    return this.heard(() => this.askPage(question));
  }

  contradicted(transactionId: string): void {
    const now = this.parts.clock.monotonicMs();
    if (this.contradictedAtMs !== undefined && now - this.contradictedAtMs < CONTRADICTION_EVERY_MS) return;
    this.contradictedAtMs = now;
    this.parts.log.error(
      { ...this.named, code: 'chain_endpoint_contradicts', transaction_hash: transactionId },
      'an endpoint contradicts the others about a block and is outvoted',
    );
  }

  close(): Promise<void> {
    return this.parts.client.close();
  }

  private async heard<Told>(
    ask: () => Promise<Told>,
  ): Promise<Told | { readonly kind: 'nothing'; readonly why: string }> {
    if (this.chainState === 'unknown') await this.checkChain();
    if (this.chainState !== 'ok') return { kind: 'nothing', why: this.chainState };
    try {
      return await ask();
    } catch (error) {
      return { kind: 'nothing', why: troubleOf(error) };
    }
  }

  private noteChain(told: string): void {
    const was = this.chainState;
    const isRight = told === this.parts.identity;
    this.chainState = isRight ? 'ok' : 'wrong_chain';
    const { log } = this.parts;
    if (!isRight && was !== 'wrong_chain') {
      log.error(
        { ...this.named, code: 'chain_endpoint_wrong', told_chain_id: told },
        'an endpoint serves another chain and is ignored until it serves this one',
      );
    } else if (isRight && was === 'wrong_chain') {
      log.info(this.named, 'an endpoint serves the right chain again');
    }
  }

  private get named(): { chain: string; endpoint: number } {
    return { chain: this.parts.chain.name, endpoint: this.number };
  }
}
