import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import type { Environment } from '@vuka/data-folder';

import { openLog } from './process-log.js';

const GUARD = fileURLToPath(new URL('../child-guard.js', import.meta.url));
const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));
const STOP_WITHIN_MS = 15_000;

/** The child ends when this process does. It gets only these settings, not our environment. */
export function spawnChild(program: string, logFile: string, env: Environment): ChildProcess {
  const output = openLog(logFile);
  const { PATH, HOME, TZ, NODE_OPTIONS } = process.env;
  // Detached: Ctrl-C reaches only the supervisor, which stops all in order.
  const child = spawn(
    process.execPath,
    ['--enable-source-maps', '--disable-warning=TimeoutNegativeWarning', '--import', GUARD, program],
    {
      cwd: ROOT,
      detached: process.platform !== 'win32',
      env: { PATH, HOME, TZ, NODE_OPTIONS, ...env },
      stdio: ['ignore', output, output, 'ipc'],
    },
  );
  closeSync(output);
  // Without a listener the error would be thrown; the caller sees that it does not run.
  child.on('error', () => undefined);
  return child;
}

/** Loads `modules`, then waits for its settings by `child.send(env)`. */
export function spawnWarm(program: string, logFile: string, modules: readonly string[]): ChildProcess {
  return spawnChild(program, logFile, { VUKA_STACK_WARM: JSON.stringify(modules) });
}

export function isRunning(child: ChildProcess): boolean {
  return child.pid !== undefined && child.exitCode === null && child.signalCode === null;
}

/** Asks, waits, then kills. */
export async function endChild(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    child.kill(signal);
    child.kill('SIGCONT');
    const giveUp = new AbortController();
    await Promise.race([ended, pause(STOP_WITHIN_MS, undefined, { signal: giveUp.signal }).catch(() => undefined)]);
    giveUp.abort();
    if (!isRunning(child)) return;
  }
}
