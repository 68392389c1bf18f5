import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { LocalChain } from '@vuka/local-servers';
import { until } from '@vuka/testing';
import { getAddress, HDNodeWallet, Interface, type InterfaceAbi, type TransactionRequest } from 'ethers';

/** Of the development accounts that anvil funds. Known to everybody. */
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

/** A real node whose blocks are made when a spec says so: one for each transaction, until pool() is called. */
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

  /** A contract of attacks.sol at an address of its own, or at that of a real token. */
  async deploy(name: keyof typeof artifacts, at?: string): Promise<string> {
    if (at !== undefined) {
      await this.rpc('anvil_setCode', [at, artifacts[name].deployedBytecode]);
      return at;
    }
    const hash = await this.send(0, { data: artifacts[name].bytecode });
    return getAddress(String((await this.receipt(hash))['contractAddress']));
  }

  /** Signs as any wallet would; tells the raw transaction. */
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

  /** Signs and sends; tells the hash. */
  async send(account: number, request: TransactionRequest): Promise<string> {
    return this.publish(await this.sign(account, request));
  }

  async publish(raw: string): Promise<string> {
    const hash = await this.rpc<string>('eth_sendRawTransaction', [raw]);
    // A node answers before its block is made.
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

  /** From now on transactions wait until a block is asked for. */
  pool(): Promise<unknown> {
    this.isFlowing = false;
    return this.rpc('evm_setAutomine', [false]);
  }

  /** Back to a block for each transaction, and to an empty pool. */
  async flow(): Promise<void> {
    await this.rpc('anvil_dropAllTransactions');
    await this.rpc('evm_setAutomine', [true]);
    this.isFlowing = true;
    this.nonces.clear();
  }

  /** The last `depth` blocks are made anew, with these transactions in the blocks counted from the first of them. */
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
