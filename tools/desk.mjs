import { prepare } from './prepare.mjs';
import { sayTo } from './progress.mjs';
import { ROOT } from './run.mjs';

/** Runs one command of the desk and gives its exit code. Its answer goes to standard output, and nothing else does. */
export async function desk(argv) {
  sayTo(process.stderr);
  // Relative settings mean the project's folder, from wherever this is called, as with `npm start`.
  process.chdir(ROOT);
  await prepare({ withBuild: true, quietly: true });
  await import('reflect-metadata');
  const { runOnTerminal } = await import('../apps/standalone/dist/desk/terminal.js');
  return runOnTerminal(argv);
}
