import { describe, expect, it } from '@jest/globals';

import { hasStatement } from '../../statement-provider.js';
import { sandboxProvider } from './sandbox-provider.js';

const NOWHERE = { baseUrl: 'http://127.0.0.1:9', credential: 'c' };

describe('the sandbox providers', () => {
  it('are two, named as their providers: one dedupes and lists what it has done, the other does neither', async () => {
    const [first, second] = [
      sandboxProvider({ ...NOWHERE, profile: 'sandbox' }),
      sandboxProvider({ ...NOWHERE, profile: 'sandbox_b' }),
    ];
    expect(
      [first, second].map((provider) => [
        provider.id,
        provider.capabilities.dedupesForMs !== null,
        hasStatement(provider),
      ]),
    ).toEqual([
      ['sandbox', true, true],
      ['sandbox_b', false, false],
    ]);
    await Promise.all([first.close(), second.close()]);
  });

  it('look at an attempt at least once within its late window, and wait less than it', () => {
    const { lateWindowMs, latePollScheduleMs } = sandboxProvider(NOWHERE).capabilities;
    expect(latePollScheduleMs.length).toBeGreaterThan(0);
    for (const waitMs of latePollScheduleMs) expect(waitMs).toBeLessThan(lateWindowMs);
  });
});
