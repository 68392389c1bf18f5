import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EVM_CHAINS, isFinal, type EvmChain } from '@vuka/domain';
import { describeWithAnvil, startLocalChain, type LocalChain } from '@vuka/local-servers';
import { createLogger } from '@vuka/runtime';
import { until } from '@vuka/testing';
import { JsonRpcProvider } from 'ethers';

import { SandboxChain } from './sandbox-chain.js';
import { SANDBOX_PAYER } from './sandbox-payer.js';
import { sandboxToken } from './sandbox-token.js';

const log = createLogger('test', { level: 'silent' });
const MS_PER_SECOND = 1000;
const TO = '0x1111111111111111111111111111111111111111';
const [CELO, BNB, ARBITRUM] = (['CELO', 'BNB', 'ARBITRUM'] as const).map((wanted) =>
  EVM_CHAINS.find(({ name }) => name === wanted)!,
) as [EvmChain, EvmChain, EvmChain];

interface Fixture {
  readonly chain: EvmChain;
  readonly node: LocalChain;
  readonly sandbox: SandboxChain;
  readonly provider: JsonRpcProvider;
}

describeWithAnvil(describe)('a chain of the sandbox', () => {
  let work: string;
  const fixtures: Fixture[] = [];

  const fixtureOf = async (chain: EvmChain): Promise<Fixture> => {
    const node = await startLocalChain({ folder: join(work, chain.name), chainId: chain.chainId, log });
    const sandbox = new SandboxChain(chain, node.url);
    await sandbox.install();
    const fixture = {
      chain,
      node,
      sandbox,
      provider: new JsonRpcProvider(node.url, chain.chainId, { staticNetwork: true, cacheTimeout: -1 }),
    };
    fixtures.push(fixture);
    return fixture;
  };
  const read = async ({ provider }: Fixture, token: string, name: string, ...args: unknown[]): Promise<unknown> => {
    const { contract } = sandboxToken();
    return contract.decodeFunctionResult(
      name,
      await provider.call({ to: token, data: contract.encodeFunctionData(name, args) }),
    )[0];
  };
  const sent = async (
    { sandbox }: Fixture,
    transfer: { asset: string; amount: string; to?: string; from?: string; mine?: boolean },
  ): Promise<{ hash: string; blockNumber: number | null }> => {
    const result = await sandbox.transfer({ to: TO, ...transfer });
    if (!result.ok) throw new Error(result.error);
    return result.value;
  };
  const heights = async ({ provider }: Fixture): Promise<{ latest: number; safe: number; finalized: number }> => {
    const [latest, safe, finalized] = await Promise.all(
      (['latest', 'safe', 'finalized'] as const).map(async (tag) => (await provider.getBlock(tag))!.number),
    );
    return { latest: latest!, safe: safe!, finalized: finalized! };
  };

  let celo: Fixture;
  beforeAll(async () => {
    work = await mkdtemp(join(tmpdir(), 'vuka-sandbox-chain-'));
    celo = await fixtureOf(CELO);
  }, 60_000);
  afterAll(async () => {
    for (const { sandbox, provider } of fixtures) {
      sandbox.close();
      provider.destroy();
    }
    await Promise.all(fixtures.map(({ node }) => node.stop()));
    await rm(work, { recursive: true, force: true });
  }, 60_000);

  it.each([CELO, BNB, ARBITRUM])(
    '$name has each token at its real address, and a transfer of any is final at once',
    async (chain) => {
      const fixture = chain === CELO ? celo : await fixtureOf(chain);
      for (const token of chain.tokens) {
        expect(await read(fixture, token.address, 'decimals')).toBe(BigInt(token.decimals));
        expect(await read(fixture, token.address, 'symbol')).toBe(token.onchainSymbol);
        const before = (await read(fixture, token.address, 'balanceOf', TO)) as bigint;
        const { hash, blockNumber } = await sent(fixture, { asset: token.symbol, amount: '12.5' });
        const receipt = (await fixture.provider.getTransactionReceipt(hash))!;
        expect(receipt).toMatchObject({ status: 1, blockNumber });
        expect(receipt.logs).toHaveLength(1);
        expect(receipt.logs[0]!.address).toBe(token.address);
        expect(sandboxToken().contract.parseLog(receipt.logs[0]!)!.args.toArray().map(String)).toEqual([
          expect.stringMatching(new RegExp(SANDBOX_PAYER, 'i')),
          TO,
          String(125n * 10n ** BigInt(token.decimals - 1)),
        ]);
        expect(((await read(fixture, token.address, 'balanceOf', TO)) as bigint) - before).toBe(
          125n * 10n ** BigInt(token.decimals - 1),
        );
        for (const cents of [1n, 2_000_00n, 10n ** 12n])
          expect(isFinal(chain.finality, cents, await heights(fixture), receipt.blockNumber)).toBe(true);
      }
    },
    60_000,
  );

  it('installs again without a change', async () => {
    const root = async (): Promise<string | null> => {
      await celo.sandbox.mine(1);
      return (await celo.provider.getBlock('latest'))!.stateRoot;
    };
    const before = await root();
    await celo.sandbox.install();
    expect(await root()).toBe(before);
  }, 30_000);

  it('sends in the name of anybody, whom it gives what is needed', async () => {
    const from = '0x2222222222222222222222222222222222222222';
    const { hash } = await sent(celo, { asset: 'USDT', amount: '0.000001', from });
    expect((await celo.provider.getTransactionReceipt(hash))!.from).toBe(from);
  }, 30_000);

  it('endows a wallet once with all that it may be asked to send, and fills it up', async () => {
    const wallet = '0x4444444444444444444444444444444444444444';
    await celo.sandbox.endow(wallet);
    const [usdc] = CELO.tokens;
    expect(await read(celo, usdc!.address, 'balanceOf', wallet)).toBe(10n ** 15n);
    expect(await celo.provider.getBalance(wallet)).toBeGreaterThan(10n ** 18n);
    await sent(celo, { asset: usdc!.symbol, amount: '1', from: wallet });
    await celo.sandbox.endow(wallet);
    expect(await read(celo, usdc!.address, 'balanceOf', wallet)).toBe(10n ** 15n - 10n ** 6n);
  }, 30_000);

  it('sends lookalikes and contracts that nobody knows', async () => {
    const [lookalike] = CELO.lookalikes;
    const unknown = '0x3333333333333333333333333333333333333333';
    for (const [asset, address] of [
      [lookalike!.symbol, lookalike!.address],
      [unknown, unknown],
    ] as const) {
      const { hash } = await sent(celo, { asset, amount: '5' });
      expect((await celo.provider.getTransactionReceipt(hash))!.logs[0]!.address).toBe(address);
    }
  }, 30_000);

  it.each([
    [{ asset: 'usdc', amount: '1' }, /^usdc is no token of CELO\. It has USDC, USDT, CUSD/],
    [{ asset: 'USDC', amount: '1.1234567' }, 'the amount 1.1234567 has 7 decimals; USDC has 6'],
    [{ asset: 'USDC', amount: '-1' }, /^the amount must be a decimal number/],
    [{ asset: 'USDC', amount: '1e3' }, /^the amount must be a decimal number/],
    [{ asset: 'USDC', amount: '1', to: '0x12' }, /^the address 0x12 must be 0x and 40/],
    [{ asset: 'USDC', amount: '1', to: CELO.tokens[0]!.address.replace('cebA', 'ceba') }, /checksum/],
    [{ asset: '0x12', amount: '1' }, /^the contract 0x12 must be 0x and 40/],
  ])('refuses %j', async (transfer, why) => {
    expect(await celo.sandbox.transfer({ to: TO, ...transfer })).toEqual({
      ok: false,
      error: typeof why === 'string' ? why : expect.stringMatching(why),
    });
  });

  it('never has a block ahead of the clock, however many it makes', async () => {
    await celo.sandbox.mine(500);
    const { hash } = await sent(celo, { asset: 'USDC', amount: '1' });
    const block = (await celo.provider.getBlock((await celo.provider.getTransactionReceipt(hash))!.blockNumber))!;
    expect(block.timestamp * 1000).toBeLessThanOrEqual(Date.now());
    expect(Date.now() - block.timestamp * 1000).toBeLessThan(10_000);
  }, 30_000);

  it('leaves a transfer to the pace of the chain', async () => {
    const { blockNumber } = await sent(celo, { asset: 'USDC', amount: '1', mine: false });
    expect((await celo.sandbox.height()) - blockNumber!).toBeLessThan(5);
  }, 30_000);

  it('takes back what was in the blocks of a reorganisation', async () => {
    const { hash } = await sent(celo, { asset: 'USDC', amount: '1' });
    const { latest } = await heights(celo);
    await celo.sandbox.reorg(latest - (await celo.provider.getTransactionReceipt(hash))!.blockNumber + 1);
    expect(await celo.provider.getTransactionReceipt(hash)).toBeNull();
    expect(await celo.provider.getTransaction(hash)).toBeNull();
    expect(await celo.sandbox.height()).toBeGreaterThanOrEqual(latest);
    await expect(celo.sandbox.reorg(1_000_000)).rejects.toThrow('the node refuses anvil_reorg');
    expect(
      (await celo.provider.getTransactionReceipt((await sent(celo, { asset: 'USDC', amount: '1' })).hash))!.status,
    ).toBe(1);
  }, 30_000);

  it('keeps to the clock after a reorganisation of blocks that took some seconds', async () => {
    const before = await celo.sandbox.height();
    await until(async () => (await celo.sandbox.height()) >= before + 6, {
      withinMs: 15_000,
      what: 'six blocks at the pace of the chain',
    });
    await celo.sandbox.reorg((await celo.sandbox.height()) - before);
    await celo.sandbox.mine(1);
    expect(Math.abs((await celo.provider.getBlock('latest'))!.timestamp - Date.now() / MS_PER_SECOND)).toBeLessThan(3);
  }, 30_000);

  it('makes no block while it is stalled, and goes on with what was sent meanwhile', async () => {
    await celo.sandbox.stall(true);
    const height = await celo.sandbox.height();
    const { hash, blockNumber } = await sent(celo, { asset: 'USDC', amount: '1' });
    expect(blockNumber).toBeNull();
    expect(await celo.provider.getTransactionReceipt(hash)).toBeNull();
    expect(await celo.sandbox.height()).toBe(height);
    await celo.sandbox.stall(false);
    expect(await celo.provider.waitForTransaction(hash, 1, 10_000)).toMatchObject({ status: 1 });
  }, 30_000);
});
