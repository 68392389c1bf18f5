import { describe, expect, it } from '@jest/globals';
import { systemClock } from '@vuka/runtime';

import { connectProviders } from './connect-providers.js';
import type { ConfiguredProvider } from './file/provider-rows.js';
import type { ProviderSecret } from './provider-factory.js';
import { ProviderValues } from './kept-values.js';
import { hasStatement, tellsBalances } from './payout-provider.js';

const ROW = { base_url: 'http://127.0.0.1:9', countries: ['KE'], accepts_stablecoin_funds: 'yes' } as const;
const ROWS: readonly ConfiguredProvider[] = [
  { ...ROW, id: 'pawapay', secret: 'main' },
  { ...ROW, id: 'sandbox', secret: 'play' },
  { ...ROW, id: 'sandbox_b', secret: 'play' },
];
const TOKENS = ['a'.repeat(32), 'b'.repeat(32)];
const SECRETS: ReadonlyMap<string, ProviderSecret> = new Map([
  ['main', { credential: 'x', callbackTokens: TOKENS }],
  ['play', { credential: 'y', callbackTokens: [] }],
]);

const AROUND = { env: 'sandbox', clock: systemClock, kept: new ProviderValues() } as const;

describe('providers of a file', () => {
  it('are opened in its order, each with its own adapter', async () => {
    const connected = connectProviders(ROWS, SECRETS, { ...AROUND, testRefundSafeMs: 7 });
    if (!connected.ok) throw new Error(connected.error.join());
    const { providers, controls, callbackTokens, close } = connected.value;
    expect(providers.map(({ id }) => id)).toEqual(['pawapay', 'sandbox', 'sandbox_b']);
    expect(providers.map((one) => [hasStatement(one), tellsBalances(one)])).toEqual([
      [false, true],
      [true, true],
      [false, true],
    ]);
    expect(providers.map(({ capabilities }) => capabilities.refundSafeAfterMs)).toEqual([24 * 3_600_000, 7, 7]);
    expect([...controls.keys()]).toEqual(['sandbox', 'sandbox_b']);
    expect([...callbackTokens]).toEqual([
      ['pawapay', TOKENS],
      ['sandbox', []],
      ['sandbox_b', []],
    ]);
    await close();
  });

  it('whose secret is missing are told by path, and none is opened', () => {
    expect(connectProviders(ROWS, new Map([['main', { credential: 'x', callbackTokens: [] }]]), AROUND)).toEqual({
      ok: false,
      error: [
        'providers.1.secret: names nothing in `providers` of the secrets file',
        'providers.2.secret: names nothing in `providers` of the secrets file',
      ],
    });
  });
});
