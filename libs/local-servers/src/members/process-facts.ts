import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const KIB = 1_024;

/** Bytes; null if unknown. */
export function memoryOf(pid: number): number | null {
  try {
    const text = process.platform === 'linux' ? /^VmRSS:\s+(\d+) kB$/m.exec(statusOf(pid))?.[1] : ps('rss', pid);
    return text === undefined || text === '' ? null : Number(text) * KIB;
  } catch {
    return null;
  }
}

/** By SIGSTOP. */
export function isPaused(pid: number): boolean {
  try {
    return process.platform === 'linux' ? /^State:\s+T/m.test(statusOf(pid)) : ps('stat', pid).startsWith('T');
  } catch {
    return false;
  }
}

function statusOf(pid: number): string {
  return readFileSync(`/proc/${pid}/status`, 'utf8');
}

function ps(column: string, pid: number): string {
  return execFileSync('ps', ['-o', `${column}=`, '-p', String(pid)], { encoding: 'utf8', stdio: 'pipe' }).trim();
}
