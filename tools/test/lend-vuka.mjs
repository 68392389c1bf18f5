import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { say, step } from '../command/progress.mjs';
import { ROOT } from '../command/run.mjs';

/**
 * Starts a Vuka of this profile for suites that share it (openSharedFixture of @vuka/testing). `env`: how they find it. `end()` looks at all that
 * was played on it, says what is wrong, ends it, and gives the tests passed and failed by that; `whole` false: some tests were
 * left out on purpose, so that nothing follows from what is missing. Not Jest's globalSetup: where its end fails, Jest reports nothing of the suites.
 */
export async function lendVuka({ profile, fixtures, servers, whole }) {
  const { LentVuka, RUNNING_VUKAS } = await import(pathToFileURL(join(ROOT, 'libs/testing/dist/index.js')).href);
  Object.assign(process.env, servers);
  // Whoever ends this command in the middle ends it, too, also while it starts.
  const leave = () =>
    [...(globalThis[RUNNING_VUKAS] ?? [])].forEach((vuka) => vuka.isRunning() && process.kill(vuka.pid, 'SIGTERM'));
  process.once('exit', leave);
  const lent = await step(`start what suites share, ${profile}`, () => LentVuka.start({ profile, fixtures }));
  const { vuka } = lent;
  const end = async () => {
    const faults = whole ? await step('look at all that was done there', () => lent.faults()) : [];
    if (faults.length > 0)
      say(
        `✗ seen from outside, all suites together: ${faults.length} faults\n  ${faults.slice(0, 20).join('\n  ')}\n${vuka.logTail()}`,
      );
    await lent.end();
    process.off('exit', leave);
    return { passed: whole && faults.length === 0 ? 1 : 0, failed: faults.length > 0 ? 1 : 0, skipped: 0 };
  };
  return { profile, env: lent.env, end };
}
