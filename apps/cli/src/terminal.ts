import { type ExitCode, paintFor } from '@vuka/terminal';

import { runCommand } from './run-command.js';

export function runOnTerminal(argv: readonly string[]): Promise<ExitCode> {
  return runCommand(argv, {
    env: process.env,
    say: (text) => void process.stdout.write(`${text}\n`),
    complain: (text) => void process.stderr.write(`${text}\n`),
    paint: paintFor(process.stdout, process.env),
  });
}
