import { CORRIDORS, currencyDecimals } from '@vuka/domain';
import { z } from 'zod';

import { PROVIDER_ROW, type ProviderFactory } from '../../provider-factory.js';
import { sandboxControl } from './sandbox-control.js';
import type { SandboxProfile } from './sandbox-profiles.js';
import { sandboxProvider } from './sandbox-provider.js';

/** It pays anybody anything that our rules let through. */
export function sandboxFactory(profile: SandboxProfile): ProviderFactory {
  return {
    row: z.strictObject(PROVIDER_ROW),
    isPlayMoney: true,
    testHosts: [],
    carries: () =>
      CORRIDORS.map(({ currency, kind, network }) => ({
        currency,
        kind,
        network,
        decimals: currencyDecimals(currency),
        limits: null,
        banks: null,
        accountLength: null,
      })),
    open: ({ base_url: baseUrl }, { credential }, { testRefundSafeMs }) => ({
      provider: sandboxProvider({
        baseUrl,
        credential,
        profile,
        ...(testRefundSafeMs !== undefined && { refundSafeAfterMs: testRefundSafeMs }),
      }),
      control: sandboxControl({ baseUrl, credential }),
    }),
  };
}
