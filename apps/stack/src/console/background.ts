import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { refuseOtherBuild, STACK_FOLDER_VARIABLE } from '@vuka/data-folder';
import { identifyProcess } from '@vuka/runtime';
import type { ExitCode } from '@vuka/terminal';

import { openLog } from '../members/process-log.js';
import type { RunFacts } from '../parts/stack-files.js';
import { type StackSettings } from '../parts/stack-settings.js';

const PROGRAM = fileURLToPath(new URL('../supervisor-main.js', import.meta.url));
/** Longer than the stop limits of all processes together. */
const END_WITHIN_MS = 90_000;
const LOOK_AGAIN_MS = 50;

/**
 * Starts a supervisor that outlives this process, and prints its output until all is ready. Throws BootError for
 * another build's folder.
 */
export async function startInBackground(
  stack: StackSettings,
  env: NodeJS.ProcessEnv,
  say: (line: string) => void,
): Promise<ExitCode> {
  // Before the log is opened, so that a refused folder stays unchanged.
  await refuseOtherBuild(stack.folder, STACK_FOLDER_VARIABLE);
  await mkdir(join(stack.folder, 'logs'), { recursive: true, mode: 0o700 });
  const log = openLog(join(stack.folder, 'logs/stack.log'));
  const child = spawn(process.execPath, ['--enable-source-maps', PROGRAM], {
    detached: true,
    env: { ...env, VUKA_STACK_DIR: stack.folder, VUKA_STACK_INSTANCES: String(stack.instances) },
    stdio: ['ignore', log, log, 'ipc'],
  });
  closeSync(log);
  // Ctrl-C during the start also stops the supervisor.
  const giveUp = (): void => void child.kill('SIGTERM');
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, giveUp);
  const ready = new Promise<void>((resolve) => {
    child.on('message', (message: { line?: string; ready?: true }) => {
      if (message.line !== undefined) say(message.line);
      if (message.ready === true) resolve();
    });
  });
  const isReady = await Promise.race([ready.then(() => true), once(child, 'exit').then(() => false)]);
  if (!isReady) return 1;
  if (child.connected) child.disconnect();
  child.unref();
  return 0;
}

/** false if it does not end in time. */
export async function supervisorEnds({ supervisor: { pid, started } }: RunFacts): Promise<boolean> {
  for (let waited = 0; waited < END_WITHIN_MS; waited += LOOK_AGAIN_MS) {
    if (identifyProcess(pid)?.started !== started) return true;
    await pause(LOOK_AGAIN_MS);
  }
  return false;
}
