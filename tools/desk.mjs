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
  const [{ runDesk }, { paintFor }] = await Promise.all([import('../apps/standalone/dist/desk/run-desk.js'), import('../apps/standalone/dist/desk/paint.js')]);
  return runDesk(argv, {
    env: process.env,
    say: (text) => void process.stdout.write(`${text}\n`),
    complain: (text) => void process.stderr.write(`${text}\n`),
    paint: paintFor(process.stdout, process.env),
  });
}
