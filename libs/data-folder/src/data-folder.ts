import { access, chmod, constants, mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

import { BootError } from '@vuka/runtime';

/** Everything this Vuka keeps, in one folder. */
export interface DataFolder {
  readonly path: string;
  readonly secretsFile: string;
  /** Sandbox only: addresses and keys for whoever tries the API. */
  readonly sandboxFile: string;
  readonly postgres: string;
  /** Sandbox only: the first provider's own book, and the second one's. */
  readonly provider: string;
  readonly providerB: string;
  /** Sandbox only: where the providers listen and what opens them, for whoever wants to read their books. */
  readonly providerFile: string;
  /** Sandbox only: a folder for each chain's node. */
  readonly chains: string;
  /** Sandbox only: the secrets that own every deposit address, read by no service; and what comes from them and may be known. */
  readonly depositKeysFile: string;
  readonly depositXpubFile: string;
  readonly solanaAddressesFile: string;
  readonly stellarAccountFile: string;
  /** Sandbox only: the wallets that refunds are paid from, with their keys, read by offramp alone. */
  readonly refundKeysFile: string;
  /** True when nothing had been kept here before. */
  readonly isNew: boolean;
}

/**
 * Makes the folder where it is missing and shuts others out of it. Root's PostgreSQL runs as another user, who must
 * be able to pass through (and can read nothing on the way).
 */
export async function openDataFolder(path: string): Promise<DataFolder> {
  try {
    const made = await mkdir(path, { recursive: true, mode: 0o700 });
    // One that was there is its owner's to open and shut; every file in it that matters is shut by itself.
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
    providerFile: join(path, 'sandbox-provider.json'),
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

/** True where a file is there, whatever is in it. */
export async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
