import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import type { Environment } from '@vuka/data-folder';

import { openLog } from './process-log.js';

const GUARD = fileURLToPath(new URL('../child-guard.js', import.meta.url));
const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));
/** Longer than a service takes for its own orderly end. */
const STOP_WITHIN_MS = 15_000;

/** Starts a program of ours, which ends when this process does. It gets these settings and none of our own. */
export function spawnChild(program: string, logFile: string, env: Environment): ChildProcess {
  const output = openLog(logFile);
  const { PATH, HOME, TZ, NODE_OPTIONS } = process.env;
  // A group of its own: a Ctrl-C in the terminal reaches the supervisor alone, which stops everything in order.
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
  // Without a listener it would be thrown; whoever looks after the child sees that it does not run.
  child.on('error', () => undefined);
  return child;
}

/** The same, loading `modules` and then waiting for its settings: give them by `child.send(env)`. */
export function spawnWarm(program: string, logFile: string, modules: readonly string[]): ChildProcess {
  return spawnChild(program, logFile, { VUKA_STACK_WARM: JSON.stringify(modules) });
}

export function isRunning(child: ChildProcess): boolean {
  return child.pid !== undefined && child.exitCode === null && child.signalCode === null;
}

/** Asks it to end and waits; by force where it takes too long. */
export async function endChild(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    child.kill(signal);
    // One that was paused takes no other signal before it goes on.
    child.kill('SIGCONT');
    const giveUp = new AbortController();
    await Promise.race([ended, pause(STOP_WITHIN_MS, undefined, { signal: giveUp.signal }).catch(() => undefined)]);
    giveUp.abort();
    if (!isRunning(child)) return;
  }
}
