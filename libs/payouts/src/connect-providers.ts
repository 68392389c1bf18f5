import { fail, ok, type Result } from '@vuka/domain';

import { type ConfiguredProvider, isOurs } from './file/provider-rows.js';
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

/**
 * The first call connects. Errors: rows whose secret is missing, lacks a member, or is of the other environment, each by
 * its path in the file.
 */
export function connectProviders(
  rows: readonly ConfiguredProvider[],
  secrets: ReadonlyMap<string, ProviderSecret>,
  around: ProviderSurroundings,
): Result<ConnectedProviders, readonly string[]> {
  const faults = rows.flatMap((row, place) => {
    const fault = faultOfSecret(row, secrets.get(row.secret), around);
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

/** As the secrets file calls them. */
const MEMBERS = { signingSecrets: 'signing_secret', callbackTokens: 'callback_token' } as const;

/** Never with the secret. */
function faultOfSecret(
  { id, base_url }: ConfiguredProvider,
  secret: ProviderSecret | undefined,
  { env, isCalledBack = false }: ProviderSurroundings,
): string | null {
  if (secret === undefined) return 'names nothing in `providers` of the secrets file';
  const { testCredential, needsOfCalls = [] } = factoryOf(id);
  const lacks = needsOfCalls.filter((member) => (secret[member] ?? []).length === 0).map((member) => MEMBERS[member]);
  if (env === 'live' && isCalledBack && lacks.length > 0)
    return `names a secret without ${lacks.join(' and ')}: ${id} asks before it pays, and each payout would be refused`;
  if (testCredential === undefined) return null;
  const isTest = testCredential.test(secret.credential);
  if (env === 'live') return isTest ? 'names a key of its test mode, which pays nobody: live refuses it' : null;
  const isHarmless = isTest || isOurs(new URL(base_url).hostname);
  return isHarmless ? null : 'may pay real money: the sandbox takes a key of its test mode, or a simulator of ours';
}
