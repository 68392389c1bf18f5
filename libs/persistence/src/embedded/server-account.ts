import { execFileSync } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

/** PostgreSQL refuses to run as root, so it runs as `nobody`. */
export interface ServerAccount {
  readonly uid: number;
  readonly gid: number;
}

export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly uid?: number;
  readonly gid?: number;
}

/** undefined if we are not root. */
export function serverAccount(): ServerAccount | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string): number => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

/**
 * If only root can enter a directory of `needed`, the process gets CAP_DAC_OVERRIDE, which containers have by
 * default (CAP_DAC_READ_SEARCH not). access(2), which PostgreSQL uses, ignores it without no_setuid_fixup.
 */
export function commandAs(
  account: ServerAccount | undefined,
  file: string,
  args: readonly string[],
  needed: readonly string[],
): Command {
  if (account === undefined) return { file, args };
  const setpriv = needed.every((path) => isReachable(path, account)) ? undefined : findOnPath('setpriv');
  if (setpriv === undefined) return { file, args, ...account };
  const privileges = [
    `--reuid=${account.uid}`,
    `--regid=${account.gid}`,
    '--clear-groups',
    '--inh-caps=+dac_override',
    '--ambient-caps=+dac_override',
    '--securebits=+no_setuid_fixup',
  ];
  return { file: setpriv, args: [...privileges, file, ...args] };
}

/** Checks all directories above `path`, and `path` itself. */
function isReachable(path: string, account: ServerAccount): boolean {
  const allows = (at: string, bits: number): boolean => {
    const { mode, uid, gid } = statSync(at);
    const shift = uid === account.uid ? 6 : gid === account.gid ? 3 : 0;
    return ((mode >> shift) & bits) === bits;
  };
  if (!allows(path, statSync(path).isDirectory() ? 5 : 4)) return false;
  for (let at = dirname(path); ; at = dirname(at)) {
    if (!allows(at, 1)) return false;
    if (at === dirname(at)) return true;
  }
}

function findOnPath(name: string): string | undefined {
  const candidates = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, name));
  return candidates.find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
