import { readSettingJson, refuseSetting } from '@vuka/config';
import type { Route } from '@vuka/domain';
import {
  connectProviders,
  type ProviderSecret,
  type ProvidersFileRules,
  ProviderValues,
  readProvidersFile,
} from '@vuka/payouts';
import { SettingsError, type Clock, type MonotonicClock } from '@vuka/runtime';
import { isDeepStrictEqual } from 'node:util';

import type { Providers } from '../service-context.js';
import { changesThatNeedARestart } from './changed-rows.js';

const VARIABLE = 'VUKA_PROVIDERS_FILE';
const MOST_FAULTS = 20;

/** `same`: what it says is in force. `refused`: what was in force stays, whole. */
export type ProvidersReread =
  | { readonly kind: 'same' }
  | { readonly kind: 'taken'; readonly routes: number }
  | { readonly kind: 'refused'; readonly why: string };

export interface OpenedProviders extends Providers {
  /** Reads the file anew. Replaces the routes of `coverage` in one step, in the same array. */
  readAgain(): Promise<ProvidersReread>;
  close(): Promise<void>;
}

export interface ProvidersToOpen extends ProvidersFileRules {
  readonly file: string;
  /** By name; null: what they can pay is read, and none is called. */
  readonly secrets: ReadonlyMap<string, ProviderSecret> | null;
  readonly clock: Clock & MonotonicClock;
  /** Providers call this process. Default false. */
  readonly isCalledBack?: boolean;
  readonly testRefundSafeMs?: number | undefined;
}

/** Throws SettingsError with each fault's path in the file, and never with a secret. */
export async function openProviders(wanted: ProvidersToOpen): Promise<OpenedProviders> {
  const { file, env, secrets, clock, isCalledBack = false, testRefundSafeMs } = wanted;
  const read = readProvidersFile(await readSettingJson(VARIABLE, file), wanted);
  if (!read.ok) return refuseSetting(VARIABLE, faultsIn(file, read.error));
  const { rows } = read.value;
  const coverage: Route[] = [...read.value.coverage];
  const readAgain = async (): Promise<ProvidersReread> => {
    const json = await readSettingJson(VARIABLE, file).catch(refusalOf);
    if (json instanceof SettingsError) return { kind: 'refused', why: json.message };
    const next = readProvidersFile(json, wanted);
    const faults = next.ok ? changesThatNeedARestart(rows, next.value.rows) : next.error;
    if (!next.ok || faults.length > 0) return { kind: 'refused', why: faultsIn(file, faults) };
    if (isDeepStrictEqual(coverage, next.value.coverage)) return { kind: 'same' };
    coverage.splice(0, coverage.length, ...next.value.coverage);
    return { kind: 'taken', routes: coverage.length };
  };
  if (secrets === null) return { providers: [], coverage, readAgain, close: async () => undefined };
  const values = new ProviderValues(clock);
  const around = {
    env,
    clock,
    kept: values,
    isCalledBack,
    ...(testRefundSafeMs !== undefined && { testRefundSafeMs }),
  };
  const connected = connectProviders(rows, secrets, around);
  if (!connected.ok) return refuseSetting(VARIABLE, faultsIn(file, connected.error));
  const { providers, controls, callbackTokens } = connected.value;
  const close = (): Promise<void> => connected.value.close();
  return { providers, coverage, sandboxControls: controls, callbackTokens, values, readAgain, close };
}

function refusalOf(error: unknown): SettingsError {
  if (error instanceof SettingsError) return error;
  throw error;
}

function faultsIn(file: string, faults: readonly string[]): string {
  const more = faults.length > MOST_FAULTS ? [`and ${String(faults.length - MOST_FAULTS)} more`] : [];
  const told = [...faults.slice(0, MOST_FAULTS), ...more].join('; ');
  return `a file of providers (docs/operators/providers/README.md). In ${file}: ${told}`;
}
