import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Logger, systemClock } from '@vuka/runtime';

import { type OpenedProviders, openProviders } from './open-providers.js';
import { ProvidersFileWatch } from './watch-providers-file.js';

const PAWAPAY = {
  id: 'pawapay',
  base_url: 'https://api.pawapay.io',
  secret: 'main',
  countries: ['GH'],
  accepts_stablecoin_funds: 'consent',
};
const routeOf = (network: string): object => ({ currency: 'GHS', kind: 'mobile', network, providers: ['pawapay'] });

const folder = await mkdtemp(join(tmpdir(), 'vuka-providers-'));
const file = join(folder, 'providers.json');
afterAll(() => rm(folder, { recursive: true, force: true }));

let opened: OpenedProviders;
let watch: ProvidersFileWatch;
let nowMs: number;
let lines: Record<string, unknown>[];

const write = (json: unknown): Promise<void> => writeFile(file, typeof json === 'string' ? json : JSON.stringify(json));
const networks = (): unknown[] => opened.coverage.map(({ network }) => network);

beforeEach(async () => {
  await write({ providers: [PAWAPAY], routes: [routeOf('MTN')] });
  const secrets = new Map([['main', { credential: 'hunter2', callbackTokens: [] }]]);
  opened = await openProviders({ file, env: 'live', allowStablecoinFundsAt: [], secrets, clock: systemClock });
  nowMs = 0;
  lines = [];
  const tell = (fields: Record<string, unknown>): unknown => lines.push(fields);
  watch = new ProvidersFileWatch(opened, { error: tell, warn: tell } as unknown as Logger, () => nowMs);
});

async function after(json: unknown): Promise<unknown[]> {
  await write(json);
  await watch.look();
  return networks();
}

describe('a providers file that changes while a service runs', () => {
  it('is in force whole, in what everybody holds already', async () => {
    const held = opened.coverage;
    const limits = [{ provider: 'MTN_MOMO_GHA', currency: 'GHS', min: '5', max: '50' }];
    expect(await after({ providers: [{ ...PAWAPAY, limits }], routes: [routeOf('Telecel'), routeOf('MTN')] })).toEqual(['Telecel', 'MTN']); // prettier-ignore
    expect(held[1]?.carriers).toMatchObject([{ limits: { minMinor: 500n, maxMinor: 5_000n } }]);
    expect(lines).toEqual([{ code: 'providers_file_taken', routes: 2 }]);
    await watch.look();
    expect(lines).toHaveLength(1);
  });

  it.each<[string, unknown, RegExp]>([
    ['no JSON', '{"routes": [', /the whole of it: /],
    ['a fault', { providers: [PAWAPAY], routes: [routeOf('Telecel'), routeOf('X')] }, /routes\.1\.network: must be one of/],
    ['another account', { providers: [{ ...PAWAPAY, secret: 'other' }], routes: [] }, /providers\.0\.secret: a change needs a restart/],
    ['another address', { providers: [{ ...PAWAPAY, base_url: 'https://x.example' }], routes: [] }, /providers\.0\.base_url: a change needs/],
    ['a new option', { providers: [{ ...PAWAPAY, callback_host: 'pay.example.com' }], routes: [] }, /providers\.0\.callback_host: a change/],
    ['a country that a route needs gone', { providers: [{ ...PAWAPAY, countries: ['KE'] }], routes: [routeOf('MTN')] }, /has no permission in GH/],
  ])('with %s is refused, and what was in force stays', async (_, json, why) => {
    expect(await after(json)).toEqual(['MTN']);
    expect(lines).toEqual([{ code: 'providers_file_refused', why: expect.stringMatching(why) }]);
    expect(JSON.stringify(lines)).not.toContain('hunter2');
  }); // prettier-ignore

  it('is told once a minute while it is refused, and taken when it is right', async () => {
    await rm(file);
    for (let looks = 0; looks < 7; looks++) {
      await watch.look();
      nowMs += 10_000;
    }
    expect(lines.map(({ code }) => code)).toEqual(['providers_file_refused', 'providers_file_refused']);
    expect(await after({ providers: [PAWAPAY], routes: [] })).toEqual([]);
    expect(lines.at(-1)).toEqual({ code: 'providers_file_taken', routes: 0 });
  });
});
