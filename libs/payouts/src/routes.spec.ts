import { describe, expect, it } from '@jest/globals';
import { money, WALLET_CURRENCIES } from '@vuka/domain';

import type { PayoutDestination, PayoutProvider, ProviderCapabilities } from './payout-provider.js';
import { routesFor } from './routes.js';

const AMOUNT = 500_00n;
const KINDS = ['bank', 'mobile', 'paybill', 'till'] as const satisfies readonly PayoutDestination['kind'][];

function provider(id: string, limits: ProviderCapabilities['limits'] = {}): PayoutProvider {
  const unused = (): never => {
    throw new Error('not called');
  };
  const times = { lateWindowMs: 0, latePollScheduleMs: [1], pollScheduleMs: [1], callTimeoutMs: 1 };
  return {
    id,
    capabilities: {
      dedupesForMs: null,
      notFoundProvesAfterMs: null,
      callsAtOnce: 1,
      resolvesNames: true,
      debitsAt: 'payment',
      limits,
      ...times,
    },
    floats: [],
    walletOf: unused,
    submit: unused,
    query: unused,
  };
}

describe('routesFor', () => {
  const first = provider('sandbox');
  const second = provider('sandbox_b');

  it.each(WALLET_CURRENCIES)('pays everybody in %s by the first provider, then by the second', (currency) => {
    for (const kind of KINDS)
      expect(routesFor({ kind }, money(AMOUNT, currency), [second, provider('other'), first])).toEqual([first, second]);
  });

  it.each(['EUR', 'kes', 'KE', '', 'constructor', '__proto__'])(
    'has no route for anybody in "%s", which no wallet is in',
    (currency) => {
      for (const kind of KINDS) expect(routesFor({ kind }, money(AMOUNT, currency), [first, second])).toEqual([]);
    },
  );

  it('passes over a provider that is not configured', () => {
    expect(routesFor({ kind: 'bank' }, money(AMOUNT, 'KES'), [])).toEqual([]);
    expect(routesFor({ kind: 'bank' }, money(AMOUNT, 'KES'), [second])).toEqual([second]);
  });

  it.each([
    [9_99n, false],
    [10_00n, true],
    [20_00n, true],
    [20_01n, false],
  ])('passes over a provider that takes 10.00 to 20.00 for %s minor units: %s takes it', (amountMinor, isTaken) => {
    const bounded = provider('sandbox', { KES: { minMinor: 10_00n, maxMinor: 20_00n } });
    expect(routesFor({ kind: 'till' }, money(amountMinor, 'KES'), [bounded, second])).toEqual(
      isTaken ? [bounded, second] : [second],
    );
    expect(routesFor({ kind: 'bank' }, money(amountMinor, 'NGN'), [bounded])).toEqual([bounded]);
  });
});
