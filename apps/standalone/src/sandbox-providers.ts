import type { Settings } from '@vuka/config';
import { type DataFolder, type SandboxProviderId, type Secrets, writeProviderFiles } from '@vuka/data-folder';
import { systemClock } from '@vuka/runtime';
import { startSandboxProvider } from '@vuka/sandbox';
import { openProviders, type Providers } from '@vuka/service-host';

import { loggerOf } from './compose.js';

export interface SandboxProviders extends Providers {
  stop(): Promise<void>;
}

type StartedProvider = Awaited<ReturnType<typeof startSandboxProvider>>;

/** Each is a real server with its own port, book and credential. Writes the folder's providers file, and reads it as a service would. */
export async function startSandboxProviders(
  settings: Settings,
  folder: DataFolder,
  secrets: Secrets,
): Promise<SandboxProviders> {
  const started: StartedProvider[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(started.map((provider) => provider.stop()));
  };
  const start = async (profile: SandboxProviderId, book: string): Promise<string> => {
    const { credential } = secrets.providers[profile];
    const log = loggerOf(settings, profile === 'sandbox' ? 'sandbox-provider' : 'sandbox-provider-b');
    const provider = await startSandboxProvider({ folder: book, credential, profile, log });
    started.push(provider);
    return provider.baseUrl;
  };
  try {
    const urls = {
      sandbox: await start('sandbox', folder.provider),
      sandbox_b: await start('sandbox_b', folder.providerB),
    };
    await writeProviderFiles(folder, secrets, urls);
    const opened = await openProviders({
      file: folder.providersFile,
      env: settings.env,
      allowStablecoinFundsAt: [],
      secrets: new Map(
        Object.entries(secrets.providers).map(([name, { credential }]) => [name, { credential, callbackTokens: [] }]),
      ),
      clock: systemClock,
      testRefundSafeMs: settings.testRefundSafeMs,
    });
    return {
      ...opened,
      stop: async () => {
        await opened.close();
        await stop();
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
