import { describe, expect, it } from '@jest/globals';

import { checkChainSettings, withChainSecrets, type ChainSettings } from './chain-settings.js';
import { loadSettings } from './settings.js';

const XPUB = `xpub${'1'.repeat(107)}`;
const ACCOUNT = `G${'A'.repeat(52)}WHF`;
const ONE = 'https://one.example/key-hunter2';
const TWO = 'https://two.example';
const PLAIN = 'http://plain.example/key-hunter2';

const messageOf = (work: () => unknown): string => {
  try {
    work();
    return 'taken';
  } catch (error) {
    const { name, message } = error as Error;
    return name === 'SettingsError' ? message : name;
  }
};

describe('the settings of chains', () => {
  it('have each chain its endpoints, and stand by the environment', () => {
    const env = {
      CHAIN_RPC_CELO: `${ONE}, ${TWO}`,
      CHAIN_RPC_BNB: TWO,
      DEPOSIT_XPUB: XPUB,
      SOLANA_ADDRESSES_FILE: '/solana.json',
      STELLAR_ACCOUNT: ACCOUNT,
      SCREENING_FILE: '/list.json',
      OWN_ADDRESSES_FILE: '/own.json',
      UNAPPLIED_POLICY: 'wallet',
      EXPOSURE_LIMIT_USD: '250',
    };
    expect(loadSettings(env).chains).toEqual({
      endpoints: { CELO: [ONE, TWO], BNB: [TWO] },
      agree: 1,
      depositXpub: XPUB,
      solanaAddressesFile: '/solana.json',
      stellarAccount: ACCOUNT,
      screeningFile: '/list.json',
      ownAddressesFile: '/own.json',
      unapplied: 'wallet',
      exposureLimitCents: 250_00n,
      refundWallets: {},
    });
    expect(loadSettings({}).chains.exposureLimitCents).toBe(10_000_00n);
    expect(loadSettings({ VUKA_ENV: 'live' }).chains.agree).toBe(2);
    expect(loadSettings({ CHAIN_RPC_AGREE: '3' }).chains.agree).toBe(3);
  });

  it('have the sandbox run the chains that are named', () => {
    const named = (text: string): readonly string[] => loadSettings({ VUKA_SANDBOX_CHAINS: text }).sandboxChains;
    expect(named('none')).toEqual([]);
    expect(named('celo, BNB')).toEqual(['CELO', 'BNB']);
    expect(named('all')).toEqual(loadSettings({}).sandboxChains);
    expect(loadSettings({ VUKA_ENV: 'live' }).sandboxChains).toEqual([]);
  });

  it('are known by name: an unknown chain is a typing error', () => {
    expect(loadSettings({ CHAIN_RPC_CELLO: ONE, CHAIN_RPC_CELO: ONE, CHAIN_RPC_AGREE: '1' }).unknownVariables).toEqual([
      'CHAIN_RPC_CELLO',
    ]);
  });

  it.each([
    [{ CHAIN_RPC_CELO: 'celo' }, /^CHAIN_RPC_CELO must be 1 to 8 different http or https URLs, separated by commas$/],
    [{ CHAIN_RPC_CELO: `${ONE},${ONE}` }, /^CHAIN_RPC_CELO must be/],
    [{ CHAIN_RPC_CELO: `${ONE},` }, /^CHAIN_RPC_CELO must be/],
    [{ CHAIN_RPC_CELO: 'wss://one.example/hunter2' }, /^CHAIN_RPC_CELO must be/],
    [{ CHAIN_RPC_AGREE: '0' }, /^CHAIN_RPC_AGREE must be a whole number from 1 to 8$/],
    [{ DEPOSIT_XPUB: 'xprv-hunter2' }, /^DEPOSIT_XPUB must be/],
    [{ STELLAR_ACCOUNT: 'hunter2' }, /^STELLAR_ACCOUNT must be an account of Stellar/],
    [{ SOLANA_ADDRESSES_FILE: 'hunter2\0' }, /^SOLANA_ADDRESSES_FILE must be a path$/],
    [
      { VUKA_SANDBOX_CHAINS: 'hunter2' },
      /^VUKA_SANDBOX_CHAINS must be all, none, or different names from this list, separated by commas: BASE, CELO/,
    ],
    [{ VUKA_SANDBOX_CHAINS: 'CELO,CELO' }, /^VUKA_SANDBOX_CHAINS must be/],
    [{ VUKA_ENV: 'live', VUKA_SANDBOX_CHAINS: 'none' }, /^VUKA_SANDBOX_CHAINS must be left out when VUKA_ENV is live$/],
    [{ EXPOSURE_LIMIT_USD: '-1' }, /^EXPOSURE_LIMIT_USD must be a whole number from 0 to/],
    [{ UNAPPLIED_POLICY: 'take' }, /^UNAPPLIED_POLICY must be keep or wallet$/],
  ])('%o is refused by name, and no value is told', (env, rule) => {
    const message = messageOf(() => loadSettings(env));
    expect(message).toMatch(rule);
    expect(message).not.toContain('hunter2');
  });

  const rates = {
    url: 'https://rates.example/',
    maxAgeMs: 60_000,
    spreads: new Map(),
    mostOpenQuotesCents: 100_000_000n,
  };
  const chains: ChainSettings = {
    endpoints: { CELO: [ONE, TWO] },
    agree: 2,
    depositXpub: XPUB,
    stellarAccount: null,
    unapplied: 'keep',
    exposureLimitCents: 1_000_000n,
    refundWallets: {},
  };

  it('needs a rate source in live if a chain is read', () => {
    const check = (env: 'sandbox' | 'live', served: ChainSettings): string =>
      messageOf(() => checkChainSettings({ env, chains: served, rates: { ...rates, url: null } }));
    expect(check('live', chains)).toMatch(/^RATES_URL must be set/);
    expect([check('live', { ...chains, endpoints: {} }), check('sandbox', chains)]).toEqual(['taken', 'taken']);
  });

  it.each<['sandbox' | 'live', Partial<ChainSettings>, RegExp]>([
    ['live', {}, /^taken$/],
    ['live', { endpoints: {}, agree: 1, depositXpub: null }, /^taken$/],
    ['live', { agree: 1 }, /^CHAIN_RPC_AGREE must be at least 2 when VUKA_ENV is live/],
    ['live', { endpoints: { CELO: [ONE] } }, /^CHAIN_RPC_CELO must be at least 2 URLs/],
    ['live', { depositXpub: null }, /^DEPOSIT_XPUB must be set/],
    ['live', { endpoints: { SOLANA: [ONE, TWO] }, depositXpub: null }, /^SOLANA_ADDRESSES_FILE must be set/],
    ['live', { endpoints: { SOLANA: [ONE, TWO] }, depositXpub: null, solanaAddressesFile: '/solana.json' }, /^taken$/],
    ['live', { endpoints: { STELLAR: [ONE, TWO] }, depositXpub: null }, /^STELLAR_ACCOUNT must be set/],
    ['live', { endpoints: { STELLAR: [ONE, TWO] }, depositXpub: null, stellarAccount: ACCOUNT }, /^taken$/],
    ['sandbox', { agree: 1, endpoints: { CELO: [ONE] }, depositXpub: null }, /^taken$/],
    ['sandbox', { endpoints: { CELO: [ONE, PLAIN] } }, /^taken$/],
    ['sandbox', { agree: 3 }, /^CHAIN_RPC_CELO must be at least 3 URLs/],
  ])('in %s with %o: %s', (env, changed, rule) => {
    expect(messageOf(() => checkChainSettings({ env, rates, chains: { ...chains, ...changed } }))).toMatch(rule);
  });

  it('may stand in the file of secrets, each thing in one place', () => {
    const bare = { ...chains, endpoints: { BNB: [TWO] }, depositXpub: null };
    expect(withChainSecrets(bare, { endpoints: { CELO: [ONE] }, depositXpub: XPUB, ratesUrl: null })).toEqual({
      ...chains,
      endpoints: { BNB: [TWO], CELO: [ONE] },
    });
    expect(
      messageOf(() => withChainSecrets(bare, { endpoints: { BNB: [ONE] }, depositXpub: null, ratesUrl: null })),
    ).toMatch(/^CHAIN_RPC_BNB must be left out/);
    expect(messageOf(() => withChainSecrets(chains, { endpoints: {}, depositXpub: XPUB, ratesUrl: null }))).toMatch(
      /^DEPOSIT_XPUB must be left out/,
    );
  });
});
