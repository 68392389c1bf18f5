import { fail, isSolanaAddress, ok, type Result, type SolanaChain } from '@vuka/domain';

import { SandboxNodeError, type SandboxHands, type SandboxTransfer, type SentTransfer } from '../sandbox-hands.js';

const TIMEOUT_MS = 10_000;
const UNLISTED_DECIMALS = 6;
const AMOUNT = /^(0|[1-9]\d{0,18})(\.\d{1,18})?$/;
const MOST_MINOR = 2n ** 63n;

/** Calls the node (solana-node.ts), which builds and signs. */
export class SandboxSolana implements SandboxHands {
  constructor(
    private readonly chain: SolanaChain,
    private readonly url: string,
  ) {}

  async transfer({ asset, amount, to, from, mine = true }: SandboxTransfer): Promise<Result<SentTransfer, string>> {
    const token = this.tokenNamed(asset);
    if (!token.ok) return token;
    const value = minorOf(amount, token.value);
    if (!value.ok) return value;
    for (const address of from === undefined ? [to] : [to, from])
      if (!isSolanaAddress(address)) return fail(`the address ${address} must be 32 bytes in base58`);
    const { hash, slot } = await this.ask<{ hash: string; slot: number | null }>('sandbox_transfer', {
      mint: token.value.address,
      amountMinor: String(value.value),
      to,
      from,
      finalize: mine,
    });
    return ok({ hash, blockNumber: slot });
  }

  async mine(blocks: number): Promise<void> {
    if (!Number.isInteger(blocks) || blocks < 1) throw new RangeError('blocks must be a whole number from 1');
    await this.ask('sandbox_advance', blocks);
  }

  /** Replaced by empty slots, only while not final. */
  async reorg(depth: number): Promise<Result<void, string>> {
    if (!Number.isInteger(depth) || depth < 1) throw new RangeError('depth must be a whole number from 1');
    const [slot, finalized] = await Promise.all([
      this.height(),
      this.ask<number>('getSlot', { commitment: 'finalized' }),
    ]);
    if (slot - depth < finalized)
      return fail(
        `${this.chain.name} has finalized all but its newest ${String(slot - finalized)} slots: what is final stays`,
      );
    await this.ask('sandbox_reorg', depth);
    return ok(undefined);
  }

  async stall(on: boolean): Promise<void> {
    await this.ask('sandbox_stall', on);
  }

  /** Slots continue, but none becomes final. */
  async stallFinality(on: boolean): Promise<void> {
    await this.ask('sandbox_stallFinality', on);
  }

  /** Only if not final; later transactions get other slots. */
  async drop(hash: string): Promise<void> {
    await this.ask('sandbox_drop', hash);
  }

  /** 10 SOL, if below half. */
  async fuel(owner: string): Promise<void> {
    await this.ask('sandbox_give', { owner });
  }

  /** Fees, and a million whole units of each token. */
  async endow(owner: string): Promise<void> {
    await this.fuel(owner);
    for (const { address, decimals } of this.chain.tokens)
      await this.ask('sandbox_give', { owner, mint: address, amountMinor: String(10n ** BigInt(decimals + 6)) });
  }

  async height(): Promise<number> {
    return this.ask<number>('getSlot', { commitment: 'processed' });
  }

  close(): void {
    // No connection is kept.
  }

  async ask<T = unknown>(method: string, ...params: unknown[]): Promise<T> {
    let answer: { result?: T; error?: { message: string } };
    try {
      const response = await fetch(this.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      answer = (await response.json()) as typeof answer;
    } catch (error) {
      throw new SandboxNodeError(`the node does not answer ${method}: ${(error as Error).message}`, { cause: error });
    }
    if (answer.error !== undefined) throw new SandboxNodeError(`the node refuses ${method}: ${answer.error.message}`);
    return answer.result as T;
  }

  private tokenNamed(
    asset: string,
  ): Result<{ readonly address: string; readonly decimals: number; readonly symbol: string }, string> {
    const { name, tokens, lookalikes } = this.chain;
    const token = tokens.find(
      ({ symbol, aliases, address }) => symbol === asset || aliases.includes(asset) || address === asset,
    );
    if (token !== undefined) return ok(token);
    const address = lookalikes.find(({ symbol }) => symbol === asset)?.address ?? asset;
    if (isSolanaAddress(address)) return ok({ address, decimals: UNLISTED_DECIMALS, symbol: 'FAKE' });
    return fail(
      `${asset} is no token of ${name}. It has ${tokens.map(({ symbol }) => symbol).join(', ')}; lookalikes: ${lookalikes.map(({ symbol }) => symbol).join(', ') || 'none'}; or give a mint's address`,
    );
  }
}

function minorOf(
  amount: string,
  { decimals, symbol }: { readonly decimals: number; readonly symbol: string },
): Result<bigint, string> {
  if (!AMOUNT.test(amount)) return fail(`the amount must be a decimal number like 12.5, not ${JSON.stringify(amount)}`);
  const [whole = '', places = ''] = amount.split('.');
  if (places.length > decimals)
    return fail(`the amount ${amount} has ${String(places.length)} decimals; ${symbol} has ${String(decimals)}`);
  const minor = BigInt(whole + places.padEnd(decimals, '0'));
  return minor < MOST_MINOR ? ok(minor) : fail(`the amount ${amount} is more than a mint can have`);
}
