// `npm start`: the embedded profile, from a fresh clone to a listening API.
import { readFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';

import { prepare } from '../command/prepare.mjs';
import { ROOT } from '../command/run.mjs';
import { nameSourcesInTraces } from './source-positions.mjs';

const PARENT_CHECK_MS = 500;

// Relative settings refer to the project's folder.
process.chdir(ROOT);
stopWithNpm();
await prepare({ withBuild: true });
nameSourcesInTraces();
// In this process, so that signals and `kill -9` reach the program directly.
await import('../../apps/standalone/dist/main.js');

/**
 * Signals reach us through npm. If npm is killed, our parent changes (or our shell's parent is gone); then we stop as
 * if asked.
 */
function stopWithNpm() {
  if (process.env.npm_lifecycle_event === undefined || process.platform === 'win32') return;
  const parent = process.ppid;
  const details = processDetails(parent);
  // npm uses `sh -c`; if the shell stays, its parent is npm.
  const npm = details && /^-?(ba|da|z|k|a)?sh$/.test(details.name) ? details.parent : undefined;
  const timer = setInterval(() => {
    if (process.ppid === parent && (npm === undefined || processDetails(parent)?.parent === npm)) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, PARENT_CHECK_MS);
  timer.unref();
}

function processDetails(pid) {
  try {
    const [, name, rest] = /\((.*)\) (.*)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'));
    return { name, parent: parseInt(rest.split(' ')[1], 10) };
  } catch {
    const [, parent, path] =
      /^\s*(\d+)\s+(.*\S)/.exec(
        spawnSync('ps', ['-o', 'ppid=,comm=', '-p', String(pid)], { encoding: 'utf8' }).stdout ?? '',
      ) ?? [];
    return path === undefined ? undefined : { name: path.split('/').pop(), parent: parseInt(parent, 10) };
  }
}
