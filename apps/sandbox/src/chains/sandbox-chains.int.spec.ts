import { existsSync, statSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { ChainSettings } from '@vuka/config';
import { isSolanaAddress } from '@vuka/domain';
import { describeWithAnvil } from '@vuka/local-servers';
import { createLogger } from '@vuka/runtime';
import { until } from '@vuka/testing';

import { runSandbox } from '../command/run-sandbox.js';
import { ensureDepositSources, type DepositSources } from './deposit-keys.js';
import { ensureRefundWallets } from './refund-wallets.js';
import { SandboxChains } from './sandbox-chains.js';

const log = createLogger('test', { level: 'silent' });
const TO = '0x1111111111111111111111111111111111111111';

let work: string;
const started: SandboxChains[] = [];
const told: string[] = [];

function chainsOf(
  wanted: readonly string[],
  settings: { endpoints?: Record<string, string[]>; agree?: number } = {},
): SandboxChains {
  const chains = new SandboxChains({
    folder: join(work, 'chains'),
    wanted,
    settings: { endpoints: {}, agree: 1, ...settings },
    log,
    tell: (line) => void told.push(line),
  });
  started.push(chains);
  return chains;
}

beforeAll(async () => {
  work = await mkdtemp(join(tmpdir(), 'vuka-chains-'));
});
afterEach(async () => {
  await Promise.all(started.splice(0).map((chains) => chains.stop()));
  told.length = 0;
}, 60_000);
afterAll(() => rm(work, { recursive: true, force: true }));

describeWithAnvil(describe)('the chains of a sandbox', () => {
  it('run side by side, and take what npm run sandbox asks of them', async () => {
    const chains = chainsOf(['CELO', 'BNB', 'BASE'], { endpoints: { BASE: ['http://127.0.0.1:1'] } });
    await chains.start();
    expect(Object.keys(chains.endpoints)).toEqual(['CELO', 'BNB']);
    expect(chains.directory).toEqual({
      CELO: { rpc_url: chains.endpoints['CELO']?.[0], chain_id: 42220 },
      BNB: { rpc_url: chains.endpoints['BNB']?.[0], chain_id: 56 },
    });
    await writeFile(
      join(work, 'sandbox.json'),
      JSON.stringify({ base_url: chains.endpoints['CELO']?.[0], chains: chains.directory }),
    );
    const said: string[] = [];
    const around = {
      env: {},
      say: (text: string) => void said.push(text),
      tell: (line: string) => void told.push(line),
    };
    expect(
      await runSandbox(
        ['transfer', '--chain', 'BNB', '--asset', 'USDT', '--amount', '12.5', '--to', TO, '--data-dir', work],
        around,
      ),
    ).toBe(0);
    expect(said).toEqual([expect.stringMatching(/^0x[0-9a-f]{64}$/)]);
    expect(await runSandbox(['mine', '--chain', 'BASE', '--data-dir', work], around)).toBe(1);
    expect(told.at(-1)).toBe('✗ This sandbox runs no node for BASE.\n  It runs CELO, BNB (VUKA_SANDBOX_CHAINS).');
    await chains.stop();
    expect(await runSandbox(['mine', '--chain', 'BNB', '--data-dir', work], around)).toBe(1);
  }, 60_000);

  it('have wallets for refunds, made once, whose keys are shut away, filled at each start', async () => {
    const chains = chainsOf(['CELO', 'STELLAR']);
    await chains.start();
    const refundKeysFile = join(work, 'refund-keys.json');
    const settings = { endpoints: {}, refundWallets: {} };
    const ensure = (more: Partial<ChainSettings> = {}): Promise<string | undefined> =>
      ensureRefundWallets({
        folder: { refundKeysFile },
        settings: { ...settings, ...more },
        nodes: chains.endpoints,
        tell: (line) => void told.push(line),
      });
    expect(await ensure({ refundWallets: { evm: TO, stellar: 'G' } })).toBeUndefined();
    expect(await ensure()).toBe(refundKeysFile);
    const keys = await readFile(refundKeysFile, 'utf8');
    expect(Object.keys(JSON.parse(keys) as object).sort()).toEqual(['evm', 'stellar']);
    expect(statSync(refundKeysFile).mode & 0o777).toBe(0o600);
    expect(await ensure()).toBe(refundKeysFile);
    expect(await readFile(refundKeysFile, 'utf8')).toBe(keys);
    expect(told).toEqual([]);
    expect(await ensure({ sandboxRefundKeysFile: '/elsewhere' })).toBe('/elsewhere');
  }, 60_000);

  it('start again what was killed, where it was', async () => {
    const chains = chainsOf(['CELO']);
    await chains.start();
    const before = chains.directory;
    const pid = chains.members[0]?.running.pid ?? 0;
    process.kill(pid, 'SIGKILL');
    await until(() => chains.members[0]?.running.pid !== pid, { withinMs: 20_000, what: 'another node' });
    expect(chains.directory).toEqual(before);
  }, 60_000);
});

describe('chains that cannot be had', () => {
  it('are reported in one line, without an error', async () => {
    const before = process.env['ANVIL_BIN'];
    process.env['ANVIL_BIN'] = join(work, 'nothing');
    try {
      const chains = chainsOf(['CELO', 'BNB']);
      await chains.start();
      expect(chains.endpoints).toEqual({});
      expect(told).toEqual([
        expect.stringMatching(
          /^ {2}! No chains: There is no anvil: ANVIL_BIN is not a program\. .* POST \/v1\/pay answers 503\.$/,
        ),
      ]);
    } finally {
      if (before === undefined) delete process.env['ANVIL_BIN'];
      else process.env['ANVIL_BIN'] = before;
    }
  });

  it('are not started if none is wanted, or if one endpoint is not enough', async () => {
    await chainsOf([]).start();
    expect(told).toEqual([]);
    const alone = chainsOf(['CELO'], { agree: 2 });
    await alone.start();
    expect(alone.members).toEqual([]);
    expect(told).toEqual([expect.stringContaining('CHAIN_RPC_AGREE is 2')]);
  });
});

describe('the deposit keys of a folder', () => {
  const filesIn = (name: string): Parameters<typeof ensureDepositSources>[0] => {
    const at = (file: string): string => join(work, `${name}-${file}`);
    return {
      depositKeysFile: at('keys.json'),
      depositXpubFile: at('xpub'),
      solanaAddressesFile: at('solana.json'),
      stellarAccountFile: at('stellar'),
    };
  };
  const none: DepositSources = { depositXpub: null, stellarAccount: null };

  it('are made once for each family that is read, shut to others, and only the public ones are read again', async () => {
    const files = filesIn('all');
    const first = await ensureDepositSources(files, none, ['BNB']);
    expect(first).toEqual({ depositXpub: expect.stringMatching(/^xpub/), stellarAccount: null });
    const all = await ensureDepositSources(files, none, ['BNB', 'SOLANA', 'STELLAR']);
    expect(all).toEqual({
      depositXpub: first.depositXpub,
      solanaAddressesFile: files.solanaAddressesFile,
      stellarAccount: expect.stringMatching(/^G[A-Z2-7]{55}$/),
    });
    const addresses = JSON.parse(await readFile(files.solanaAddressesFile, 'utf8')) as string[];
    expect([addresses.length, new Set(addresses).size, addresses.every(isSolanaAddress)]).toEqual([2_000, 2_000, true]);
    expect(statSync(files.depositKeysFile).mode & 0o777).toBe(0o600);
    expect(JSON.parse(await readFile(files.depositKeysFile, 'utf8'))).toEqual({
      mnemonic: expect.stringMatching(/^(\w+ ){11}\w+$/),
      solana: expect.any(Array),
      stellar: expect.any(String),
    });
    await rm(files.depositKeysFile);
    expect(await ensureDepositSources(files, none, ['CELO', 'SOLANA', 'STELLAR'])).toEqual(all);
  });

  it('are not made where no chain is read, nor where others are set', async () => {
    const files = filesIn('none');
    expect(await ensureDepositSources(files, none, [])).toEqual(none);
    const set = { depositXpub: 'xpub1', solanaAddressesFile: '/mine.json', stellarAccount: 'GA5Z' };
    expect(await ensureDepositSources(files, set, ['CELO', 'SOLANA', 'STELLAR'])).toEqual(set);
    expect(existsSync(files.depositKeysFile)).toBe(false);
  });
});
