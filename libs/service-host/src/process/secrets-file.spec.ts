import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { loadServiceSettings } from './service-settings.js';
import { ENV, KEY, SECRETS } from './service-settings.spec-support.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vuka-secrets-file-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function secretsOf(secrets: object | string, mode = 0o600): Promise<string> {
  const path = join(folder, 'secrets.json');
  await writeFile(path, typeof secrets === 'string' ? secrets : JSON.stringify(secrets));
  await chmod(path, mode);
  return path;
}

describe('the secrets of a service', () => {
  const load = async (secrets: object | string, mode?: number) =>
    loadServiceSettings({ ...ENV, VUKA_SECRETS_FILE: await secretsOf(secrets, mode) }, 'payments');

  it.each([0o600, 0o400, 0o440, 0o640])('are read from a file of mode %#', async (mode) => {
    expect((await load(SECRETS, mode)).secrets.databasePassword).toBe('of-the-database');
  });

  it.each([0o644, 0o604, 0o660, 0o666, 0o602])('are refused in a file that is open to others (%#)', async (mode) => {
    await expect(load(SECRETS, mode)).rejects.toThrow(/^VUKA_SECRETS_FILE must be a file that other users cannot read/);
  });

  it.each<[string, object | string, RegExp]>([
    ['no JSON', '{"database_password": "hunter2', /are missing or wrong: the whole file$/],
    ['another version', { ...SECRETS, version: 2 }, /: version$/],
    ['a short key', { ...SECRETS, cipher_keys: [{ id: 'k1', key: 'hunter2' }] }, /: cipher_keys\.0\.key$/],
    [
      'two keys of one id',
      {
        ...SECRETS,
        cipher_keys: [
          { id: 'k1', key: KEY },
          { id: 'k1', key: KEY },
        ],
      },
      /: cipher_keys$/,
    ],
    [
      'a credential that can be guessed',
      { ...SECRETS, internal: { present: { payments: 'hunter2' } } },
      /: internal\.present\.payments$/,
    ],
    [
      'another service',
      { ...SECRETS, service: 'notifier' },
      /must be the secrets file of payments: .* belongs to another service$/,
    ],
    [
      'another environment',
      { ...SECRETS, env: 'live' },
      /must be a secrets file for VUKA_ENV=sandbox: .* is for live$/,
    ],
    [
      'nothing in it',
      { version: 1, env: 'sandbox', service: 'payments' },
      /lacks database_password, cipher_keys, index_keys, webhook_keys, internal\.accept, event_keys\.to\.notifier/,
    ],
  ])('with %s are refused, and no secret is shown', async (_, secrets, message) => {
    const failure = load(secrets);
    await expect(failure).rejects.toThrow(message);
    await expect(failure).rejects.toMatchObject({
      name: 'SettingsError',
      message: expect.not.stringContaining('hunter2'),
    });
  });

  it('may have members of a later release, so that this one starts on the same file', async () => {
    await expect(load({ ...SECRETS, chain_keys: ['x'] })).resolves.toMatchObject({ service: 'payments' });
  });
});
