import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { runPhraseCommand } from './phrase-command.mjs';
import { ROOT } from '../command/run.mjs';

const PHRASE = 'test test test test test test test test test test test junk';
let folder;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vuka-keys-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** In this process, because loading the chains' libraries takes longest. */
const keys = async (...args) => {
  const told = { stdout: '', stderr: '' };
  const into = (name) => ({ write: (text) => void (told[name] += text) });
  const code = await runPhraseCommand(args, { stdout: into('stdout'), stderr: into('stderr') });
  return { code, ...told };
};

const command = (...args) =>
  new Promise((settle) => {
    execFile(
      process.execPath,
      [join(ROOT, 'tools/keys/keys.mjs'), ...args],
      { timeout: 60_000 },
      (error, stdout, stderr) => settle({ code: error?.code ?? 0, stdout, stderr }),
    );
  });

describe('npm run keys', () => {
  it('writes a phrase for its owner alone, another each time, and tells the public keys and nothing else', async () => {
    const file = join(folder, 'phrase.txt');
    const { code, stdout, stderr } = await command('--out', file);
    expect(code).toBe(0);
    const phrase = (await readFile(file, 'utf8')).trim();
    expect(phrase.split(' ')).toHaveLength(24);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(stdout).toMatch(
      /^partners\tm\/44'\/60'\/0'\txpub[1-9A-HJ-NP-Za-km-z]{107}\tfirst address 0x[0-9a-fA-F]{40}\ncheckout\tm\/44'\/60'\/1'\txpub[1-9A-HJ-NP-Za-km-z]{107}\tfirst address 0x[0-9a-fA-F]{40}\nstellar\tm\/44'\/148'\/0'\tG[A-Z2-7]{55}\n$/,
    );
    expect(`${stdout}${stderr}`).not.toMatch(/xprv/);
    expect(`${stdout}${stderr}`).not.toContain(phrase.split(' ').slice(0, 3).join(' '));
    expect((await keys('--check', file)).stdout).toBe(stdout);
    expect((await keys('--out', join(folder, 'other.txt'))).stdout).not.toBe(stdout);
    expect(await command('--out', file)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('exists already'),
    });
    expect((await readFile(file, 'utf8')).trim()).toBe(phrase);
  }, 60_000);

  it('gives the keys that every wallet makes of a phrase', async () => {
    const file = join(folder, 'known.txt');
    await writeFile(file, `  ${PHRASE}\n`, { mode: 0o600 });
    const { stdout } = await keys('--check', file);
    expect(stdout.split('\n')[0]).toBe(
      "partners\tm/44'/60'/0'\txpub6Ce9NcJvTk36xtLSrJLZqE7wtgA5deCeYs7rSQtreh4cj6ByPtrg9sD7V2FNFLPnf8heNP3FGkeV9qwfzvZNSd54JoNXVsXFYSYwHsnJxqP\tfirst address 0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
    );
  }, 60_000);

  it('gives the account and the addresses that wallets of Stellar and Solana make of a phrase', async () => {
    const [stellar, solana, list] = ['sep5.txt', 'solana.txt', 'known.json'].map((name) => join(folder, name));
    // SEP-5's own example, and the addresses Solana's wallets show for the usual BIP-39 test phrase.
    await writeFile(stellar, 'illness spike retreat truth genius clock brain pass fit cave bargain toe', {
      mode: 0o600,
    });
    await writeFile(solana, `${'abandon '.repeat(11)}about`, { mode: 0o600 });
    expect((await keys('--check', stellar)).stdout).toContain(
      "stellar\tm/44'/148'/0'\tGDRXE2BQUC3AZNPVFSCEZ76NJ3WWL25FYFK6RGZGIEKWE4SOOHSUJUJ6\n",
    );
    expect((await keys('--check', solana, '--solana', '2', '--list', list)).stdout).toContain(
      "solana\tm/44'/501'/0'/0' to m/44'/501'/1'/0'\t2 addresses in ",
    );
    expect(JSON.parse(await readFile(list, 'utf8'))).toEqual([
      'HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk',
      'Hh8QwFUA6MtVu1qAoq12ucvFHNwCcVTV7hpWjeY1Hztb',
    ]);
  }, 60_000);

  it('lets a Solana list grow, and never changes its entries', async () => {
    const [file, other, list] = ['pool.txt', 'other-pool.txt', 'pool.json'].map((name) => join(folder, name));
    const made = await keys('--out', file, '--solana', '3', '--list', list);
    expect(made.code).toBe(0);
    const first = JSON.parse(await readFile(list, 'utf8'));
    expect(new Set(first).size).toBe(3);
    expect((await keys('--check', file, '--solana', '5', '--list', list)).code).toBe(0);
    const grown = JSON.parse(await readFile(list, 'utf8'));
    expect([grown.length, grown.slice(0, 3)]).toEqual([5, first]);
    expect(await keys('--check', file, '--solana', '4', '--list', list)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('must not have fewer'),
    });
    expect(await keys('--out', other, '--solana', '9', '--list', list)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('entry 1 does not come from this phrase'),
    });
    expect(JSON.parse(await readFile(list, 'utf8'))).toEqual(grown);
    await writeFile(list, 'precious');
    expect((await keys('--check', file, '--solana', '9', '--list', list)).code).toBe(1);
    expect(await readFile(list, 'utf8')).toBe('precious');
  }, 120_000);

  it.each([['0'], ['-1'], ['1e3'], ['100001']])(
    'makes no list of %s addresses',
    async (count) => {
      expect(
        await keys('--out', join(folder, 'never.txt'), '--solana', count, '--list', join(folder, 'never.json')),
      ).toMatchObject({ code: 1, stdout: '' });
      expect(await readdir(folder)).not.toContain('never.txt');
    },
    60_000,
  );

  it('refuses a phrase that others can read, and what is no phrase, and shows neither', async () => {
    const file = join(folder, 'open.txt');
    await writeFile(file, PHRASE, { mode: 0o600 });
    await chmod(file, 0o644);
    const open = await keys('--check', file);
    expect(open).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('chmod 600') });
    const none = join(folder, 'none.txt');
    await writeFile(none, `${PHRASE.slice(0, -4)}test`, { mode: 0o600 });
    const shown = await keys('--check', none);
    expect(shown).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('does not contain a phrase') });
    expect(`${open.stderr}${shown.stderr}`).not.toContain('test test');
  }, 60_000);

  it('writes into no copy of the project, and through no link', async () => {
    const inside = await keys('--out', join(ROOT, 'phrase.txt'));
    expect(inside).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('inside the project') });
    expect(await readdir(ROOT)).not.toContain('phrase.txt');
    const target = join(folder, 'target');
    await symlink(target, join(folder, 'link'));
    expect((await keys('--out', join(folder, 'link'))).code).toBe(1);
    expect(await readdir(folder)).not.toContain('target');
  }, 60_000);

  it.each([
    [[]],
    [['--out', 'a', '--check', 'b']],
    [['--words', '12']],
    [['--out']],
    [['--out', 'a', '--solana', '3']],
  ])(
    'shows its usage for %j',
    async (args) => {
      expect(await keys(...args)).toMatchObject({
        code: 1,
        stdout: '',
        stderr: expect.stringContaining('npm run --silent keys -- --out FILE'),
      });
    },
    60_000,
  );

  it('says what it cannot write or read', async () => {
    expect((await keys('--out', join(folder, 'nowhere', 'phrase'))).stderr).toContain('There is no folder');
    expect((await keys('--check', join(folder, 'nowhere'))).stderr).toContain('ENOENT');
  }, 60_000);
});
