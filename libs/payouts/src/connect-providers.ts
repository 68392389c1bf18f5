import { fail, ok, type Result } from '@vuka/domain';

import type { ConfiguredProvider } from './file/provider-rows.js';
import { faultAt } from './file/fault.js';
import type { ConnectedProvider, SandboxPayoutControl } from './payout-provider.js';
import type { OpenedProvider, ProviderSecret, ProviderSurroundings } from './provider-factory.js';
import { factoryOf } from './providers/index.js';

export interface ConnectedProviders {
  /** In the order of the file. */
  readonly providers: readonly ConnectedProvider[];
  /** By provider id. */
  readonly controls: ReadonlyMap<string, SandboxPayoutControl>;
  /** By provider id, the current one first: which a callback may name. */
  readonly callbackTokens: ReadonlyMap<string, readonly string[]>;
  close(): Promise<void>;
}

/** The first call connects. Errors: rows whose secret is missing, each by its path in the file. */
export function connectProviders(
  rows: readonly ConfiguredProvider[],
  secrets: ReadonlyMap<string, ProviderSecret>,
  around: ProviderSurroundings,
): Result<ConnectedProviders, readonly string[]> {
  const missing = rows.flatMap(({ secret }, place) =>
    secrets.has(secret)
      ? []
      : [faultAt(['providers', place, 'secret'], 'names nothing in `providers` of the secrets file')],
  );
  if (missing.length > 0) return fail(missing);
  const opened = rows.flatMap((row): (OpenedProvider & Pick<ProviderSecret, 'callbackTokens'>)[] => {
    const secret = secrets.get(row.secret);
    if (secret === undefined) return [];
    return [{ ...factoryOf(row.id).open(row, secret, around), callbackTokens: secret.callbackTokens }];
  });
  const controls = opened.flatMap(({ control }) => (control === undefined ? [] : [control]));
  return ok({
    providers: opened.map(({ provider }) => provider),
    controls: new Map(
      opened.flatMap(({ provider, control }) => (control === undefined ? [] : [[provider.id, control]])),
    ),
    callbackTokens: new Map(opened.map(({ provider, callbackTokens }) => [provider.id, callbackTokens])),
    close: async () => void (await Promise.all([...opened.map(({ provider }) => provider), ...controls].map((one) => one.close()))), // prettier-ignore
  });
}
