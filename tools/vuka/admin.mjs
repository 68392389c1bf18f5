import { prepare } from '../command/prepare.mjs';
import { sayTo } from '../command/progress.mjs';
import { ROOT } from '../command/run.mjs';

/** Returns the exit code. Only the answer goes to stdout. */
export async function admin(argv) {
  sayTo(process.stderr);
  // Relative settings refer to the project's folder, as with `npm start`.
  process.chdir(ROOT);
  await prepare({ withBuild: true, quietly: true });
  await import('reflect-metadata');
  const { runOnTerminal } = await import('../../apps/cli/dist/terminal.js');
  return runOnTerminal(argv);
}
