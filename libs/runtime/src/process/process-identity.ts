import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** A running process told apart from a later one with the same id. */
export interface ProcessIdentity {
  /** When it began, in the system's own words. */
  readonly started: string;
  readonly commandLine: string;
}

/** undefined when no such process runs; one that has ended and waits to be collected counts as not running. */
export function identifyProcess(pid: number): ProcessIdentity | undefined {
  return process.platform === 'linux' ? fromProc(pid) : fromPs(pid);
}

function fromProc(pid: number): ProcessIdentity | undefined {
  try {
    const commandLine = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
    // The command's name stands in parentheses and may hold anything: fields are counted behind it (proc(5): 22).
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
