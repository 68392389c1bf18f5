import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { LocalChain } from '@vuka/local-servers';
import { until } from '@vuka/testing';
import { getAddress, HDNodeWallet, Interface, type InterfaceAbi, type TransactionRequest } from 'ethers';

/** anvil's public test phrase. */
const PHRASE = 'test test test test test test test test test test test junk';
const GAS = 1_000_000;
const artifacts = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../spec-contracts/attacks.json'), 'utf8'),
) as Record<'Coin' | 'Payer' | 'Forger' | 'Tether', { abi: InterfaceAbi; bytecode: string; deployedBytecode: string }>;

export const accounts = Array.from({ length: 8 }, (_, index) =>
  HDNodeWallet.fromPhrase(PHRASE, '', `m/44'/60'/0'/0/${String(index)}`),
);
export const coin = new Interface(artifacts.Coin.abi);
export const payer = new Interface(artifacts.Payer.abi);
export const forger = new Interface(artifacts.Forger.abi);
export const tether = new Interface(artifacts.Tether.abi);

/** Mines a block per transaction, until pool(). */
export class SpecChain {
  private readonly nonces = new Map<number, number>();
  private isFlowing = true;
  private constructor(
    private readonly node: LocalChain,
    private readonly chainId: number,
  ) {}

  static async of(node: LocalChain, chainId: number): Promise<SpecChain> {
    const chain = new SpecChain(node, chainId);
    await chain.rpc('evm_setIntervalMining', [0]);
    await chain.rpc('evm_setAutomine', [true]);
    return chain;
  }

  get url(): string {
    return this.node.url;
  }

  async rpc<T = unknown>(method: string, params: readonly unknown[] = []): Promise<T> {
    const response = await fetch(this.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      signal: AbortSignal.timeout(5_000),
    });
    const { result, error } = (await response.json()) as { result: T; error?: { message: string } };
    if (error !== undefined) throw new Error(`${method}: ${error.message}`);
    return result;
  }

  /** From attacks.sol; `at`: address of a real token. */
  async deploy(name: keyof typeof artifacts, at?: string): Promise<string> {
    if (at !== undefined) {
      await this.rpc('anvil_setCode', [at, artifacts[name].deployedBytecode]);
      return at;
    }
    const hash = await this.send(0, { data: artifacts[name].bytecode });
    return getAddress(String((await this.receipt(hash))['contractAddress']));
  }

  /** Returns the raw transaction. */
  async sign(account: number, request: TransactionRequest): Promise<string> {
    const nonce = request.nonce ?? (await this.nextNonce(account));
    return accounts[account]!.signTransaction({
      type: 2,
      chainId: this.chainId,
      gasLimit: GAS,
      maxFeePerGas: 100_000_000_000n,
      maxPriorityFeePerGas: 1_000_000_000n,
      ...request,
      nonce,
    });
  }

  /** Returns the hash. */
  async send(account: number, request: TransactionRequest): Promise<string> {
    return this.publish(await this.sign(account, request));
  }

  async publish(raw: string): Promise<string> {
    const hash = await this.rpc<string>('eth_sendRawTransaction', [raw]);
    // The node answers before the block is made.
    if (this.isFlowing)
      await until(() => this.receipt(hash), { withinMs: 5_000, what: 'the transaction to be in a block' });
    return hash;
  }

  async receipt(hash: string): Promise<Record<string, unknown>> {
    return this.rpc('eth_getTransactionReceipt', [hash]);
  }

  async balance(token: string, of: string): Promise<bigint> {
    return BigInt(
      await this.rpc<string>('eth_call', [{ to: token, data: coin.encodeFunctionData('balanceOf', [of]) }, 'latest']),
    );
  }

  mine(blocks: number): Promise<unknown> {
    return this.rpc('anvil_mine', [blocks, 0]);
  }

  /** Transactions wait until mine(). */
  pool(): Promise<unknown> {
    this.isFlowing = false;
    return this.rpc('evm_setAutomine', [false]);
  }

  /** Empties the pool and mines per transaction again. */
  async flow(): Promise<void> {
    await this.rpc('anvil_dropAllTransactions');
    await this.rpc('evm_setAutomine', [true]);
    this.isFlowing = true;
    this.nonces.clear();
  }

  /** Replaces the last `depth` blocks; `transactions` by block index in them. */
  async reorg(depth: number, transactions: readonly (readonly [raw: string, block: number])[] = []): Promise<void> {
    await this.rpc('anvil_reorg', [depth, transactions]);
    this.nonces.clear();
  }

  private async nextNonce(account: number): Promise<number> {
    const known =
      this.nonces.get(account) ??
      Number(await this.rpc<string>('eth_getTransactionCount', [accounts[account]!.address, 'latest']));
    this.nonces.set(account, known + 1);
    return known;
  }
}
