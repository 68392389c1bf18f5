import type { Problem } from '@vuka/domain';
import type { ExitCode, Paint } from '@vuka/terminal';

import { stepLines } from '../pages/trouble-lines.js';

export interface Answer {
  readonly code: ExitCode;
  readonly json: object;
  readonly text: (paint: Paint, now: Date) => string;
}

export function problemOf(
  code: string,
  message: string,
  hint: string | null = null,
): { error: { code: string; message: string; hint: string | null } } {
  return { error: { code, message, hint } };
}

export function refusal(
  { code, message }: Pick<Problem, 'message'> & { code: string },
  next: readonly string[] = [],
): Answer {
  const sentence = /[.?!]$/.test(message) ? message : `${message}.`;
  return {
    code: 1,
    json: problemOf(code, sentence, next[0] ?? null),
    text: (paint) => [`${paint.red('✗')} ${sentence}`, ...stepLines(next, paint).map((line) => `  ${line}`)].join('\n'),
  };
}
