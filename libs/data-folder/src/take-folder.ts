import { markBuild, refuseOtherBuild } from './build-file.js';
import { lockFolder, type FolderLock, type LockOptions } from './folder-lock.js';

export interface FolderWanted<F extends { readonly path: string }> {
  readonly path: string;
  readonly variable: string;
  readonly open: () => Promise<F>;
}

/**
 * Checks the build before it makes or locks anything, and again under the lock. Throws what `open` throws; BootError
 * if the folder stays taken or is another build's.
 */
export async function takeFolder<F extends { readonly path: string }>(
  { path, variable, open }: FolderWanted<F>,
  options: LockOptions,
): Promise<{ folder: F; lock: FolderLock }> {
  await refuseOtherBuild(path, variable);
  await open();
  const lock = await lockFolder(path, options);
  try {
    await refuseOtherBuild(path, variable);
    const folder = await open();
    await markBuild(path);
    return { folder, lock };
  } catch (error) {
    await lock.release();
    throw error;
  }
}
