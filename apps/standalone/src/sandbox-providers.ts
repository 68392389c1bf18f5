import type { Settings } from '@vuka/config';
import { type DataFolder, type Secrets, writeDurably } from '@vuka/data-folder';
import { connectSandboxProviders, type ConnectedProviders, type SandboxProviderAddress } from '@vuka/payouts';
import { startSandboxProvider, type ProfileId } from '@vuka/sandbox';

import { loggerOf } from './compose.js';

export interface SandboxProviders extends Pick<ConnectedProviders, 'providers' | 'controls'> {
  stop(): Promise<void>;
}

interface StartedProvider {
  readonly address: SandboxProviderAddress;
  stop(): Promise<void>;
}

/** Each is a real server with its own port, book and credential. Writes sandbox-provider.json. */
export async function startSandboxProviders(
  settings: Settings,
  folder: DataFolder,
  secrets: Secrets,
): Promise<SandboxProviders> {
  const started: StartedProvider[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(started.map((provider) => provider.stop()));
  };
  try {
    const first = await startProvider('sandbox', folder.provider, secrets.providerCredential, settings);
    started.push(first);
    const second = await startProvider('sandbox_b', folder.providerB, secrets.secondProviderCredential, settings);
    started.push(second);
    const { base_url, credential } = first.address;
    await writeDurably(
      folder.providerFile,
      `${JSON.stringify({ base_url, credential, others: [second.address] }, null, 2)}\n`,
    );
  } catch (error) {
    await stop();
    throw error;
  }
  const connected = connectSandboxProviders(
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

async function startProvider(
  profile: ProfileId,
  folder: string,
  credential: string,
  settings: Settings,
): Promise<StartedProvider> {
  const provider = await startSandboxProvider({
    folder,
    credential,
    profile,
    log: loggerOf(settings, profile === 'sandbox' ? 'sandbox-provider' : 'sandbox-provider-b'),
  });
  return { address: { id: profile, base_url: provider.baseUrl, credential }, stop: () => provider.stop() };
}
