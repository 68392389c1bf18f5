import { paintFor } from '@vuka/terminal';

import { runStack } from './run-stack.js';

process.exitCode = await runStack(process.argv.slice(2), {
  env: process.env,
  say: (text) => void process.stdout.write(`${text}\n`),
  complain: (text) => void process.stderr.write(`${text}\n`),
  paint: paintFor(process.stdout, process.env),
});
