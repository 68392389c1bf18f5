import { readPrivateJson, refuseSetting } from '@vuka/config';
import { connectSandboxRails, sandboxRailFile } from '@vuka/payouts';

import type { Rails } from '../service-context.js';

const VARIABLE = 'VUKA_RAILS_FILE';

export interface OpenedRails extends Rails {
  close(): Promise<void>;
}

/** The rails of the sandbox as `sandbox-rail.json` has them now. Throws SettingsError. */
export async function openRails(file: string, refundSafeAfterMs?: number): Promise<OpenedRails> {
  const parsed = sandboxRailFile.safeParse(await readPrivateJson(VARIABLE, file));
  if (!parsed.success)
    return refuseSetting(VARIABLE, `the path of a sandbox-rail.json: ${file} is not as Vuka writes it`);
  const { others, ...first } = parsed.data;
  const connected = connectSandboxRails([{ id: 'sandbox', ...first }, ...others], refundSafeAfterMs);
  return { providers: connected.providers, sandboxControls: connected.controls, close: () => connected.close() };
}
