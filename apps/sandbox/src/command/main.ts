import { runSandbox } from './run-sandbox.js';

// `npm run sandbox` (tools/vuka/sandbox.mjs).
process.exitCode = await runSandbox(process.argv.slice(2), {
  env: process.env,
  say: (text) => void process.stdout.write(`${text}\n`),
  tell: (text) => void process.stderr.write(`${text}\n`),
});
