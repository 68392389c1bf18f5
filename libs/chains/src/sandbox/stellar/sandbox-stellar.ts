import { fail, ok, type Result, type StellarChain } from '@vuka/domain';

import { SandboxNodeError, type SandboxHands, type SandboxTransfer, type SentTransfer } from '../sandbox-hands.js';

/** Default payer. Both keys are public: SHA-256 of a name. */
export const SANDBOX_STELLAR_PAYER = 'GCMXV7FVYMFFNZNICMU7OKMJNXZBVLKCNQJ3XW4CQJJSRWFWRYIWARMV';
/** Issues lookalikes under any code. */
export const SANDBOX_STELLAR_FAKE_ISSUER = 'GAPBOVZPBVXOCQ22NKYVEFCYKARHAPIYD6K6ZDDTDVFZA3VMKNQXMCLS';

/**
 * `path`: pays with XLM, two for one. `contract`: by the asset's contract. `claimable`: recipient must claim
 * it.
 */
export type SentKind = 'payment' | 'path' | 'contract' | 'claimable';

export interface StellarPayment {
  /** As SandboxTransfer; also XLM. */
  readonly asset: string;
  readonly amount: string;
  /** G…, M…; C… through a contract. */
  readonly to: string;
  readonly kind?: SentKind;
}

export interface StellarMemo {
  /** `bytes`: text in base64, maybe not UTF-8. `hash` and `return`: hex. */
  readonly type: 'id' | 'text' | 'bytes' | 'hash' | 'return';
  readonly value: string;
}

export interface StellarSend {
  /** In one transaction. */
  readonly payments: readonly StellarPayment[];
  /** G…, M…, or C…; default: the sandbox's payer. */
  readonly from?: string;
  /** Text of digits: an id. */
  readonly memo?: StellarMemo | string;
  readonly feeBump?: boolean;
  /** Included, but failed. */
  readonly fails?: boolean;
  /** Gives recipients missing accounts and trustlines; default true. */
  readonly equips?: boolean;
  readonly mine?: boolean;
}

export interface SentToStellar {
  readonly hash: string;
  /** Of a fee bump. */
  readonly innerHash: string | null;
  /** null while stalled. */
  readonly ledger: number | null;
  /** `tx_success op_success`; null while pending. */
  readonly result: string | null;
}

export interface StellarHolding {
  readonly account: string;
  readonly asset?: string;
  readonly amount?: string;
}

const TIMEOUT_MS = 15_000;

/** The node builds and signs. */
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

  /** The error is for people. */
  send(send: StellarSend): Promise<Result<SentToStellar, string>> {
    return this.ask<SentToStellar>('send', send);
  }

  /** Sets the exact balance, with a trustline; without an asset only the account. */
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
    // No connection is kept.
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
