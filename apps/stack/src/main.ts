import { paintFor } from '@vuka/terminal';

import { runStack } from './run-stack.js';

// Run by `npm run stack` after install and build (tools/vuka/stack.mjs).
process.exitCode = await runStack(process.argv.slice(2), {
  env: process.env,
  say: (text) => void process.stdout.write(`${text}\n`),
  complain: (text) => void process.stderr.write(`${text}\n`),
  paint: paintFor(process.stdout, process.env),
});
