import type { BlockReference, ChainHeights, Token } from '@vuka/domain';

import { digestOf } from '../reader/agreement.js';
import { BaseEndpoint } from '../reader/base-endpoint.js';
import type { ReaderFacts } from '../reader/chain-reader.js';
import type { EndpointParts } from '../reader/create-reader.js';
import { RpcError } from '../reader/endpoint-client.js';
import type { PageQuestion, PageTestimony, Question, Testimony } from '../reader/endpoint.js';
import { MalformedAnswerError, objectAt } from '../reader/json-values.js';
import { shared } from '../reader/asked-once.js';

import { IncomingTransferPage, type FinalTransactions } from './incoming-transfer-page.js';
import type { OurAccounts } from './our-accounts.js';
import { addressAt, countAt, listAt, readTransaction, UnreadableError, type TransactionFacts } from './transaction.js';

export interface SolanaFacts extends ReaderFacts {
  readonly genesisHash: string;
  readonly tokens: readonly Pick<Token, 'address' | 'program'>[];
}

export type Settled = 'confirmed' | 'finalized';

/** Nodes refuse later versions (-32015). */
const NEWEST_VERSION = 1;
const VERSION_NOT_READ = '-32015';
/** Slot without a block, or lost block. */
const SKIPPED_OR_LOST: ReadonlySet<string> = new Set(['-32007', '-32009']);
const HEADS_MS = 500;
/** Usual are 13 s. Some providers have no times of non-final blocks. */
const FRESH_MS = 60_000;
const UNREADABLE_EVERY_MS = 600_000;

export class SolanaEndpoint extends BaseEndpoint<SolanaFacts> implements FinalTransactions {
  private readonly heads: () => Promise<{ readonly latest: number; readonly finalized: number }>;
  private unreadableAtMs: number | undefined;

  constructor(
    parts: EndpointParts<SolanaFacts>,
    private readonly accounts: OurAccounts,
  ) {
    super(parts);
    this.heads = shared(HEADS_MS, parts.clock, async () => {
      const [latest, finalized] = await Promise.all([this.slotAt('confirmed'), this.slotAt('finalized')]);
      return { latest, finalized };
    });
  }

  /** `undefined`: not at that commitment. Throws UnreadableError, after an alarm. */
  async transaction(
    signature: string,
    accounts: ReadonlyMap<string, string>,
    commitment: Settled,
  ): Promise<TransactionFacts | undefined> {
    try {
      const answer = await this.parts.client.call('getTransaction', [
        signature,
        { encoding: 'json', commitment, maxSupportedTransactionVersion: NEWEST_VERSION },
      ]);
      return readTransaction(answer, { signature, accounts });
    } catch (error) {
      if (!isOurs(error)) throw error;
      this.noteUnreadable(signature, error.message);
      throw new UnreadableError('unreadable transaction');
    }
  }

  /** undefined where the slot has no block. */
  async block(slot: number, commitment: Settled): Promise<BlockReference | undefined> {
    const answer = await this.parts.client.call('getBlock', [
      slot,
      { commitment, transactionDetails: 'none', rewards: false, maxSupportedTransactionVersion: NEWEST_VERSION },
    ]);
    if (answer === null) return undefined;
    const block = objectAt(answer, 'block');
    return {
      number: slot,
      hash: addressAt(block['blockhash'], 'block.blockhash'),
      timeMs: countAt(block['blockTime'], 'block.blockTime') * 1_000,
    };
  }

  /** Epoch ms. */
  async timeAt(slot: number): Promise<number | null> {
    try {
      const told = await this.parts.client.call('getBlockTime', [slot]);
      return told === null ? null : countAt(told, 'block time') * 1_000;
    } catch (error) {
      if (error instanceof RpcError && error.trouble === 'refused') return null;
      throw error;
    }
  }

  /** At a final slot not older than `reached`; undefined if the node lags. At most 100. */
  async existing(accounts: readonly string[], reached: number): Promise<readonly string[] | undefined> {
    const config = {
      commitment: 'finalized',
      encoding: 'base64',
      dataSlice: { offset: 0, length: 0 },
      minContextSlot: reached,
    };
    const answer = objectAt(await this.parts.client.call('getMultipleAccounts', [accounts, config]), 'accounts');
    if (countAt(objectAt(answer['context'], 'accounts.context')['slot'], 'accounts.context.slot') < reached)
      return undefined;
    const told = listAt(answer['value'], 'accounts.value');
    if (told.length !== accounts.length) throw new MalformedAnswerError('accounts.value');
    return accounts.filter((_, place) => told[place] !== null);
  }

  protected async askIdentity(): Promise<string> {
    return addressAt(await this.parts.client.call('getGenesisHash', []), 'genesis hash');
  }

  protected async askHeights(): Promise<ChainHeights> {
    return { ...(await this.heads()), safe: null };
  }

  protected async testify({ transactionId, address }: Question): Promise<Testimony> {
    const accounts = this.accounts.of(address);
    const [final, heads] = await Promise.all([this.transaction(transactionId, accounts, 'finalized'), this.heads()]);
    const facts = final ?? (await this.transaction(transactionId, accounts, 'confirmed'));
    if (facts === undefined)
      return (await this.isFresh(heads.finalized)) ? { kind: 'absent' } : { kind: 'nothing', why: 'lags' };
    const { slot, succeeded, transfers } = facts;
    const block = await this.block(slot, final === undefined ? 'confirmed' : 'finalized');
    if (block === undefined) return { kind: 'nothing', why: 'block not canonical' };
    // Its word on finality wins: answers may come from different moments and machines.
    const finalized = final === undefined ? Math.min(heads.finalized, slot - 1) : Math.max(heads.finalized, slot);
    const seen = { succeeded, block, transfers };
    return {
      kind: 'seen',
      ...seen,
      heights: { latest: Math.max(heads.latest, slot), safe: null, finalized },
      digest: digestOf(seen),
    };
  }

  protected async askBlockHash(height: number): Promise<string | null | undefined> {
    try {
      return (await this.block(height, 'confirmed'))?.hash;
    } catch (error) {
      if (!(error instanceof RpcError) || error.trouble !== 'refused' || !SKIPPED_OR_LOST.has(error.detail))
        throw error;
    }
    return (await this.isSkipped(height)) ? null : undefined;
  }

  protected askPage(question: PageQuestion): Promise<PageTestimony> {
    return new IncomingTransferPage(this, this.parts.client, this.accounts).of(question);
  }

  /** Only the next block's parent proves it: lost blocks have the same answer. */
  private async isSkipped(slot: number): Promise<boolean> {
    const { client } = this.parts;
    const answer = await client.call('getBlocksWithLimit', [slot, 1, { commitment: 'finalized' }]);
    if (!Array.isArray(answer)) throw new MalformedAnswerError('blocks');
    if (answer.length === 0) return false;
    const next = countAt(answer[0], 'blocks[0]');
    if (next <= slot) return false;
    const block = objectAt(
      await client.call('getBlock', [
        next,
        {
          commitment: 'finalized',
          transactionDetails: 'none',
          rewards: false,
          maxSupportedTransactionVersion: NEWEST_VERSION,
        },
      ]),
      'block',
    );
    return countAt(block['parentSlot'], 'block.parentSlot') < slot;
  }

  private async slotAt(commitment: Settled): Promise<number> {
    return countAt(await this.parts.client.call('getSlot', [{ commitment }]), 'slot');
  }

  private async isFresh(finalized: number): Promise<boolean> {
    const { client, clock } = this.parts;
    return (
      clock.now().getTime() - countAt(await client.call('getBlockTime', [finalized]), 'block time') * 1_000 <= FRESH_MS
    );
  }

  private noteUnreadable(signature: string, reason: string): void {
    const { clock, log, chain, number } = this.parts;
    const now = clock.monotonicMs();
    if (this.unreadableAtMs !== undefined && now - this.unreadableAtMs < UNREADABLE_EVERY_MS) return;
    this.unreadableAtMs = now;
    log.error(
      {
        code: 'chain_transaction_unreadable',
        chain: chain.name,
        endpoint: number,
        transaction_hash: signature,
        reason,
      },
      'a transaction is on the chain, but cannot be read here: its deposit waits',
    );
  }
}

/** Exists, but too new, too long or of unknown form. */
function isOurs(error: unknown): error is Error {
  if (error instanceof RpcError)
    return error.trouble === 'too_large' || (error.trouble === 'refused' && error.detail === VERSION_NOT_READ);
  return error instanceof MalformedAnswerError;
}
