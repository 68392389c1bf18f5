import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { EVENT_KEYS } from './event-keys.spec-support.js';
import { loadSecrets, type ServiceSecrets } from './service-secrets.js';

const KEY = Buffer.alloc(32, 7).toString('base64url');
const HASH = 'a1'.repeat(32);

const SECRETS = {
  version: 1,
  env: 'sandbox',
  service: 'payments',
  database_password: 'of-the-database',
  cipher_keys: [{ id: 'k1', key: KEY }],
  event_keys: EVENT_KEYS,
  index_keys: [{ id: 'i1', key: KEY }],
  webhook_keys: [{ id: 'w1', key: KEY }],
  internal: { accept: [{ caller: 'gateway', credential_sha256: HASH }] },
  admin_keys: [{ id: 'a1', key: KEY }],
  key_peppers: [{ id: 'p1', key: KEY }],
  kafka_password: null,
  redis_password: null,
};

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vuka-secrets-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function load(secrets: object): Promise<ServiceSecrets> {
  const path = join(folder, 'secrets.json');
  await writeFile(path, JSON.stringify(secrets), { mode: 0o600 });
  return loadSecrets(path, 'payments', 'sandbox');
}

describe('what callers show', () => {
  const accepting = (...accept: object[]) => load({ ...SECRETS, internal: { accept } });
  const row = (digits: string, caller = 'gateway') => ({ caller, credential_sha256: digits.repeat(32) });

  it('is known by its hash alone, at most two of a caller at a time', async () => {
    expect((await accepting(row('0a'), row('0b'), row('0c', 'setup'))).accepts).toEqual([
      { caller: 'gateway', credentialSha256: '0a'.repeat(32) },
      { caller: 'gateway', credentialSha256: '0b'.repeat(32) },
      { caller: 'setup', credentialSha256: '0c'.repeat(32) },
    ]);
    await expect(accepting(row('0a'), row('0b'), row('0c'))).rejects.toThrow(/: internal\.accept$/);
  });

  it('is not accepted in the clear', async () => {
    const failure = accepting({ caller: 'gateway', credential: 'hunter2'.repeat(6) });
    await expect(failure).rejects.toThrow(/: internal\.accept\.0\.credential_sha256$/);
    await expect(failure).rejects.toMatchObject({ message: expect.not.stringContaining('hunter2') });
  });

  it('is one for each service that is called', async () => {
    const gateway = { ...SECRETS, service: 'gateway' };
    const present = { payments: 'p'.repeat(43), validation: 'v'.repeat(43), offramp: 'o'.repeat(43) };
    const path = join(folder, 'gateway.json');
    await writeFile(path, JSON.stringify({ ...gateway, internal: { present } }), { mode: 0o600 });
    await expect(loadSecrets(path, 'gateway', 'sandbox')).rejects.toThrow(
      /lacks internal\.present\.checkout, internal\.present\.notifier$/,
    );
    await writeFile(path, JSON.stringify({ ...gateway, internal: { present: 'p'.repeat(43) } }));
    await expect(loadSecrets(path, 'gateway', 'sandbox')).rejects.toThrow(/: internal\.present$/);
  });
});

describe('the secrets of providers', () => {
  it('are found by name, with the callback tokens and signing secrets in force, the current one first', async () => {
    const [now, before] = ['a'.repeat(32), 'b'.repeat(40)];
    const [signs, signed] = ['what-signs-now-1', 'what-signed-before'];
    const providers = {
      pawapay: { credential: 'token', callback_token: now, previous_callback_token: before },
      chapa: { credential: 'key', signing_secret: signs, previous_signing_secret: signed },
      other: { credential: 'x' },
    };
    expect([...(await load({ ...SECRETS, providers })).providers]).toEqual([
      ['pawapay', { credential: 'token', callbackTokens: [now, before], signingSecrets: [] }],
      ['chapa', { credential: 'key', callbackTokens: [], signingSecrets: [signs, signed] }],
      ['other', { credential: 'x', callbackTokens: [], signingSecrets: [] }],
    ]);
    expect((await load(SECRETS)).providers.size).toBe(0);
  });

  it.each<[string, object, RegExp]>([
    [
      'a callback token that can be guessed',
      { ...SECRETS, providers: { pawapay: { credential: 'x', callback_token: 'hunter2' } } },
      /: providers\.pawapay\.callback_token$/,
    ],
    [
      'a callback token that is not hexadecimal',
      { ...SECRETS, providers: { pawapay: { credential: 'x', callback_token: 'cmd'.repeat(20) } } },
      /: providers\.pawapay\.callback_token$/,
    ],
    [
      'a signing secret that can be guessed',
      { ...SECRETS, providers: { chapa: { credential: 'x', signing_secret: 'hunter2' } } },
      /: providers\.chapa\.signing_secret$/,
    ],
    [
      "a provider's credential that no header can carry",
      { ...SECRETS, providers: { pawapay: { credential: 'hunter2\n' } } },
      /: providers\.pawapay\.credential$/,
    ],
  ])('with %s are refused, and none is told', async (_, secrets, message) => {
    const failure = load(secrets);
    await expect(failure).rejects.toThrow(message);
    await expect(failure).rejects.toMatchObject({
      name: 'SettingsError',
      message: expect.not.stringContaining('hunter2'),
    });
  });
});
