import type { Settings } from '@vuka/config';
import { type DataFolder, type Secrets, writeDurably } from '@vuka/data-folder';
import { connectSandboxRails, type ConnectedRails, type SandboxRailAddress } from '@vuka/payouts';
import { startSandboxRail, type ProfileId } from '@vuka/sandbox';

import { loggerOf } from './compose.js';

/** The rails of the sandbox as this process runs them, and our ways to them. */
export interface SandboxRails extends Pick<ConnectedRails, 'providers' | 'controls'> {
  stop(): Promise<void>;
}

interface StartedRail {
  readonly address: SandboxRailAddress;
  stop(): Promise<void>;
}

/** Starts both rails, each a real server with a port, a book and a credential of its own, and writes sandbox-rail.json. */
export async function startSandboxRails(
  settings: Settings,
  folder: DataFolder,
  secrets: Secrets,
): Promise<SandboxRails> {
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
    await writeDurably(
      folder.railFile,
      `${JSON.stringify({ base_url, credential, others: [second.address] }, null, 2)}\n`,
    );
  } catch (error) {
    await stop();
    throw error;
  }
  const connected = connectSandboxRails(
    started.map(({ address }) => address),
    settings.testRefundSafeMs,
  );
  return {
    providers: connected.providers,
    controls: connected.controls,
    stop: async () => {
      await connected.close();
      await stop();
    },
  };
}

async function startRail(
  profile: ProfileId,
  folder: string,
  credential: string,
  settings: Settings,
): Promise<StartedRail> {
  const rail = await startSandboxRail({
    folder,
    credential,
    profile,
    log: loggerOf(settings, profile === 'sandbox' ? 'sandbox-rail' : 'sandbox-rail-b'),
  });
  return { address: { id: profile, base_url: rail.baseUrl, credential }, stop: () => rail.stop() };
}
