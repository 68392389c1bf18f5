import type { BlockReference, ChainHeights } from '@vuka/domain';
import type { Clock, Logger, MonotonicClock } from '@vuka/platform';

import type { EndpointState } from '../deposit-reader.js';

import { digestOf, type Testimony } from './agreement.js';
import { readReceipt, type ReceiptQuestion } from './receipt.js';
import { RpcError, type RpcClient } from './rpc-client.js';
import { hashAt, MalformedAnswerError, objectAt, quantityAt } from './rpc-values.js';

/** What the reader has to know of a chain: an EvmChain of libs/domain has it all. */
export interface EvmChainFacts {
  readonly name: string;
  readonly chainId: number;
  /** Usual time between two blocks. */
  readonly blockMs: number;
  /** Contracts in any spelling. */
  readonly tokens: readonly { readonly address: string }[];
  /** `maxTagLagMs`: the tag `finalized` behind the newest block by more is an alarm. */
  readonly finality: { readonly maxTagLagMs: number };
}

export interface EvmEndpointOptions {
  readonly chain: EvmChainFacts;
  /** From 1, in the order of the settings. */
  readonly number: number;
  readonly client: RpcClient;
  readonly clock: Clock & MonotonicClock;
  readonly log: Logger;
}

/** So long one answer about the newest blocks serves all who ask. */
const HEADS_MS = 500;
/** An endpoint whose newest block is older lags: so many blocks of the chain, and at least half a minute. */
const FRESH_BLOCKS = 5;
const FRESH_MS = 30_000;
/** How nodes answer for a tag that they do not know or have not reached, where they do not say null: the execution API, EIP-1474, geth. */
const NO_SUCH_BLOCK: ReadonlySet<string> = new Set(['-39001', '-32001', '-32000', '-32602']);
const RECHECK_MS = 60_000;
const CONTRADICTION_EVERY_MS = 600_000;

/** One endpoint of a chain: what it says, once it has said that it serves that chain. */
export class EvmEndpoint {
  private chainState: 'ok' | 'unknown' | 'wrong_chain' = 'unknown';
  private checkedAtMs = 0;
  private contradictedAtMs: number | undefined;
  private readonly newest: () => Promise<BlockReference>;
  private readonly tags: () => Promise<Pick<ChainHeights, 'safe' | 'finalized'>>;
  private readonly asking: () => Promise<number>;

  constructor(private readonly options: EvmEndpointOptions) {
    const { client, clock } = options;
    this.newest = shared(HEADS_MS, clock, async () => blockOf(await client.call('eth_getBlockByNumber', ['latest', false])) ?? malformed('no latest block'));
    this.tags = shared(HEADS_MS, clock, async () => {
      const [safe, finalized] = await Promise.all([this.tagged('safe'), this.tagged('finalized')]);
      return { safe, finalized };
    });
    this.asking = shared(0, clock, async () => quantityAt(await client.call('eth_chainId', []), 'chain id'));
  }

  get number(): number {
    return this.options.number;
  }

  get state(): EndpointState {
    return this.chainState === 'ok' && this.options.client.isResting ? 'resting' : this.chainState;
  }

  /**
   * Asks which chain it serves. Silence changes nothing: an endpoint that never told is not heard. The id it told; undefined where it
   * told none. Never rejects.
   */
  async checkChain(): Promise<number | undefined> {
    const { chain, clock } = this.options;
    try {
      const told = await this.asking();
      this.checkedAtMs = clock.monotonicMs();
      this.noteChain(told === chain.chainId, told);
      return told;
    } catch (error) {
      troubleOf(error);
      return undefined;
    }
  }

  /** Whether checkChain() is due again: each minute, and at every look while it is not right. */
  get isCheckDue(): boolean {
    return this.chainState !== 'ok' || this.options.clock.monotonicMs() - this.checkedAtMs >= RECHECK_MS;
  }

  /** Never rejects, save for a bug. */
  async look(question: ReceiptQuestion): Promise<Testimony> {
    if (this.chainState === 'unknown') await this.checkChain();
    if (this.chainState !== 'ok') return { kind: 'nothing', why: this.chainState };
    try {
      return await this.testify(question);
    } catch (error) {
      return { kind: 'nothing', why: troubleOf(error) };
    }
  }

  /** Undefined where it does not tell, or not of the right chain. Never rejects, save for a bug. */
  async heights(): Promise<ChainHeights | undefined> {
    if (this.chainState !== 'ok') return undefined;
    try {
      const [{ number: latest }, tags] = await Promise.all([this.newest(), this.tags()]);
      return { latest, ...tags };
    } catch (error) {
      troubleOf(error);
      return undefined;
    }
  }

  /** It told of a block what enough others tell otherwise. Said at most every ten minutes. */
  contradicted(transactionHash: string): void {
    const now = this.options.clock.monotonicMs();
    if (this.contradictedAtMs !== undefined && now - this.contradictedAtMs < CONTRADICTION_EVERY_MS) return;
    this.contradictedAtMs = now;
    this.options.log.error({ ...this.named, code: 'chain_endpoint_contradicts', transaction_hash: transactionHash }, 'an endpoint tells of a block what the others, who agree, tell otherwise: it is outvoted');
  }

  close(): Promise<void> {
    return this.options.client.close();
  }

  private async testify(question: ReceiptQuestion): Promise<Testimony> {
    const { client, clock, chain } = this.options;
    const [answer, newest] = await Promise.all([client.call('eth_getTransactionReceipt', [question.transactionHash]), this.newest()]);
    const receipt = answer === null ? undefined : readReceipt(answer, question);
    if (receipt === undefined) {
      const isFresh = clock.now().getTime() - newest.timeMs <= Math.max(FRESH_MS, FRESH_BLOCKS * chain.blockMs);
      return isFresh ? { kind: 'absent' } : { kind: 'nothing', why: 'lags' };
    }
    const number = `0x${receipt.blockNumber.toString(16)}`;
    const [found, tags] = await Promise.all([client.call('eth_getBlockByNumber', [number, false]), this.tags()]);
    const block = blockOf(found);
    if (block?.hash !== receipt.blockHash || block.number !== receipt.blockNumber) return { kind: 'nothing', why: 'block not canonical' };
    const seen = { succeeded: receipt.succeeded, block, transfers: receipt.transfers };
    return { kind: 'seen', ...seen, heights: { latest: newest.number, ...tags }, digest: digestOf(seen) };
  }

  /** null where there is no such block yet, or the endpoint does not know the tag: both only make a deposit wait. */
  private async tagged(tag: 'safe' | 'finalized'): Promise<number | null> {
    try {
      return blockOf(await this.options.client.call('eth_getBlockByNumber', [tag, false]))?.number ?? null;
    } catch (error) {
      if (error instanceof RpcError && error.trouble === 'refused' && NO_SUCH_BLOCK.has(error.detail)) return null;
      throw error;
    }
  }

  private noteChain(isRight: boolean, told: number): void {
    const was = this.chainState;
    this.chainState = isRight ? 'ok' : 'wrong_chain';
    const { log } = this.options;
    if (!isRight && was !== 'wrong_chain') {
      log.error({ ...this.named, code: 'chain_endpoint_wrong', told_chain_id: told }, 'an endpoint serves another chain and is not heard until it serves this one');
    } else if (isRight && was === 'wrong_chain') {
      log.info(this.named, 'an endpoint serves the right chain again');
    }
  }

  private get named(): { chain: string; endpoint: number } {
    return { chain: this.options.chain.name, endpoint: this.number };
  }
}

function blockOf(answer: unknown): BlockReference | undefined {
  if (answer === null) return undefined;
  const block = objectAt(answer, 'block');
  return {
    number: quantityAt(block['number'], 'block.number'),
    hash: hashAt(block['hash'], 'block.hash'),
    timeMs: quantityAt(block['timestamp'], 'block.timestamp') * 1_000,
  };
}

function malformed(where: string): never {
  throw new MalformedAnswerError(where);
}

/** In our words; throws on what is no trouble of the endpoint but a bug. */
function troubleOf(error: unknown): string {
  if (error instanceof RpcError || error instanceof MalformedAnswerError) return error.message;
  throw error;
}

/** One question for all who ask at once, and for those who ask within `forMs` after its answer came. A failure is not kept. */
function shared<T>(forMs: number, clock: MonotonicClock, ask: () => Promise<T>): () => Promise<T> {
  let asked: Promise<T> | undefined;
  let known: { readonly value: T; readonly atMs: number } | undefined;
  return () => {
    if (asked !== undefined) return asked;
    if (known !== undefined && clock.monotonicMs() - known.atMs < forMs) return Promise.resolve(known.value);
    asked = ask()
      .then((value) => {
        known = { value, atMs: clock.monotonicMs() };
        return value;
      })
      .finally(() => (asked = undefined));
    return asked;
  };
}
