// `npm start`: the embedded profile, from a fresh clone to a listening API.
import { readFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';

import { prepare } from '../command/prepare.mjs';
import { ROOT } from '../command/run.mjs';

const PARENT_CHECK_MS = 500;

// Relative settings mean the project's folder, from wherever this is called.
process.chdir(ROOT);
stopWithNpm();
await prepare({ withBuild: true });
process.setSourceMapsEnabled(true);
// In this very process: a signal, a Ctrl-C or a `kill -9` meets the program itself and no one in between. Its
// main.ts handles the signals from here on.
await import('../../apps/standalone/dist/main.js');

/**
 * Ctrl-C and SIGTERM reach us through npm. A npm that is killed tells nobody: then its child is adopted by another
 * process, or its shell's parent is gone, and we stop as if asked to.
 */
function stopWithNpm() {
  if (process.env.npm_lifecycle_event === undefined || process.platform === 'win32') return;
  const parent = process.ppid;
  const details = processDetails(parent);
  // npm runs scripts by `sh -c`; some shells stay in between, and then it is their parent that matters.
  const npm = details && /^-?(ba|da|z|k|a)?sh$/.test(details.name) ? details.parent : undefined;
  const timer = setInterval(() => {
    if (process.ppid === parent && (npm === undefined || processDetails(parent)?.parent === npm)) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, PARENT_CHECK_MS);
  timer.unref();
}

/** Name and parent of a process: from /proc where there is one, else from `ps`. */
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
