import { prepare } from '../command/prepare.mjs';
import { sayTo } from '../command/progress.mjs';
import { ROOT } from '../command/run.mjs';

/** Runs one command of the admin part and gives its exit code. Its answer goes to standard output, and nothing else does. */
export async function admin(argv) {
  sayTo(process.stderr);
  // Relative settings mean the project's folder, from wherever this is called, as with `npm start`.
  process.chdir(ROOT);
  await prepare({ withBuild: true, quietly: true });
  await import('reflect-metadata');
  const { runOnTerminal } = await import('../../apps/cli/dist/terminal.js');
  return runOnTerminal(argv);
}
