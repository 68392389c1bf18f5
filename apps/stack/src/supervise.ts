import 'reflect-metadata';

import { BootError, Lifetime } from '@vuka/runtime';

import type { StackSettings } from './parts/stack-settings.js';
import { Supervisor } from './supervisor.js';

export function superviseHere(
  stack: StackSettings,
  tell: (line: string) => void,
  onReady: (banner: string) => void,
): void {
  const stopAsked = (): void => void process.kill(process.pid, 'SIGTERM');
  new Lifetime(new Supervisor(stack, { line: tell, ready: onReady, stopAsked }), {
    stopping: (signal) => tell(`\n${signal}: stopping (repeat to stop at once)`),
    stopped: () => tell('The stack has stopped.'),
    failed: (error) => tell(explain(error)),
  }).begin();
}

function explain(error: unknown): string {
  if (error instanceof BootError) {
    const cause =
      process.env['LOG_LEVEL'] === 'debug' && error.cause instanceof Error ? `\n${error.cause.stack ?? ''}` : '';
    return `\n✗ ${error.message}\n  ${error.advice}${cause}\n`;
  }
  return `\n✗ ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`;
}
