import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventPairsOf, SERVICE_NAMES } from '@vuka/contracts';

import { EVENT_KEYS } from './event-keys.spec-support.js';
import { loadSecrets, type ServiceSecrets } from './service-secrets.js';

const KEY = Buffer.alloc(32, 7).toString('base64url');

const SECRETS = {
  version: 1,
  env: 'live',
  service: 'payments',
  database_password: 'of-the-database',
  cipher_keys: [{ id: 'k1', key: Buffer.alloc(32, 7).toString('base64url') }],
  internal: { accept: [{ caller: 'gateway', credential_sha256: 'a'.repeat(64) }] },
  index_keys: [{ id: 'i1', key: KEY }],
  webhook_keys: [{ id: 'w1', key: KEY }],
  admin_keys: [{ id: 'a1', key: KEY }],
  approver_keys: ['Ann Otieno', 'Ben Mwangi'].map((name) => ({ name, key: KEY })),
};

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vuka-event-keys-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function load(event_keys: object | null): Promise<ServiceSecrets> {
  const path = join(folder, 'secrets.json');
  await writeFile(path, JSON.stringify({ ...SECRETS, event_keys }), { mode: 0o600 });
  return loadSecrets(path, 'payments', 'live');
}

describe('event keys', () => {
  it('are read for each pair, newest first', async () => {
    const [e1, e2] = [1, 2].map((byte) => ({ id: `e${byte}`, key: Buffer.alloc(32, byte) }));
    const inFile = [e2!, e1!].map(({ id, key }) => ({ id, key: key.toString('base64url') }));
    const { eventKeys } = await load({ ...EVENT_KEYS, from: { ...EVENT_KEYS.from, offramp: inFile } });
    expect(eventKeys.from['offramp']).toEqual([e2, e1]);
  });

  it.each(
    (['to', 'from'] as const).flatMap((way) => eventPairsOf('payments')[way].map((other) => [way, other] as const)),
  )('that are missing are named: %s %s', async (way, other) => {
    const lacking = { ...EVENT_KEYS, [way]: { ...EVENT_KEYS[way], [other]: [] } };
    await expect(load(lacking)).rejects.toThrow(new RegExp(`lacks event_keys\\.${way}\\.${other}$`));
  });

  it('are named all where there are none', async () => {
    await expect(load(null)).rejects.toThrow(
      /lacks event_keys\.to\.notifier, event_keys\.to\.offramp, event_keys\.from\.offramp, event_keys\.from\.checkout, event_keys\.from\.gateway$/,
    );
  });

  it('are refused where they are short, or have an id twice', async () => {
    const key = Buffer.alloc(32, 3).toString('base64url');
    for (const keys of [
      [{ id: 'e1', key: 'hunter2' }],
      [
        { id: 'e1', key },
        { id: 'e1', key },
      ],
    ])
      // prettier-ignore
      await expect(load({ ...EVENT_KEYS, from: { ...EVENT_KEYS.from, offramp: keys } })).rejects.toThrow(
        /: event_keys\.from\.offramp/,
      );
  });

  it('are for each writer and reader of a topic at both of them', () => {
    const pairs = SERVICE_NAMES.flatMap((name) => eventPairsOf(name).to.map((reader) => `${name} ${reader}`)).sort();
    const mirrored = SERVICE_NAMES.flatMap((name) => eventPairsOf(name).from.map((writer) => `${writer} ${name}`));
    expect(mirrored.sort()).toEqual(pairs);
    expect(pairs).toContain('offramp payments');
  });
});
