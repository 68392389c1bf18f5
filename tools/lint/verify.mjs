// `npm run verify`: all checks before a change is handed over.
import { prepare } from '../command/prepare.mjs';
import { giveUp, step } from '../command/progress.mjs';
import { run, runScript } from '../command/run.mjs';

const STEP_TIMEOUT_MS = 15 * 60_000;

const STEPS = [
  ['lint', 'npm', ['run', '--silent', 'lint']],
  ['typecheck', 'npm', ['run', '--silent', 'typecheck']],
  // The compiler's build also finds a missing reference in a tsconfig.json.
  ['compile', 'npm', ['run', '--silent', 'build']],
];

await prepare({ withBuild: true });
for (const [title, command, args] of STEPS) {
  await step(title, async () => {
    const { code } = await run(command, args, { timeoutMs: STEP_TIMEOUT_MS });
    if (code !== 0) giveUp(`${title}: not green.`, `Again on its own: ${[command, ...args].join(' ')}`);
  });
}
const { code } = await runScript('tools/test/test.mjs', process.argv.slice(2));
process.exit(code);
