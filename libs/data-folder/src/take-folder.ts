import { markBuild, refuseOtherBuild } from './build-file.js';
import { lockFolder, type FolderLock, type LockOptions } from './folder-lock.js';

export interface FolderWanted<F extends { readonly path: string }> {
  readonly path: string;
  /** The setting that names it, for who has to name another one. */
  readonly variable: string;
  /** Makes it where it is missing. */
  readonly open: () => Promise<F>;
}

/**
 * Opens a folder and takes its lock, unless another build made it: that is seen before anything is made or locked. What is known of the
 * folder is as it was seen under the lock: until then another may have begun in it. Throws what `open` throws, and BootError where the
 * folder stays taken or is another build's.
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
