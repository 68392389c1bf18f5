import type { DataFolder } from '../data-folder.js';
import { writeDurably } from '../durable-file.js';
import type { Secrets } from '../secrets.js';
import { type SandboxProviderId, sandboxProvidersFile } from './sandbox-providers.js';

/** Of the sandbox's own: where they listen and what they pay, and apart from that their secrets, for this folder's owner. */
export async function writeProviderFiles(
  folder: Pick<DataFolder, 'providersFile' | 'providerSecretsFile'>,
  secrets: Secrets,
  urls: Readonly<Record<SandboxProviderId, string>>,
): Promise<void> {
  await writeDurably(folder.providerSecretsFile, `${JSON.stringify(secrets.providers, null, 2)}\n`);
  await writeDurably(folder.providersFile, sandboxProvidersFile(urls));
}
