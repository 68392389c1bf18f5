import { randomBytes } from 'node:crypto';

import { openEvmSandbox, SANDBOX_PAYER, type SandboxChain, type SandboxTransfer } from '@vuka/chains';
import { EVM_CHAINS } from '@vuka/domain';
import { askNode, chainFact, tokenNamed, until, type RpcCall } from '@vuka/testing';

/** `transfer(address,uint256)` */
const TRANSFER = '0xa9059cbb';
const GAS = '0x30d40';
const INCLUDED_WITHIN_MS = 60_000;
const PLENTY = `0x${(10n ** 24n).toString(16)}`;

/** Acts on one chain of a running sandbox from outside. */
export class ChainDriver {
  private readonly sandbox: Promise<SandboxChain>;

  constructor(
    readonly name: string,
    readonly url: string,
  ) {
    const chain = EVM_CHAINS.find((one) => one.name === name);
    if (chain === undefined) throw new Error(`${name} is no chain of the sandbox`);
    this.sandbox = openEvmSandbox(chain, url);
  }

  /** Whole tokens; final at once unless `mine` is false. Returns the hash. Throws what is refused. */
  async transfer(transfer: SandboxTransfer): Promise<string> {
    const sent = await (await this.sandbox).transfer(transfer);
    if (!sent.ok) throw new Error(`${this.name}: ${sent.error}`);
    return sent.value.hash;
  }

  /** Minor units; in blocks as the chain makes them. */
  async transferAll(
    transfers: readonly { readonly asset: string; readonly value: bigint; readonly to: string }[],
  ): Promise<readonly string[]> {
    await this.ask('anvil_impersonateAccount', SANDBOX_PAYER);
    // The node takes a batch in any order.
    const first = Number(await this.ask('eth_getTransactionCount', SANDBOX_PAYER, 'pending'));
    const calls = transfers.map(({ asset, value, to }, index): RpcCall => ({
      method: 'eth_sendTransaction',
      params: [
        {
          from: SANDBOX_PAYER,
          to: this.addressOf(asset),
          data: transferData(to, value),
          gas: GAS,
          nonce: `0x${(first + index).toString(16)}`,
        },
      ],
    }));
    return (await askNode(this.url, calls)) as string[];
  }

  /** Sends more tokens than it has: the transaction is in a block, but failed. */
  async failingTransfer(asset: string, to: string): Promise<string> {
    const hash = await this.sendTransaction({
      from: await this.newSender(),
      to: this.addressOf(asset),
      data: transferData(to, 1_000_000n),
    });
    await this.mineToFinality();
    return hash;
  }

  async sendTransaction(fields: Readonly<Record<string, string>>): Promise<string> {
    return (await this.ask('eth_sendTransaction', { gas: GAS, ...fields })) as string;
  }

  async newSender(): Promise<string> {
    const address = `0x${randomBytes(20).toString('hex')}`;
    await this.ask('anvil_impersonateAccount', address);
    await this.ask('anvil_setBalance', address, PLENTY);
    return address;
  }

  async mine(blocks: number): Promise<void> {
    await (await this.sandbox).mine(blocks);
  }

  mineToFinality(): Promise<void> {
    return this.mine(1 + chainFact(this.name).blocksOnTop[2]);
  }

  async included(hash: string): Promise<void> {
    await until(async () => (await this.ask('eth_getTransactionReceipt', hash)) !== null, {
      withinMs: INCLUDED_WITHIN_MS,
      what: `${hash} is in a block`,
    });
  }

  async reorg(depth: number): Promise<void> {
    await (await this.sandbox).reorg(depth);
  }

  async stall(on: boolean): Promise<void> {
    await (await this.sandbox).stall(on);
  }

  async height(): Promise<number> {
    return (await this.sandbox).height();
  }

  async ask(method: string, ...params: readonly unknown[]): Promise<unknown> {
    const call: RpcCall = { method, params };
    return (await askNode(this.url, [call]))[0];
  }

  addressOf(asset: string): string {
    const token = tokenNamed(this.name, asset);
    if (token === undefined) throw new Error(`${asset} is no token of ${this.name}`);
    return token.address;
  }

  async close(): Promise<void> {
    (await this.sandbox).close();
  }
}

/** `value` in minor units. */
export function transferData(to: string, value: bigint): string {
  return TRANSFER + to.slice(2).toLowerCase().padStart(64, '0') + value.toString(16).padStart(64, '0');
}
