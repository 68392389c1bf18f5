import { describe, expect, it } from '@jest/globals';
import { systemClock } from '@vuka/runtime';

import { connectProviders } from './connect-providers.js';
import type { ConfiguredProvider } from './file/provider-rows.js';
import type { ProviderSecret, ProviderSurroundings } from './provider-factory.js';
import { ProviderValues } from './kept-values.js';
import { tellsBalances } from './payout-provider.js';
import { hasStatement } from './statement-provider.js';

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
      [true, true],
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

  it.each(['pawapay', 'paystack', 'chapa'] as const)('%s gets as many calls at once as its row allows', async (id) => {
    const limited = { ...ROW, id, secret: 'main', max_connections: 3 };
    const connected = connectProviders([limited], SECRETS, AROUND);
    if (!connected.ok) throw new Error(connected.error.join());
    expect(connected.value.providers.map(({ capabilities }) => capabilities.callsAtOnce)).toEqual([3]);
    await connected.value.close();
  });

  describe('that asks before it pays', () => {
    const connect = (secret: Partial<ProviderSecret>, around: Partial<ProviderSurroundings>) =>
      connectProviders(
        [{ ...ROW, id: 'chapa', secret: 'chapa' }],
        new Map([
          ['chapa', { credential: 'CHASECK-hunter2', callbackTokens: TOKENS, signingSecrets: ['s'], ...secret }],
        ]),
        { ...AROUND, env: 'live', isCalledBack: true, ...around },
      );

    it.each<[string, Partial<ProviderSecret>]>([
      ['signing_secret', { signingSecrets: [] }],
      ['callback_token', { callbackTokens: [] }],
      ['signing_secret and callback_token', { signingSecrets: [], callbackTokens: [] }],
    ])('is refused in live where its secret has no %s', (lacks, secret) => {
      const rule = `names a secret without ${lacks}: chapa asks before it pays, and each payout would be refused`;
      expect(connect(secret, {})).toEqual({ ok: false, error: [`providers.0.secret: ${rule}`] });
    });

    it.each<[string, Partial<ProviderSecret>, Partial<ProviderSurroundings>]>([
      ['all of them', {}, {}],
      ['none where it does not call', { signingSecrets: [], callbackTokens: [] }, { isCalledBack: false }],
      ['none in the sandbox', { signingSecrets: [], callbackTokens: [] }, { env: 'sandbox' }],
    ])('is opened with %s', async (_, secret, around) => {
      const connected = connect(secret, around);
      if (!connected.ok) throw new Error(connected.error.join());
      await connected.value.close();
    });
  });

  describe('whose credential says whether it is of test mode', () => {
    const connect = (env: 'sandbox' | 'live', base_url: string, credential: string) =>
      connectProviders(
        [{ ...ROW, base_url, id: 'chapa', secret: 'chapa' }],
        new Map([['chapa', { credential, callbackTokens: [] }]]),
        { ...AROUND, env },
      );
    const THEIRS = 'https://api.chapa.co';
    const OURS = 'http://127.0.0.1:9';
    const [TEST, LIVE] = ['CHASECK_TEST-x', 'CHASECK-x'];

    it.each<['sandbox' | 'live', string, string, string]>([
      ['live', THEIRS, TEST, 'names a key of its test mode, which pays nobody: live refuses it'],
      ['live', OURS, TEST, 'names a key of its test mode, which pays nobody: live refuses it'],
      ['sandbox', THEIRS, LIVE, 'may pay real money: the sandbox takes a key of its test mode, or a simulator of ours'],
    ])('in %s at %s with %s are refused, and the credential is not told', (env, at, credential, rule) => {
      expect(connect(env, at, credential)).toEqual({ ok: false, error: [`providers.0.secret: ${rule}`] });
    });

    it.each<['sandbox' | 'live', string, string]>([
      ['live', THEIRS, LIVE],
      ['sandbox', THEIRS, TEST],
      ['sandbox', OURS, LIVE],
      ['sandbox', OURS, TEST],
    ])('in %s at %s with %s are opened', async (env, at, credential) => {
      const connected = connect(env, at, credential);
      if (!connected.ok) throw new Error(connected.error.join());
      await connected.value.close();
    });
  });
});
