import { describe, expect, it } from '@jest/globals';
import { MemoryBuckets, newCallContext, type RateLimitStore } from '@vuka/http';
import { loadSettings } from '@vuka/config';
import { ManualClock } from '@vuka/runtime';
import { openService, type OpenedService } from '@vuka/service-host';
import { testContext } from '@vuka/service-host/test-context';

import { NamingProvider } from './resolve-name.spec-support.js';
import { validation } from './validation.js';
import type { ValidationRoot } from './validation.root.js';

const PHONE = { kind: 'mobile', phone: '+254712345678', mobile_network: 'Safaricom' } as const;
const { rateLimits } = loadSettings({});

function started(rateLimitStore?: RateLimitStore): Promise<OpenedService<ValidationRoot>> {
  const provider = new NamingProvider(() => ({ outcome: 'found', name: 'MARY WANJIKU' }));
  return openService(
    validation,
    testContext({
      providers: { providers: [provider] },
      clock: new ManualClock(new Date()),
      settings: { rateLimits: { ...rateLimits, destination: { ratePerS: 1, burst: 3 } } },
      rateLimitStore: rateLimitStore ?? null,
    }),
  );
}

async function answered(pair: readonly OpenedService<ValidationRoot>[]): Promise<number> {
  let count = 0;
  for (let n = 0; n < 6; n++) {
    const input = { partner_id: 1, currency: 'KES', destination: PHONE, account_name: null };
    const answer = await pair[n % 2]!.handlers.resolveName(input, newCallContext());
    if (answer.ok) count += 1;
    else expect(answer.error.code).toBe('rate_limited');
  }
  await Promise.all(pair.map((one) => one.stop()));
  return count;
}

describe('the limit per destination', () => {
  it('is one for all validations that are given one store, and else each one’s own', async () => {
    const store = new MemoryBuckets();
    expect(await answered([await started(store), await started(store)])).toBe(3);
    expect(await answered([await started(), await started()])).toBe(6);
  });
});
