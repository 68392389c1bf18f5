import { readPrivateJson, refuseSetting } from '@vuka/config';
import { connectSandboxProviders, sandboxProviderFile } from '@vuka/payouts';

import type { Providers } from '../service-context.js';

const VARIABLE = 'VUKA_PROVIDERS_FILE';

export interface OpenedProviders extends Providers {
  close(): Promise<void>;
}

/** Reads `sandbox-provider.json`. Throws SettingsError. */
export async function openProviders(file: string, refundSafeAfterMs?: number): Promise<OpenedProviders> {
  const parsed = sandboxProviderFile.safeParse(await readPrivateJson(VARIABLE, file));
  if (!parsed.success)
    return refuseSetting(VARIABLE, `the path of a sandbox-provider.json: ${file} is not as Vuka writes it`);
  const { others, ...first } = parsed.data;
  const connected = connectSandboxProviders([{ id: 'sandbox', ...first }, ...others], refundSafeAfterMs);
  return { providers: connected.providers, sandboxControls: connected.controls, close: () => connected.close() };
}
