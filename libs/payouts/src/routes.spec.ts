import { describe, expect, it } from '@jest/globals';
import { currencyDecimals } from '@vuka/domain';

import type { PayoutProvider } from './payout-provider.js';
import { PAYOUT_ROUTES, routesFor } from './routes.js';

function provider(id: string): PayoutProvider {
  const unused = (): never => {
    throw new Error('not called');
  };
  const capabilities = { dedupesById: true, lateWindowMs: 0, pollScheduleMs: [1], callTimeoutMs: 1, resolvesNames: true };
  return { id, capabilities, submit: unused, query: unused };
}

describe('routesFor', () => {
  const sandbox = provider('sandbox');

  it.each(['KES', 'NGN', 'MWK'])('pays banks in %s by the sandbox rail', (currency) => {
    expect(routesFor({ kind: 'bank' }, currency, [provider('other'), sandbox])).toEqual([sandbox]);
  });

  it.each(['UGX', 'USD', 'kes', '', 'constructor', '__proto__'])('has no route for banks in "%s"', (currency) => {
    expect(routesFor({ kind: 'bank' }, currency, [sandbox])).toEqual([]);
  });

  it('passes over a provider that is not configured', () => {
    expect(routesFor({ kind: 'bank' }, 'KES', [])).toEqual([]);
  });

  it('names only currencies that we can write amounts of', () => {
    const currencies = Object.values(PAYOUT_ROUTES).flatMap((byCurrency) => Object.keys(byCurrency));
    expect(currencies.map(currencyDecimals)).toEqual(currencies.map(() => 2));
  });
});
