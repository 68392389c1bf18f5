import { fail, ok, type Result, type StellarChain } from '@vuka/domain';

import { SandboxNodeError, type SandboxHands, type SandboxTransfer, type SentTransfer } from '../sandbox-hands.js';

/** Pays where nobody is named; its key, and the one below, are in no secret: SHA-256 of a name. */
export const SANDBOX_STELLAR_PAYER = 'GCMXV7FVYMFFNZNICMU7OKMJNXZBVLKCNQJ3XW4CQJJSRWFWRYIWARMV';
/** Issues anything under any code, and is nobody. */
export const SANDBOX_STELLAR_FAKE_ISSUER = 'GAPBOVZPBVXOCQ22NKYVEFCYKARHAPIYD6K6ZDDTDVFZA3VMKNQXMCLS';

/** `path`: the sender gives XLM, two for one. `contract`: through the asset's own contract. `claimable`: left for the recipient to come for. */
export type SentKind = 'payment' | 'path' | 'contract' | 'claimable';

export interface StellarPayment {
  /** As of SandboxTransfer; XLM as well. */
  readonly asset: string;
  readonly amount: string;
  /** G…, M…; where it goes through a contract, C… as well. */
  readonly to: string;
  readonly kind?: SentKind;
}

export interface StellarMemo {
  /** `bytes`: a text that need not be UTF-8, in base64. `hash` and `return`: in hex. */
  readonly type: 'id' | 'text' | 'bytes' | 'hash' | 'return';
  readonly value: string;
}

export interface StellarSend {
  /** All in one transaction. */
  readonly payments: readonly StellarPayment[];
  /** G…, M…, or C… where a contract pays; the sandbox's payer where absent. */
  readonly from?: string;
  /** A text: digits are an id. */
  readonly memo?: StellarMemo | string;
  readonly feeBump?: boolean;
  /** In the ledger and failed: nothing moved. */
  readonly fails?: boolean;
  /** Whether recipients are given what they lack, an account and a trustline; true where absent. */
  readonly equips?: boolean;
  readonly mine?: boolean;
}

export interface SentToStellar {
  readonly hash: string;
  /** Of a fee bump's inner transaction. */
  readonly innerHash: string | null;
  /** null while the network is stalled. */
  readonly ledger: number | null;
  /** `tx_success op_success`; null until it is in a ledger. */
  readonly result: string | null;
}

export interface StellarHolding {
  readonly account: string;
  readonly asset?: string;
  readonly amount?: string;
}

const TIMEOUT_MS = 15_000;

/** Hands on the sandbox's Stellar: a network of one, in Horizon's format. What is signed and built there is done by its node. */
export class SandboxStellar implements SandboxHands {
  private readonly base: string;

  constructor(
    private readonly chain: Pick<StellarChain, 'name'>,
    url: string,
  ) {
    this.base = url.replace(/\/$/, '');
  }

  async transfer({
    asset,
    amount,
    to,
    from,
    mine = true,
    memo,
  }: SandboxTransfer): Promise<Result<SentTransfer, string>> {
    const sent = await this.send({
      payments: [{ asset, amount, to }],
      mine,
      ...(from !== undefined && { from }),
      ...(memo !== undefined && { memo }),
    });
    return sent.ok ? ok({ hash: sent.value.hash, blockNumber: sent.value.ledger }) : sent;
  }

  /** Anything that Stellar has ways for. The error, for people, is what is wrong with the request. */
  send(send: StellarSend): Promise<Result<SentToStellar, string>> {
    return this.ask<SentToStellar>('send', send);
  }

  /** Makes an account hold exactly so much of an asset, with a trustline; without an asset the account alone. */
  async hold(holding: StellarHolding): Promise<void> {
    const held = await this.ask<null>('hold', holding);
    if (!held.ok) throw new SandboxNodeError(held.error);
  }

  async mine(blocks: number): Promise<void> {
    const made = await this.ask<null>('mine', { ledgers: blocks });
    if (!made.ok) throw new RangeError(made.error);
  }

  reorg(): Promise<Result<void, string>> {
    return Promise.resolve(fail(`${this.chain.name} has no reorganisations: a ledger that is closed is final`));
  }

  async stall(on: boolean): Promise<void> {
    await this.ask('stall', { on });
  }

  async height(): Promise<number> {
    const height = await this.ask<number>('height', {});
    if (!height.ok) throw new SandboxNodeError(height.error);
    return height.value;
  }

  close(): void {
    // Keeps no connection of its own.
  }

  private async ask<T>(what: string, body: unknown): Promise<Result<T, string>> {
    try {
      const init = {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      };
      const response = await fetch(`${this.base}/sandbox/${what}`, init);
      if (!response.ok) throw new Error(`it answers ${String(response.status)}`);
      const answer = (await response.json()) as { ok: T } | { refused: string };
      return 'refused' in answer ? fail(answer.refused) : ok(answer.ok);
    } catch (error) {
      throw new SandboxNodeError(`the node does not ${what}: ${(error as Error).message}`, { cause: error });
    }
  }
}
