import { sandboxControl, sandboxProvider, type PayoutProvider, type SandboxPayoutControl } from '@vuka/payouts';
import type { Settings } from '@vuka/platform';
import { startSandboxRail, type ProfileId } from '@vuka/sandbox-rail';

import { loggerOf } from './compose.js';
import type { DataFolder } from './data-folder.js';
import { writeDurably } from './durable-file.js';
import type { Secrets } from './secrets.js';

/** Our ways to the rails of the sandbox; in live there are none of these. */
export interface SandboxRails {
  readonly providers: readonly PayoutProvider[];
  /** By provider id. */
  readonly controls: ReadonlyMap<string, SandboxPayoutControl>;
  stop(): Promise<void>;
}

/** Where a rail of this start listens and what opens it. */
interface RailAddress {
  readonly id: ProfileId;
  readonly base_url: string;
  readonly credential: string;
}

interface StartedRail {
  readonly address: RailAddress;
  readonly provider: PayoutProvider;
  readonly control: SandboxPayoutControl;
  stop(): Promise<void>;
}

/** Starts both rails, each a real server with a port, a book and a credential of its own, and writes sandbox-rail.json. */
export async function startSandboxRails(settings: Settings, folder: DataFolder, secrets: Secrets): Promise<SandboxRails> {
  const started: StartedRail[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(started.map((rail) => rail.stop()));
  };
  try {
    const first = await startRail('sandbox', folder.rail, secrets.railCredential, settings);
    started.push(first);
    const second = await startRail('sandbox_b', folder.railB, secrets.secondRailCredential, settings);
    started.push(second);
    const { base_url, credential } = first.address;
    await writeDurably(folder.railFile, `${JSON.stringify({ base_url, credential, others: [second.address] }, null, 2)}\n`);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    providers: started.map(({ provider }) => provider),
    controls: new Map(started.map(({ provider, control }) => [provider.id, control])),
    stop,
  };
}

async function startRail(profile: ProfileId, folder: string, credential: string, settings: Settings): Promise<StartedRail> {
  const rail = await startSandboxRail({ folder, credential, profile, log: loggerOf(settings, profile === 'sandbox' ? 'sandbox-rail' : 'sandbox-rail-b') });
  const way = { baseUrl: rail.baseUrl, credential };
  const provider = sandboxProvider({ ...way, profile });
  const control = sandboxControl(way);
  return {
    address: { id: profile, base_url: rail.baseUrl, credential },
    provider,
    control,
    stop: async () => {
      await Promise.all([provider.close(), control.close()]);
      await rail.stop();
    },
  };
}
