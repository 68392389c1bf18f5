import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { openDataFolder } from './data-folder.js';
import { addCipherKey, newSecrets, Secrets, loadSecrets } from './secrets.js';

let path: string;

beforeEach(async () => {
  path = join(await mkdtemp(join(tmpdir(), 'vuka-secrets-')), 'data');
});

afterEach(async () => {
  await rm(join(path, '..'), { recursive: true, force: true });
});

describe('the secrets of a data folder', () => {
  it('are made once, for its owner only, and found again', async () => {
    const first = await loadSecrets(await openDataFolder(path), 'sandbox');
    const file = join(path, 'secrets.json');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const again = await loadSecrets(await openDataFolder(path), 'sandbox');
    expect(again.keyPeppers).toEqual(first.keyPeppers);
    expect(again.databasePassword('payments')).toBe(first.databasePassword('payments'));
    const sealed = first.cipherOf('payments').seal('0123456789', 'row');
    expect(again.cipherOf('payments').open(sealed, 'row')).toBe('0123456789');
  });

  it('are others in another folder', async () => {
    const one = await loadSecrets(await openDataFolder(join(path, 'one')), 'sandbox');
    const two = await loadSecrets(await openDataFolder(join(path, 'two')), 'sandbox');
    expect(two.keyPeppers).not.toEqual(one.keyPeppers);
  });

  it('of the sandbox never serve live', async () => {
    const folder = await openDataFolder(path);
    await loadSecrets(folder, 'sandbox');
    await expect(loadSecrets(folder, 'live')).rejects.toThrow(/belongs to VUKA_ENV=sandbox/);
  });

  it('are never made anew beside a database', async () => {
    const folder = await openDataFolder(path);
    await expect(loadSecrets({ ...folder, isNew: false }, 'sandbox')).rejects.toThrow(/secrets\.json is missing/);
  });

  it.each([
    ['{"version":1', 'the whole file'],
    [
      '{"version":1,"env":"sandbox","root":"AAAA"}',
      'version, root, cipher_keys, index_keys, webhook_keys, key_peppers',
    ],
  ])('refuse a file they cannot read, naming the field and not the value: %s', async (text, field) => {
    const folder = await openDataFolder(path);
    await writeFile(folder.secretsFile, text);
    await expect(loadSecrets(folder, 'sandbox')).rejects.toThrow(`is not valid: ${field}`);
    expect(await readFile(folder.secretsFile, 'utf8')).toBe(text);
  });
});

describe('a new cipher key', () => {
  it('seals from then on, while older sealed text still opens and older lookups still match', async () => {
    const folder = await openDataFolder(path);
    const before = (await loadSecrets(folder, 'sandbox')).cipherOf('notifier');
    const [sealed, index] = [before.seal('whsec', 'row'), before.blindIndex('0123456789')];
    expect(await addCipherKey(folder)).toBe('k2');
    const secrets = await loadSecrets(await openDataFolder(path), 'sandbox');
    const after = secrets.cipherOf('notifier');
    expect(secrets.cipherKeysOf('notifier').map(({ id }) => id)).toEqual(['k2', 'k1']);
    expect(after.open(sealed, 'row')).toBe('whsec');
    expect(after.blindIndex('0123456789')).toBe(index);
    expect(after.seal('whsec', 'row')).toMatch(/^v1\.k2\./);
    expect(() => before.open(after.seal('whsec', 'row'), 'row')).toThrow();
    expect(await addCipherKey(folder)).toBe('k3');
    const [newest, before2] = (await loadSecrets(await openDataFolder(path), 'sandbox')).cipherKeysOf('notifier');
    expect(before2).toEqual(secrets.cipherKeysOf('notifier')[0]);
    expect(newest?.key).not.toEqual(before2?.key);
    expect((await stat(folder.secretsFile)).mode & 0o777).toBe(0o600);
  });

  it('is refused above the limit of keys, and with an invalid file', async () => {
    const folder = await openDataFolder(path);
    await loadSecrets(folder, 'sandbox');
    const text = await readFile(folder.secretsFile, 'utf8');
    const file = JSON.parse(text) as { cipher_keys: Record<string, { id: string; key: string }[]> };
    const key = file.cipher_keys['payments']?.[0]?.key ?? '';
    const many = Array.from({ length: 20 }, (_, place) => ({ id: `k${String(20 - place)}`, key }));
    const full = { ...file, cipher_keys: { ...file.cipher_keys, payments: many } };
    await writeFile(folder.secretsFile, JSON.stringify(full));
    await expect(addCipherKey(folder)).rejects.toThrow(/which is the limit/);
    await writeFile(folder.secretsFile, '{}');
    await expect(addCipherKey(folder)).rejects.toThrow(/not what Vuka writes/);
  });
});

describe('the secrets of a folder', () => {
  it('differ for every purpose', () => {
    const secrets = new Secrets(newSecrets());
    const all = [
      ...secrets.keyPeppers.map(({ key }) => key.toString('base64url')),
      ...(['payments', 'notifier', 'gateway', 'checkout', 'validation'] as const).flatMap((service) =>
        [...secrets.cipherKeysOf(service), ...secrets.indexKeysOf(service)].map(({ key }) => key.toString('base64url')),
      ),
      secrets.providers.sandbox.credential,
      secrets.providers.sandbox_b.credential,
      secrets.databasePassword('payments'),
      secrets.databasePassword('notifier'),
      secrets.sandboxKeySecret('sandbox1', 'consumer'),
    ];
    expect(new Set(all).size).toBe(all.length);
  });

  it('let no service open what another one sealed', () => {
    const secrets = new Secrets(newSecrets());
    const sealed = secrets.cipherOf('payments').seal('text', 'row');
    expect(() => secrets.cipherOf('notifier').open(sealed, 'row')).toThrow();
  });
});
