import { describe, expect, it } from '@jest/globals';
import { banksOf } from '@vuka/domain';
import { systemClock } from '@vuka/runtime';

import { connectProviders } from '../../connect-providers.js';
import { readProvidersFile } from '../../file/providers-file.js';
import type { ProvidersFileRules } from '../../file/provider-rows.js';
import { ProviderValues } from '../../kept-values.js';
import { NGN_BANK_CODES } from './banks.js';
import { paystack } from './factory.js';

const ROW = {
  id: 'paystack',
  base_url: 'https://api.paystack.co',
  secret: 'paystack',
  countries: ['NG', 'KE', 'GH'],
  accepts_stablecoin_funds: 'consent',
};
const BANKS = { currency: 'KES', kind: 'bank', providers: ['paystack'] };

const read = (row: object, routes: readonly object[] = [], env: ProvidersFileRules['env'] = 'live') =>
  readProvidersFile({ providers: [{ ...ROW, ...row }], routes }, { env, allowStablecoinFundsAt: [] });
const faultsOf = (...args: Parameters<typeof read>): readonly string[] => {
  const file = read(...args);
  return file.ok ? [] : file.error;
};

describe('what Paystack carries', () => {
  const published = paystack.carries({});

  it('is what its channels pay, whole shillings at M-PESA, and no Kenyan bank', () => {
    expect(
      published.map(({ currency, kind, network, decimals, limits, banks, accountLength }) =>
        [
          currency,
          kind,
          network ?? '-',
          decimals,
          limits === null ? 'any' : 'some',
          banks?.size ?? '-',
          accountLength?.max ?? '-',
        ].join(' '),
      ),
    ).toEqual([
      'NGN bank - 2 any 247 10',
      'KES mobile Safaricom 0 any - -',
      'KES till - 0 any - -',
      'KES paybill - 0 any - -',
      'GHS mobile MTN 2 any - -',
      'GHS mobile Telecel 2 any - -',
      'GHS mobile AirtelTigo 2 any - -',
    ]);
  });

  it('is every Nigerian bank whose code names one institution, under its own code', () => {
    expect([...NGN_BANK_CODES.keys()].sort()).toEqual(
      banksOf('NGN')
        .map(({ code }) => code)
        .sort(),
    );
    for (const [ours, theirs] of NGN_BANK_CODES) expect(theirs).toBe(ours);
    for (const shared of ['50572', '50739', '50840', '51253']) expect(NGN_BANK_CODES.has(shared)).toBe(false);
  });

  it('is Kenyan banks where the row maps them, and those alone', () => {
    const carried = paystack.carries({ kes_banks: { '01': '0001', '03': '0003' } });
    expect(carried.find(({ currency, kind }) => currency === 'KES' && kind === 'bank')?.banks).toEqual(
      new Set(['01', '03']),
    );
    expect(faultsOf({}, [BANKS])).not.toEqual([]);
    expect(faultsOf({ kes_banks: { '01': '0001' } }, [BANKS])).toEqual([]);
  });

  it('is within limits of the account', () => {
    const limits = [{ currency: 'GHS', kind: 'mobile', network: 'MTN', min: '1', max: '10000.50' }];
    expect(paystack.carries({ limits }).flatMap((one) => one.limits ?? [])).toEqual([
      { minMinor: 1_00n, maxMinor: 10_000_50n },
    ]);
  });
});

describe('its row', () => {
  it.each([
    [{ kes_banks: { '99': '0001' } }, /kes_banks: must have bank codes/],
    [{ kes_banks: { '01': '0001', '03': '0001' } }, /kes_banks: must not have a code of theirs twice/],
    [{ kes_banks: { '01': 'a/b' } }, /kes_banks/],
    [{ limits: [{ currency: 'KES', kind: 'mobile', min: '1', max: '2' }] }, /limits\.0: must name/],
    [{ limits: [{ currency: 'NGN', kind: 'bank', min: '2', max: '1' }] }, /limits\.0: must have/],
    [{ reason: 'Payout: 5%' }, /reason/],
    [{ not_found_proves_after_ms: 0 }, /not_found_proves_after_ms/],
    [{ callback_host: 'x' }, /callback_host/],
  ])('%j is refused', (row, fault) => {
    expect(faultsOf(row).join()).toMatch(fault);
  });
});

describe('its key', () => {
  const faultsWith = (
    credential: string,
    env: ProvidersFileRules['env'],
    base_url = ROW.base_url,
  ): readonly string[] => {
    const file = read({ base_url }, [], env);
    if (!file.ok) return file.error;
    const secrets = new Map([['paystack', { credential, callbackTokens: [] }]]);
    const connected = connectProviders(file.value.rows, secrets, {
      env,
      clock: systemClock,
      kept: new ProviderValues(),
    });
    if (connected.ok) void connected.value.close();
    return connected.ok ? [] : connected.error;
  };

  it('of the test mode pays nobody: live refuses it', () => {
    expect(faultsWith('sk_test_hunter2', 'live')).toEqual([
      'providers.0.secret: names a key of its test mode, which pays nobody: live refuses it',
    ]);
    expect(faultsWith('sk_live_hunter2', 'live')).toEqual([]);
  });

  it('of the live mode may pay: the sandbox refuses it, but for a simulator of ours', () => {
    const [fault] = faultsWith('sk_live_hunter2', 'sandbox');
    expect(fault).toMatch(/^providers\.0\.secret: may pay real money/);
    expect(fault).not.toContain('hunter2');
    expect(faultsWith('sk_test_hunter2', 'sandbox')).toEqual([]);
    expect(faultsWith('anything', 'sandbox', 'http://127.0.0.1:9')).toEqual([]);
  });
});
