import { setTimeout as pause } from 'node:timers/promises';

import { acceptedTokens, fail, ok, type EvmChain, type Result } from '@vuka/domain';
import { parseUnits } from 'ethers';

import { checksumAddress } from '../address/evm-address.js';
import { AnvilClient } from './anvil-client.js';
import { SandboxNodeError, type SandboxHands, type SandboxTransfer, type SentTransfer } from './sandbox-hands.js';
import { SANDBOX_PAYER } from './sandbox-payer.js';
import { balanceSlot, sandboxToken, tokenStorage, word, type SandboxTokenFacts } from './sandbox-token.js';
import { SANDBOX_WALLET_TOKENS } from './wallet-tokens.js';

const LOOKALIKE_DECIMALS = 6;
const GAS = 200_000;
const PLENTY_OF_GAS = 10n ** 24n;
const PLENTY_OF_TOKENS = 2n ** 200n;
const BLOCK_SECONDS = 1;
const MOST_BLOCKS = 10_000;
const MS_PER_SECOND = 1000;
const INCLUDED_WITHIN_MS = 15_000;
const LOOK_EVERY_MS = 50;
const MOST_TRIES = 8;
const AMOUNT = /^(0|[1-9]\d{0,29})(\.\d{1,30})?$/;

/**
 * A real node, with tokens at their real addresses. Block times follow the clock, also after `mine` and
 * `reorg`. Throws SandboxNodeError.
 */
export class SandboxChain implements SandboxHands {
  private readonly node: AnvilClient;

  constructor(
    private readonly chain: EvmChain,
    url: string,
    private readonly now: () => number = Date.now,
  ) {
    this.node = new AnvilClient(url, chain.chainId);
  }

  /** Safe to repeat. */
  async install(): Promise<void> {
    await this.fuel(SANDBOX_PAYER);
    await Promise.all(this.listed().map((token) => this.place(token)));
  }

  /** Tokens and gas, if the wallet has less than half. */
  async endow(wallet: string): Promise<void> {
    await this.fuel(wallet);
    await Promise.all(
      acceptedTokens(this.chain).map(async ({ address, decimals }) => {
        const slot = balanceSlot(wallet);
        const plenty = SANDBOX_WALLET_TOKENS * 10n ** BigInt(decimals);
        const has = BigInt(await this.node.ask<string>('eth_getStorageAt', address, slot, 'latest'));
        if (has < plenty / 2n) await this.node.ask('anvil_setStorageAt', address, slot, word(plenty));
      }),
    );
  }

  /** The error is for people. */
  async transfer({
    asset,
    amount,
    to,
    from = SANDBOX_PAYER,
    mine = true,
    memo,
  }: SandboxTransfer): Promise<Result<SentTransfer, string>> {
    if (memo !== undefined) return fail(`a transfer on ${this.chain.name} has no memo`);
    const token = this.tokenNamed(asset);
    if (!token.ok) return token;
    const value = minorOf(amount, token.value);
    if (!value.ok) return value;
    const [payer, payee] = [checksumAddress(from), checksumAddress(to)];
    if (!payee.ok) return fail(`the address ${to} ${payee.error}`);
    if (!payer.ok) return fail(`the address ${from} ${payer.error}`);
    await this.place(token.value);
    await this.equip(payer.value, token.value.address, value.value);
    const data = sandboxToken().contract.encodeFunctionData('transfer', [payee.value, value.value]);
    const hash = await this.node.ask<string>('eth_sendTransaction', {
      from: payer.value,
      to: token.value.address,
      data,
      gas: word(GAS),
    });
    const isStalled = (await this.node.ask('anvil_getIntervalMining')) === null;
    if (isStalled) return ok({ hash, blockNumber: null });
    if (mine) await this.mine(1 + blocksToFinality(this.chain));
    const blockNumber = await this.blockOf(hash);
    if (mine) await this.finalise(blockNumber);
    return ok({ hash, blockNumber });
  }

  /** At once; no block is later than the clock. */
  async mine(blocks: number): Promise<void> {
    if (!Number.isInteger(blocks) || blocks < 1 || blocks > MOST_BLOCKS)
      throw new RangeError(`blocks must be a whole number from 1 to ${String(MOST_BLOCKS)}`);
    await this.node.ask('anvil_mine', `0x${blocks.toString(16)}`, '0x0');
  }

  /** Replaced by empty blocks, at most as deep as the node remembers. */
  async reorg(depth: number): Promise<Result<void, string>> {
    if (!Number.isInteger(depth) || depth < 1) throw new RangeError('depth must be a whole number from 1');
    await this.node.ask('anvil_reorg', depth, []);
    // Else new blocks would lag behind the clock for ever.
    await this.node.ask('evm_setTime', Math.floor(this.now() / MS_PER_SECOND));
    return ok(undefined);
  }

  /** No blocks meanwhile; transactions wait. */
  async stall(on: boolean): Promise<void> {
    await this.node.ask('evm_setIntervalMining', on ? 0 : BLOCK_SECONDS);
  }

  async height(): Promise<number> {
    return Number(await this.node.ask('eth_blockNumber'));
  }

  close(): void {
    this.node.close();
  }

  private listed(): SandboxTokenFacts[] {
    const tokens = this.chain.tokens.map(({ address, decimals, onchainSymbol }) => ({
      address,
      decimals,
      symbol: onchainSymbol,
    }));
    return [
      ...tokens,
      ...this.chain.lookalikes.map(({ address, symbol }) => ({ address, symbol, decimals: LOOKALIKE_DECIMALS })),
    ];
  }

  private tokenNamed(asset: string): Result<SandboxTokenFacts, string> {
    const { name, tokens, lookalikes } = this.chain;
    const known =
      tokens.find((token) => token.symbol === asset || token.aliases.includes(asset)) ??
      lookalikes.find(({ symbol }) => symbol === asset);
    const address = known?.address ?? asset;
    const listed = this.listed().find((token) => token.address.toLowerCase() === address.toLowerCase());
    if (listed !== undefined) return ok(listed);
    if (!asset.startsWith('0x'))
      return fail(
        `${asset} is no token of ${name}. It has ${tokens.map(({ symbol }) => symbol).join(', ')}; lookalikes: ${lookalikes.map(({ symbol }) => symbol).join(', ') || 'none'}; or give a contract's address`,
      );
    const checked = checksumAddress(asset);
    return checked.ok
      ? ok({ address: checked.value, decimals: LOOKALIKE_DECIMALS, symbol: 'FAKE' })
      : fail(`the contract ${asset} ${checked.error}`);
  }

  /** Keeps another contract at this address. */
  private async place(token: SandboxTokenFacts): Promise<void> {
    if ((await this.node.ask('eth_getCode', token.address, 'latest')) !== '0x') return;
    const storage = [...tokenStorage(token), [balanceSlot(SANDBOX_PAYER), word(PLENTY_OF_TOKENS)]];
    await Promise.all(storage.map(([slot, value]) => this.node.ask('anvil_setStorageAt', token.address, slot, value)));
    // Last: code marks a complete token.
    await this.node.ask('anvil_setCode', token.address, sandboxToken().code);
  }

  private async fuel(payer: string): Promise<void> {
    const has = BigInt(await this.node.ask<string>('eth_getBalance', payer, 'latest'));
    if (has < PLENTY_OF_GAS / 2n) await this.node.ask('anvil_setBalance', payer, word(PLENTY_OF_GAS));
  }

  private async equip(payer: string, token: string, value: bigint): Promise<void> {
    await this.node.ask('anvil_impersonateAccount', payer);
    await this.fuel(payer);
    const slot = balanceSlot(payer);
    const has = BigInt(await this.node.ask<string>('eth_getStorageAt', token, slot, 'latest'));
    if (has < value) await this.node.ask('anvil_setStorageAt', token, slot, word(value));
  }

  /** Some nodes keep `finalized` further behind. */
  private async finalise(blockNumber: number): Promise<void> {
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const { number } = await this.node.ask<{ number: string }>('eth_getBlockByNumber', 'finalized', false);
      if (Number(number) >= blockNumber) return;
      await this.mine(blockNumber - Number(number));
    }
  }

  private async blockOf(hash: string): Promise<number> {
    const giveUpAt = performance.now() + INCLUDED_WITHIN_MS;
    while (performance.now() < giveUpAt) {
      const receipt = await this.node.ask<{ blockNumber: string } | null>('eth_getTransactionReceipt', hash);
      if (receipt !== null) return Number(receipt.blockNumber);
      await pause(LOOK_EVERY_MS);
    }
    throw new SandboxNodeError(`the transaction ${hash} is in no block after ${String(INCLUDED_WITHIN_MS)} ms`);
  }
}

/** Blocks after which any value is final; sandbox tags lag one and two blocks. */
export function blocksToFinality({ finality }: Pick<EvmChain, 'finality'>): number {
  return Math.max(...finality.tiers.map(({ tag, minDepth }) => Math.max(minDepth, tag === null ? 0 : 2)));
}

function minorOf(amount: string, { decimals, symbol }: SandboxTokenFacts): Result<bigint, string> {
  if (!AMOUNT.test(amount)) return fail(`the amount must be a decimal number like 12.5, not ${JSON.stringify(amount)}`);
  const places = amount.split('.')[1]?.length ?? 0;
  return places > decimals
    ? fail(`the amount ${amount} has ${String(places)} decimals; ${symbol} has ${String(decimals)}`)
    : ok(parseUnits(amount, decimals));
}
