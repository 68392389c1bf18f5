import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Pids are reused. */
export interface ProcessIdentity {
  /** In the system's format. */
  readonly started: string;
  readonly commandLine: string;
}

/** Zombies do not count. */
export function identifyProcess(pid: number): ProcessIdentity | undefined {
  return process.platform === 'linux' ? fromProc(pid) : fromPs(pid);
}

function fromProc(pid: number): ProcessIdentity | undefined {
  try {
    const commandLine = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
    // The name may hold parentheses (proc(5): 22).
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return commandLine === '' ? undefined : { started: fields[19] ?? '', commandLine };
  } catch {
    return undefined;
  }
}

function fromPs(pid: number): ProcessIdentity | undefined {
  try {
    const ask = (column: string): string =>
      execFileSync('ps', ['-ww', '-o', `${column}=`, '-p', String(pid)], { encoding: 'utf8', stdio: 'pipe' }).trim();
    return ask('stat').startsWith('Z') ? undefined : { started: ask('lstart'), commandLine: ask('args') };
  } catch {
    return undefined;
  }
}
