import { readSettingJson, refuseSetting } from '@vuka/config';
import {
  connectProviders,
  type ProviderSecret,
  type ProvidersFileRules,
  ProviderValues,
  readProvidersFile,
} from '@vuka/payouts';
import type { Clock, MonotonicClock } from '@vuka/runtime';

import type { Providers } from '../service-context.js';

const VARIABLE = 'VUKA_PROVIDERS_FILE';
const MOST_FAULTS = 20;

export interface OpenedProviders extends Providers {
  close(): Promise<void>;
}

export interface ProvidersToOpen extends ProvidersFileRules {
  readonly file: string;
  /** By name; null: what they can pay is read, and none is called. */
  readonly secrets: ReadonlyMap<string, ProviderSecret> | null;
  readonly clock: Clock & MonotonicClock;
  readonly testRefundSafeMs?: number | undefined;
}

/** Throws SettingsError with each fault's path in the file, and never with a secret. */
export async function openProviders(wanted: ProvidersToOpen): Promise<OpenedProviders> {
  const { file, env, secrets, clock, testRefundSafeMs } = wanted;
  const read = readProvidersFile(await readSettingJson(VARIABLE, file), wanted);
  if (!read.ok) return refuseFile(file, read.error);
  const { rows, coverage } = read.value;
  if (secrets === null) return { providers: [], coverage, close: async () => undefined };
  const values = new ProviderValues();
  const around = { env, clock, kept: values, ...(testRefundSafeMs !== undefined && { testRefundSafeMs }) };
  const connected = connectProviders(rows, secrets, around);
  if (!connected.ok) return refuseFile(file, connected.error);
  const { providers, controls, callbackTokens } = connected.value;
  return {
    providers,
    coverage,
    sandboxControls: controls,
    callbackTokens,
    values,
    close: () => connected.value.close(),
  };
}

function refuseFile(file: string, faults: readonly string[]): never {
  const more = faults.length > MOST_FAULTS ? [`and ${String(faults.length - MOST_FAULTS)} more`] : [];
  const told = [...faults.slice(0, MOST_FAULTS), ...more].join('; ');
  return refuseSetting(VARIABLE, `a file of providers (docs/operators/providers/README.md). In ${file}: ${told}`);
}
