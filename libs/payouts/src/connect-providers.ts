import { fail, ok, type Result } from '@vuka/domain';

import { type ConfiguredProvider, isOurs, type ProvidersFileRules } from './file/provider-rows.js';
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

/** The first call connects. Errors: rows whose secret is missing or of the other mode, each by its path in the file. */
export function connectProviders(
  rows: readonly ConfiguredProvider[],
  secrets: ReadonlyMap<string, ProviderSecret>,
  around: ProviderSurroundings,
  env: ProvidersFileRules['env'],
): Result<ConnectedProviders, readonly string[]> {
  const faults = rows.flatMap((row, place) => {
    const fault = secretFault(row, secrets.get(row.secret), env);
    return fault === null ? [] : [faultAt(['providers', place, 'secret'], fault)];
  });
  if (faults.length > 0) return fail(faults);
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

function secretFault(
  { id, base_url }: ConfiguredProvider,
  secret: ProviderSecret | undefined,
  env: ProvidersFileRules['env'],
): string | null {
  if (secret === undefined) return 'names nothing in `providers` of the secrets file';
  const isTest = factoryOf(id).isTestCredential?.(secret.credential);
  if (env === 'live') return isTest === true ? 'is of test mode, which pays nobody: live refuses it' : null;
  return isTest === false && !isOurs(new URL(base_url).hostname)
    ? 'may pay real money: the sandbox takes one of test mode, or a simulator of ours'
    : null;
}
