import type { BlockReference, ChainHeights, FinalityRule } from '@vuka/domain';

import { digestOf } from '../reader/agreement.js';
import { BaseEndpoint } from '../reader/base-endpoint.js';
import type { ReaderFacts } from '../reader/chain-reader.js';
import type { EndpointParts } from '../reader/create-reader.js';
import { RpcError } from '../reader/endpoint-client.js';
import type { PageQuestion, PageTestimony, Question, Testimony } from '../reader/endpoint.js';
import { MalformedAnswerError, objectAt } from '../reader/json-values.js';
import { shared } from '../reader/asked-once.js';

import { readReceipt } from './receipt.js';
import { hashAt, quantityAt } from './rpc-values.js';
import { scanPage } from './scan-page.js';

/** Contracts in any spelling. */
export interface EvmChainFacts extends ReaderFacts {
  readonly chainId: number;
  readonly tokens: readonly { readonly address: string }[];
  readonly lookalikes: readonly { readonly address: string }[];
  readonly finality: FinalityRule;
}

/** Cache time of the newest block. */
const HEADS_MS = 500;
/** An endpoint lags if its newest block is older than both. */
const FRESH_BLOCKS = 5;
const FRESH_MS = 30_000;
/** Answers for an unknown tag or block: execution API, EIP-1474, geth. */
const NO_SUCH_BLOCK: ReadonlySet<string> = new Set(['-39001', '-32001', '-32000', '-32602']);

export class EvmEndpoint extends BaseEndpoint<EvmChainFacts> {
  private readonly tokens: ReadonlySet<string>;
  /** Listed tokens, and lookalikes of them. */
  private readonly listed: ReadonlySet<string>;
  private readonly newest: () => Promise<BlockReference>;
  private readonly tags: () => Promise<Pick<ChainHeights, 'safe' | 'finalized'>>;

  constructor(parts: EndpointParts<EvmChainFacts>) {
    super(parts);
    const { chain, clock } = parts;
    this.tokens = new Set(chain.tokens.map(({ address }) => address.toLowerCase()));
    this.listed = new Set([...this.tokens, ...chain.lookalikes.map(({ address }) => address.toLowerCase())]);
    this.newest = shared(HEADS_MS, clock, async () => (await this.block('latest')) ?? malformed('no latest block'));
    this.tags = shared(HEADS_MS, clock, async () => {
      const [safe, finalized] = await Promise.all([this.tagged('safe'), this.tagged('finalized')]);
      return { safe, finalized };
    });
  }

  protected async askIdentity(): Promise<string> {
    return String(quantityAt(await this.parts.client.call('eth_chainId', []), 'chain id'));
  }

  protected async askHeights(): Promise<ChainHeights> {
    const [{ number: latest }, tags] = await Promise.all([this.newest(), this.tags()]);
    return { latest, ...tags };
  }

  protected async testify({ transactionId, address }: Question): Promise<Testimony> {
    const { client, clock, chain } = this.parts;
    const [answer, newest] = await Promise.all([
      client.call('eth_getTransactionReceipt', [transactionId]),
      this.newest(),
    ]);
    const receipt =
      answer === null
        ? undefined
        : readReceipt(answer, { transactionHash: transactionId, address: address.toLowerCase(), tokens: this.tokens });
    if (receipt === undefined) {
      const isFresh = clock.now().getTime() - newest.timeMs <= Math.max(FRESH_MS, FRESH_BLOCKS * chain.blockMs);
      return isFresh ? { kind: 'absent' } : { kind: 'nothing', why: 'lags' };
    }
    const [block, tags] = await Promise.all([this.block(receipt.blockNumber), this.tags()]);
    if (block?.hash !== receipt.blockHash || block.number !== receipt.blockNumber)
      return { kind: 'nothing', why: 'block not canonical' };
    const seen = { succeeded: receipt.succeeded, block, transfers: receipt.transfers };
    return { kind: 'seen', ...seen, heights: { latest: newest.number, ...tags }, digest: digestOf(seen) };
  }

  protected async askBlockHash(height: number): Promise<string | undefined> {
    const block = await this.block(height);
    if (block !== undefined && block.number !== height) malformed('block.number');
    return block?.hash;
  }

  protected askPage(question: PageQuestion): Promise<PageTestimony> {
    const { client, chain } = this.parts;
    return scanPage(question, {
      client,
      listed: this.listed,
      finality: chain.finality,
      blockAt: (number) => this.block(number),
    });
  }

  private async block(which: number | 'latest' | 'safe' | 'finalized'): Promise<BlockReference | undefined> {
    const answer = await this.parts.client.call('eth_getBlockByNumber', [
      typeof which === 'number' ? `0x${which.toString(16)}` : which,
      false,
    ]);
    if (answer === null) return undefined;
    const block = objectAt(answer, 'block');
    return {
      number: quantityAt(block['number'], 'block.number'),
      hash: hashAt(block['hash'], 'block.hash'),
      timeMs: quantityAt(block['timestamp'], 'block.timestamp') * 1_000,
    };
  }

  /** null: no such block or tag. Then a deposit only waits. */
  private async tagged(tag: 'safe' | 'finalized'): Promise<number | null> {
    try {
      return (await this.block(tag))?.number ?? null;
    } catch (error) {
      if (error instanceof RpcError && error.trouble === 'refused' && NO_SUCH_BLOCK.has(error.detail)) return null;
      throw error;
    }
  }
}

function malformed(where: string): never {
  throw new MalformedAnswerError(where);
}
