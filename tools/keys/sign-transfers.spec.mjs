import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { getAddress, Interface, Transaction, Wallet } from 'ethers';

import { ROOT } from '../command/run.mjs';

const USDC = '0xcebA9300f2b948710d2653dD7B07f33A8B32118C';
const RECIPIENT = getAddress('0x00000000000000000000000000000000000000b2');

let folder;
let keyFile;
let keys;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vuka-sign-'));
  keyFile = join(folder, 'keys.json');
}, 60_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

const run = (...args) =>
  new Promise((settle) => {
    const child = execFile(
      process.execPath,
      [join(ROOT, 'tools/keys/keys.mjs'), ...args],
      { timeout: 120_000 },
      (error, stdout, stderr) => settle({ code: error?.code ?? 0, stdout, stderr }),
    );
    child.stdin.end();
  });

function transferOf(from, change = {}) {
  const terms = {
    gas_limit: '65000',
    max_fee_per_gas: '50000000000',
    max_priority_fee_per_gas: '1000000000',
    gas_price: null,
  };
  const data = new Interface(['function transfer(address,uint256)']).encodeFunctionData('transfer', [
    RECIPIENT,
    12_500_000n,
  ]);
  const transaction = Transaction.from({
    type: 2,
    chainId: 42220,
    nonce: 7,
    to: USDC,
    value: 0n,
    data,
    gasLimit: 65_000n,
    maxFeePerGas: 50_000_000_000n,
    maxPriorityFeePerGas: 1_000_000_000n,
  });
  return {
    version: 1,
    reference: 'refund-1',
    chain: 'CELO',
    from,
    to: RECIPIENT,
    token: USDC,
    symbol: 'USDC',
    decimals: 6,
    amountMinor: '12500000',
    place: '7',
    mostFeeMinor: '3250000000000000',
    expiresAt: null,
    terms,
    payload: transaction.unsignedSerialized,
    ...change,
  };
}
const fileOf = async (name, transfers) => {
  const file = join(folder, name);
  await writeFile(
    file,
    JSON.stringify({
      kind: 'vuka-refunds-to-sign',
      transfers: transfers.map((transfer) => ({ refund_id: 1, version: 1, transfer })),
    }),
  );
  return file;
};

describe('npm run keys -- refund-wallet', () => {
  it('makes keys for their owner alone, and tells the addresses and nothing else', async () => {
    const { code, stdout, stderr } = await run('refund-wallet', '--out', keyFile);
    expect([code, stderr.includes('never put them on a server')]).toEqual([0, true]);
    expect(stdout).toMatch(
      /^REFUND_WALLET_EVM=0x[0-9a-fA-F]{40}\nREFUND_WALLET_SOLANA=[1-9A-HJ-NP-Za-km-z]{32,44}\nREFUND_WALLET_STELLAR=G[A-Z2-7]{55}\n$/,
    );
    expect((await stat(keyFile)).mode & 0o777).toBe(0o600);
    keys = JSON.parse(await readFile(keyFile, 'utf8'));
    for (const { secret } of Object.values(keys)) expect(`${stdout}${stderr}`).not.toContain(secret);
    expect(new Wallet(keys.evm.secret).address).toBe(keys.evm.address);
    expect((await run('refund-wallet', '--out', keyFile)).code).toBe(1);
    expect((await run('refund-wallet', '--out', join(ROOT, 'keys.json'))).code).toBe(1);
  }, 120_000);
});

describe('npm run keys -- sign', () => {
  it('shows what it signs, and signs that', async () => {
    const [file, out] = [await fileOf('asked.json', [transferOf(keys.evm.address)]), join(folder, 'signed.json')];
    const { code, stderr } = await run('sign', file, '--key', keyFile, '--out', out, '--yes');
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining(`refund 1: 12.500000 USDC on CELO\n  to   ${RECIPIENT}\n  from ${keys.evm.address}`),
    ]);
    expect(stderr).not.toContain(keys.evm.secret);
    const {
      kind,
      transfers: [{ refund_id, version, raw }],
    } = JSON.parse(await readFile(out, 'utf8'));
    expect([kind, refund_id, version, Transaction.from(raw).from]).toEqual([
      'vuka-refunds-signed',
      1,
      1,
      keys.evm.address,
    ]);
    expect((await run('sign', file, '--key', keyFile, '--out', out, '--yes')).code).toBe(1);
  }, 120_000);

  it('signs nothing if a transfer is not what it says, if there is no terminal, or if the key is wrong or readable by others', async () => {
    const good = transferOf(keys.evm.address);
    const out = join(folder, 'never.json');
    for (const transfers of [
      [good, { ...good, amountMinor: '99' }],
      [{ ...good, to: USDC }],
      [transferOf(RECIPIENT)],
      [{ ...good, chain: 'NOWHERE' }],
    ]) {
      const { code, stderr } = await run(
        'sign',
        await fileOf(`bad-${Math.random()}.json`, transfers),
        '--key',
        keyFile,
        '--out',
        out,
        '--yes',
      );
      expect([code, stderr]).toEqual([1, expect.stringContaining('Nothing was signed')]);
    }
    const file = await fileOf('again.json', [good]);
    expect((await run('sign', file, '--key', keyFile, '--out', out)).stderr).toContain('Nothing was signed');
    expect((await run('sign', keyFile, '--key', keyFile, '--out', out, '--yes')).code).toBe(1);
    const open = join(folder, 'open.json');
    await writeFile(open, JSON.stringify(keys));
    await chmod(open, 0o644);
    expect((await run('sign', file, '--key', open, '--out', out, '--yes')).stderr).toContain('chmod 600');
    await expect(stat(out)).rejects.toThrow();
  }, 120_000);
});
