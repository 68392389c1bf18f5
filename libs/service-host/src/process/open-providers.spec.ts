import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { systemClock } from '@vuka/runtime';

import { openProviders, type ProvidersToOpen } from './open-providers.js';

const PAWAPAY = {
  id: 'pawapay',
  base_url: 'https://api.pawapay.io',
  secret: 'main',
  countries: ['GH'],
  accepts_stablecoin_funds: 'consent',
};
const MTN = { currency: 'GHS', kind: 'mobile', network: 'MTN', providers: ['pawapay'] };
const TOKEN = 'a'.repeat(32);
const SECRETS: ProvidersToOpen['secrets'] = new Map([['main', { credential: 'hunter2', callbackTokens: [TOKEN] }]]);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vuka-providers-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function open(json: unknown, more: Partial<ProvidersToOpen> = {}): ReturnType<typeof openProviders> {
  const file = join(folder, 'providers.json');
  await writeFile(file, typeof json === 'string' ? json : JSON.stringify(json));
  return openProviders({
    file,
    env: 'live',
    allowStablecoinFundsAt: [],
    secrets: SECRETS,
    clock: systemClock,
    ...more,
  });
}

describe('providers of a service', () => {
  it('are those of the file, in live too, with what they carry and the tokens of their callbacks', async () => {
    const opened = await open({ providers: [PAWAPAY], routes: [MTN] });
    expect(opened.providers.map(({ id }) => id)).toEqual(['pawapay']);
    expect(opened.coverage.map(({ network, carriers }) => [network, carriers.map(({ provider }) => provider)])).toEqual(
      [['MTN', ['pawapay']]],
    );
    expect(opened.callbackTokens?.get('pawapay')).toEqual([TOKEN]);
    expect(opened.sandboxControls?.size).toBe(0);
    await opened.close();
  });

  it('are none where a service has no secret of theirs, which still knows what they carry', async () => {
    const opened = await open({ providers: [PAWAPAY], routes: [MTN] }, { secrets: null });
    expect([opened.providers, opened.coverage.length, opened.callbackTokens]).toEqual([[], 1, undefined]);
    await opened.close();
  });

  it.each<[string, unknown, Partial<ProvidersToOpen>, RegExp]>([
    ['no JSON', '{"providers": "hunter2', {}, /: the whole of it: /],
    ['faults', { providers: [{ ...PAWAPAY, countries: [] }], routes: [MTN, MTN] }, {}, /providers\.0\.countries: /],
    ['several faults', { providers: [PAWAPAY], routes: [{ ...MTN, network: 'X' }, { ...MTN, providers: ['b'] }] }, {}, /routes\.0\.network: .*; routes\.1\.providers\.0: /],
    ['a secret that is missing', { providers: [{ ...PAWAPAY, secret: 'other' }], routes: [] }, {}, /providers\.0\.secret: names nothing/],
    ['play money', { providers: [{ ...PAWAPAY, id: 'sandbox' }], routes: [] }, {}, /providers\.0\.id: sandbox pays with play money/],
    ['a file that is not there', {}, { file: '/nowhere/providers.json' }, /^VUKA_PROVIDERS_FILE must be a readable file: .*\(ENOENT\)$/],
    ['no secret of approvals', { providers: [{ ...PAWAPAY, id: 'chapa', base_url: 'https://api.chapa.co', countries: ['ET'] }], routes: [] }, { isCalledBack: true }, /providers\.0\.secret: names a secret without signing_secret: /],
  ])('with %s are refused by the path of the fault, and no secret is told', async (_, json, more, message) => {
    const failure = open(json, more);
    await expect(failure).rejects.toThrow(message);
    await expect(failure).rejects.toMatchObject({ name: 'SettingsError', message: expect.not.stringContaining('hunter2') });
  }); // prettier-ignore

  it('with many faults are refused by the first of them', async () => {
    const routes = Array.from({ length: 40 }, () => ({ ...MTN, network: 'X' }));
    await expect(open({ providers: [PAWAPAY], routes })).rejects.toThrow(/routes\.19\.network: [^;]*; and 20 more$/);
  });
});
