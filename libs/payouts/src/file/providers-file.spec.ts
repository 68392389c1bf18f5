import { describe, expect, it } from '@jest/globals';
import { CORRIDORS, carriersOf, fullCoverage, money, type Coverage, type RoutedRecipient } from '@vuka/domain';

import type { ProvidersFileRules } from './provider-rows.js';
import { readProvidersFile } from './providers-file.js';

const SECRET = 'hunter2-hunter2-hunter2-hunter2';

const PAWAPAY = {
  id: 'pawapay',
  base_url: 'https://api.pawapay.io',
  secret: 'pawapay',
  countries: ['GH', 'CD'],
  accepts_stablecoin_funds: 'consent',
};
const SANDBOX = {
  id: 'sandbox',
  base_url: 'http://127.0.0.1:3900',
  secret: 'sandbox',
  countries: ['GH', 'NG', 'KE'],
  accepts_stablecoin_funds: 'yes',
};
const MTN = { currency: 'GHS', kind: 'mobile', network: 'MTN', providers: ['pawapay'] };

const LIVE: ProvidersFileRules = { env: 'live', allowStablecoinFundsAt: [] };
const PLAY: ProvidersFileRules = { env: 'sandbox', allowStablecoinFundsAt: [] };

function faultsOf(json: unknown, rules = LIVE): readonly string[] {
  const read = readProvidersFile(json, rules);
  return read.ok ? [] : read.error;
}

function coverageOf(json: unknown, rules = LIVE): Coverage {
  const read = readProvidersFile(json, rules);
  if (!read.ok) throw new Error(read.error.join('; '));
  return read.value.coverage;
}

const file = (providers: readonly object[], routes: readonly object[]): object => ({ providers, routes });
const row = (change: object): object => file([{ ...PAWAPAY, ...change }], [MTN]);
const route = (change: object): object => file([PAWAPAY], [{ ...MTN, ...change }]);

describe('a providers file', () => {
  it('says who pays what, first choice first', () => {
    const both = file(
      [{ ...PAWAPAY, base_url: 'https://api.sandbox.pawapay.io' }, SANDBOX],
      [
        { ...MTN, providers: ['sandbox', 'pawapay'] },
        { currency: 'NGN', kind: 'bank', providers: ['sandbox'] },
      ],
    );
    expect(
      coverageOf(both, PLAY).map(({ carriers, ...corridor }) => [corridor, carriers.map(({ provider }) => provider)]),
    ).toEqual([
      [{ currency: 'GHS', kind: 'mobile', network: 'MTN' }, ['sandbox', 'pawapay']],
      [{ currency: 'NGN', kind: 'bank', network: null }, ['sandbox']],
    ]);
  });

  it('may have no route, and then pays nothing', () => {
    expect(coverageOf(file([PAWAPAY], []))).toEqual([]);
  });

  it('gives a provider only what it takes: of two, the one whose limits hold the amount', () => {
    const coverage = coverageOf(
      file([{ ...PAWAPAY, base_url: 'http://localhost:1' }, SANDBOX], [{ ...MTN, providers: ['pawapay', 'sandbox'] }]),
      PLAY,
    );
    const to: RoutedRecipient = { kind: 'mobile', network: 'MTN', bankCode: null, accountLength: null };
    const payers = (minor: bigint): string[] =>
      carriersOf(coverage, to, money(minor, 'GHS')).map(({ provider }) => provider);
    expect([99n, 1_00n, 15_000_00n, 15_000_01n].map(payers)).toEqual([
      ['sandbox'],
      ['pawapay', 'sandbox'],
      ['pawapay', 'sandbox'],
      ['sandbox'],
    ]);
    expect(carriersOf(coverage, { ...to, network: 'Telecel' }, money(1_00n, 'GHS'))).toEqual([]);
    expect(carriersOf(coverage, to, money(1_00n, 'KES'))).toEqual([]);
  });

  it("takes the account's own limits instead of published ones", () => {
    const limits = [{ provider: 'MTN_MOMO_GHA', currency: 'GHS', min: '2', max: '30.5' }];
    expect(coverageOf(row({ limits }))[0]?.carriers[0]?.limits).toEqual({ minMinor: 2_00n, maxMinor: 30_50n });
  });

  it('pays dollars in Congo, with the permission of Congo', () => {
    const dollars = { currency: 'USD', kind: 'mobile', network: 'Mpesa', providers: ['pawapay'] };
    expect(coverageOf(file([PAWAPAY], [dollars]))[0]?.carriers[0]).toMatchObject({ decimals: 2, limits: null });
    expect(faultsOf(file([{ ...PAWAPAY, countries: ['GH'] }], [dollars]))).toEqual([
      'routes.0.providers.0: pawapay has no permission in CD: see its countries',
    ]);
  });

  it("can hold everything, as the sandbox's does", () => {
    const countries = [...new Set(CORRIDORS.flatMap((corridor) => corridor.countries))];
    const routes = CORRIDORS.map(({ currency, kind, network }) => ({
      currency,
      kind,
      ...(network !== null && { network }),
      providers: ['sandbox'],
    }));
    expect(coverageOf(file([{ ...SANDBOX, countries }], routes), PLAY)).toEqual(fullCoverage(['sandbox']));
  });
});

describe('a fault is told by its path', () => {
  it.each<[string, unknown, readonly (string | RegExp)[]]>([
    ['no JSON', undefined, [/^the whole of it: /]],
    ['no provider', file([], []), [/^providers: /]],
    ['an unknown provider', row({ id: 'flutterwave' }), [/^providers\.0\.id: Invalid option/]],
    ['an unknown member', { ...file([PAWAPAY], [MTN]), rules: [] }, [/^the whole of it: Unrecognized key: "rules"/]],
    ['a secret in the file', row({ credential: SECRET }), [/^providers\.0: Unrecognized key: "credential"/]],
    ["another provider's option", file([{ ...SANDBOX, callback_host: 'x' }], []), [/^providers\.0: Unrecognized key/]],
    ['a password in an address', row({ base_url: `https://a:${SECRET}@x` }), [/^providers\.0\.base_url: must be an http or https/]],
    ['no address', row({ base_url: 'api.pawapay.io' }), [/^providers\.0\.base_url: /]],
    ['a bad name of a secret', row({ secret: `${SECRET} !` }), [/^providers\.0\.secret: must be 1 to 41/]],
    ['an unknown country', row({ countries: ['GH', 'FR'] }), [/^providers\.0\.countries\.1: /]],
    ['no word on stablecoin', row({ accepts_stablecoin_funds: undefined }), [/^providers\.0\.accepts_stablecoin_funds: /]],
    ['an option out of range', row({ call_timeout_ms: 1 }), [/^providers\.0\.call_timeout_ms: /]],
    ['a limit of a network that is none', row({ limits: [{ provider: 'X', currency: 'GHS', min: '1', max: '2' }] }), [/^providers\.0\.limits\.0: must name a network/]],
    ['limits the wrong way round', row({ limits: [{ provider: 'MTN_MOMO_GHA', currency: 'GHS', min: '3', max: '2' }] }), [/^providers\.0\.limits\.0: must have decimal strings/]],
    ['a provider twice', file([PAWAPAY, PAWAPAY], [MTN]), ['providers.1.id: pawapay has a row above']],
    ['an unknown currency', route({ currency: 'EUR' }), [/^routes\.0\.currency: /]],
    ['an unknown kind', route({ kind: 'card' }), [/^routes\.0\.kind: /]],
    ['a kind that our rules do not pay', route({ kind: 'till' }), ['routes.0.kind: our rules pay no till in GHS']],
    ['a phone without a network', route({ network: undefined }), ['routes.0.network: must be one of MTN, AirtelTigo, Telecel']],
    ['a network that is none', route({ network: 'Mpesa' }), ['routes.0.network: must be one of MTN, AirtelTigo, Telecel']],
    ['a network of a bank', route({ currency: 'NGN', kind: 'bank', network: 'MTN' }), ['routes.0.network: must be absent for bank']],
    ['no provider of a route', route({ providers: [] }), [/^routes\.0\.providers: /]],
    ['a provider that has no row', route({ providers: ['pawapay', 'sandbox_b'] }), ['routes.0.providers.1: no provider of this file has the id sandbox_b']],
  ])('%s', (_, json, faults) => {
    const told = faultsOf(json);
    expect(told).toHaveLength(faults.length);
    for (const [place, fault] of faults.entries()) expect(told[place]).toMatch(fault);
    expect(told.join(' ')).not.toContain('hunter2');
  }); // prettier-ignore

  it.each<[string, object, string]>([
    ['without permission in a country', { ...MTN, currency: 'KES', network: 'Safaricom' }, 'routes.0.providers.0: pawapay has no permission in KE: see its countries'],
    ['for what its provider does not pay', { currency: 'KES', kind: 'bank', providers: ['pawapay'] }, 'routes.0.providers.0: pawapay does not pay KES bank'],
    ['for a network that its provider lacks', { ...MTN, currency: 'ETB', network: 'Telebirr' }, 'routes.0.providers.0: pawapay does not pay ETB mobile Telebirr'],
    ['that names a provider twice', { ...MTN, providers: ['pawapay', 'pawapay'] }, 'routes.0.providers.1: pawapay is named twice'],
  ])('a route %s', (what, given, fault) => {
    const countries = what.startsWith('without') ? ['GH'] : ['GH', 'KE', 'ET'];
    expect(faultsOf(file([{ ...PAWAPAY, countries }], [given]))).toEqual([fault]);
  }); // prettier-ignore

  it('two routes of one corridor', () => {
    expect(faultsOf(file([PAWAPAY], [MTN, { ...MTN, network: 'Telecel' }, MTN]))).toEqual([
      'routes.2: GHS mobile MTN has a route already, routes.0',
    ]);
  });
});

describe('live', () => {
  it.each([
    [{ base_url: 'http://api.pawapay.io' }, 'providers.0.base_url: must be https in live'],
    [
      { refund_safe_after_ms: 0 },
      'providers.0.refund_safe_after_ms: is 0: live refuses to send value back before the provider cannot pay any more',
    ],
    [
      { base_url: 'https://api.sandbox.pawapay.io' },
      'providers.0.base_url: is a test system, which pays nobody: live refuses it',
    ],
  ])('refuses %j', (change, fault) => {
    expect(faultsOf(row(change))).toEqual([fault]);
  });

  it.each(['sandbox', 'sandbox_b'])('refuses %s, which pays with play money, by name', (id) => {
    expect(faultsOf(file([PAWAPAY, { ...SANDBOX, id, base_url: 'https://x' }], [MTN]))).toEqual([
      `providers.1.id: ${id} pays with play money, which live refuses`,
    ]);
  });

  it.each(['no', 'unknown'])(
    'refuses a provider that says "%s" to money from stablecoin, unless it is named',
    (said) => {
      const given = row({ accepts_stablecoin_funds: said });
      expect(faultsOf(given)).toEqual([
        `providers.0.accepts_stablecoin_funds: is ${said}: live refuses pawapay unless VUKA_ALLOW_STABLECOIN_FUNDS_AT names it`,
      ]);
      expect(faultsOf(given, { ...LIVE, allowStablecoinFundsAt: ['pawapay'] })).toEqual([]);
      expect(faultsOf(row({ accepts_stablecoin_funds: said, base_url: 'http://localhost' }), PLAY)).toEqual([]);
    },
  );

  it('refuses an exception for a provider that is not there', () => {
    expect(faultsOf(row({}), { ...LIVE, allowStablecoinFundsAt: ['paystack'] })).toEqual([
      'providers: none is paystack, which VUKA_ALLOW_STABLECOIN_FUNDS_AT names',
    ]);
  });
});

describe('the sandbox', () => {
  it.each(['https://api.pawapay.io', 'https://10.0.0.1', 'https://pay.example.com'])(
    'never calls %s, which may pay real people',
    (base_url) => {
      expect(faultsOf(row({ base_url }), PLAY)).toEqual([
        'providers.0.base_url: may pay real money: the sandbox takes api.sandbox.pawapay.io or a simulator of ours',
      ]);
    },
  );

  it('leaves it to the credential where both modes have one address', () => {
    const chapa = file(
      [{ ...PAWAPAY, id: 'chapa', base_url: 'https://api.chapa.co', countries: ['ET'] }],
      [{ currency: 'ETB', kind: 'mobile', network: 'Telebirr', providers: ['chapa'] }],
    );
    expect(faultsOf(chapa, PLAY)).toEqual([]);
  });

  it.each(['https://api.sandbox.pawapay.io', 'http://127.0.0.1:1', 'http://[::1]:1', 'http://simulator:3900'])(
    'calls %s',
    (base_url) => {
      expect(faultsOf(row({ base_url }), PLAY)).toEqual([]);
    },
  );
});
