import { access, chmod, constants, mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

import { BootError } from '@vuka/runtime';

export interface DataFolder {
  readonly path: string;
  readonly secretsFile: string;
  /** Sandbox only: addresses and keys to try the API. */
  readonly sandboxFile: string;
  readonly postgres: string;
  /** Sandbox only: the providers' books. */
  readonly provider: string;
  readonly providerB: string;
  /** Sandbox only: VUKA_PROVIDERS_FILE, which holds no secret; and the secrets that it names, as in a secrets file. */
  readonly providersFile: string;
  readonly providerSecretsFile: string;
  readonly chains: string;
  /** Sandbox only: secrets of every deposit address, read by no service; then public values derived from them. */
  readonly depositKeysFile: string;
  readonly depositXpubFile: string;
  readonly solanaAddressesFile: string;
  readonly stellarAccountFile: string;
  /** Sandbox only: refund wallets with keys, read by offramp only. */
  readonly refundKeysFile: string;
  readonly isNew: boolean;
}

/** Root's PostgreSQL runs as another user, who must pass through but can read nothing. Throws BootError. */
export async function openDataFolder(path: string): Promise<DataFolder> {
  try {
    const made = await mkdir(path, { recursive: true, mode: 0o700 });
    // An existing folder's mode is its owner's choice; secret files have their own.
    if (made !== undefined) await chmod(path, process.getuid?.() === 0 ? 0o711 : 0o700);
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw unusable(path, error as NodeJS.ErrnoException);
  }
  const names = await readdir(path);
  return {
    path,
    secretsFile: join(path, 'secrets.json'),
    sandboxFile: join(path, 'sandbox.json'),
    postgres: join(path, 'postgres'),
    provider: join(path, 'provider'),
    providerB: join(path, 'provider-b'),
    providersFile: join(path, 'providers.json'),
    providerSecretsFile: join(path, 'provider-secrets.json'),
    chains: join(path, 'chains'),
    depositKeysFile: join(path, 'sandbox-deposit-keys.json'),
    depositXpubFile: join(path, 'sandbox-deposit-xpub'),
    solanaAddressesFile: join(path, 'sandbox-solana-addresses.json'),
    stellarAccountFile: join(path, 'sandbox-stellar-account'),
    refundKeysFile: join(path, 'sandbox-refund-keys.json'),
    isNew: !names.includes('postgres'),
  };
}

function unusable(path: string, error: NodeJS.ErrnoException): BootError {
  const why: Record<string, string> = {
    EEXIST: 'it is a file, not a folder',
    ENOTDIR: 'a part of the path is a file, not a folder',
    EACCES: 'this user may not write there',
    EPERM: 'it belongs to another user',
    EROFS: 'the file system is read-only',
    ENOSPC: 'the disk is full',
  };
  return new BootError(
    `The data folder ${path} cannot be used: ${why[error.code ?? ''] ?? error.message}.`,
    'Choose another folder with VUKA_DATA_DIR.',
    { cause: error },
  );
}

export async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
