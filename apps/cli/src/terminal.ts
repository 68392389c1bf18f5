import { type ExitCode, paintFor } from '@vuka/terminal';

import { runDesk } from './run-desk.js';

/** The desk on this process's terminal: its answer goes to standard output, and nothing else does. */
export function runOnTerminal(argv: readonly string[]): Promise<ExitCode> {
  return runDesk(argv, {
    env: process.env,
    say: (text) => void process.stdout.write(`${text}\n`),
    complain: (text) => void process.stderr.write(`${text}\n`),
    paint: paintFor(process.stdout, process.env),
  });
}
