import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { say, step } from '../command/progress.mjs';
import { ROOT } from '../command/run.mjs';

/**
 * A Vuka that suites share. `env`: how they find it. `whole` false: tests were left out, so missing results are no
 * fault.
 * `end()` checks everything done on it, stops it, and returns counts. Not Jest's globalSetup: if that fails, Jest
 * reports no suite.
 */
export async function lendVuka({ profile, fixtures, servers, whole }) {
  const { LentVuka, RUNNING_VUKAS } = await import(pathToFileURL(join(ROOT, 'libs/testing/dist/index.js')).href);
  Object.assign(process.env, servers);
  const leave = () =>
    [...(globalThis[RUNNING_VUKAS] ?? [])].forEach((vuka) => vuka.isRunning() && process.kill(vuka.pid, 'SIGTERM'));
  process.once('exit', leave);
  const lent = await step(`start the servers that suites share, ${profile}`, () =>
    LentVuka.start({ profile, fixtures }),
  );
  const { vuka } = lent;
  const end = async () => {
    const faults = whole ? await step('check everything that the suites did there', () => lent.faults()) : [];
    if (faults.length > 0)
      say(
        `✗ the checker of all suites found ${faults.length} faults\n  ${faults.slice(0, 20).join('\n  ')}\n${vuka.logTail()}`,
      );
    await lent.end();
    process.off('exit', leave);
    return { passed: whole && faults.length === 0 ? 1 : 0, failed: faults.length > 0 ? 1 : 0, skipped: 0 };
  };
  return { profile, env: lent.env, end };
}
