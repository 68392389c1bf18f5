import { z } from 'zod';

import type { ConnectedProvider, NameProvider } from '../../payout-provider.js';
import { sandboxControl, type ConnectedControl } from './sandbox-control.js';
import { sandboxProvider } from './sandbox-provider.js';

const way = { base_url: z.url({ protocol: /^https?$/ }), credential: z.string().min(1) };

/** sandbox-provider.json: the first provider, and the others by id. */
export const sandboxProviderFile = z.object({
  ...way,
  others: z.array(z.object({ id: z.enum(['sandbox', 'sandbox_b']), ...way })).default([]),
});

export type SandboxProviderAddress = z.output<typeof sandboxProviderFile>['others'][number];

/** In live there are none. */
export interface ConnectedProviders {
  /** In order of preference. */
  readonly providers: readonly (ConnectedProvider & NameProvider)[];
  /** By provider id. */
  readonly controls: ReadonlyMap<string, ConnectedControl>;
  close(): Promise<void>;
}

/** The first call connects. `refundSafeAfterMs` replaces the value of every profile. */
export function connectSandboxProviders(
  addresses: readonly SandboxProviderAddress[],
  refundSafeAfterMs?: number,
): ConnectedProviders {
  const safe = refundSafeAfterMs === undefined ? {} : { refundSafeAfterMs };
  const providers = addresses.map(({ id, base_url: baseUrl, credential }) =>
    sandboxProvider({ baseUrl, credential, profile: id, ...safe }),
  );
  const controls = new Map(
    addresses.map(({ id, base_url: baseUrl, credential }) => [id, sandboxControl({ baseUrl, credential })]),
  );
  return {
    providers,
    controls,
    close: async () => void (await Promise.all([...providers, ...controls.values()].map((one) => one.close()))),
  };
}
