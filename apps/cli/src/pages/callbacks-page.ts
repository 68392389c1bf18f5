import type { CallbacksView } from '@vuka/admin';
import { oneLine, type Paint, textTable } from '@vuka/terminal';

import { CALL } from '../commands/help.js';
import { plural, relativeText } from './text-values.js';
import { stepLines } from './trouble-lines.js';

export function callbacksPage({ paths, waiting, unknown }: CallbacksView, now: Date, paint: Paint): string {
  return [
    ...pathLines(paths, paint),
    ...waiting.map(
      ({ provider, callbacks, oldest_at }) =>
        `${plural(callbacks, 'callback')} of ${oneLine(provider)} not handled yet, the oldest ${relativeText(oldest_at, now)}`,
    ),
    '',
    ...unknownLines(unknown, now, paint),
  ].join('\n');
}

function pathLines(paths: CallbacksView['paths'], paint: Paint): string[] {
  if (paths.length === 0) return ['No provider that calls back runs here.'];
  return [
    paint.bold('Paths'),
    ...paths.flatMap((one) =>
      one.paths.map((path, place) => `${oneLine(one.provider)}  ${path}${place === 0 ? '' : paint.dim('  previous')}`),
    ),
    paint.yellow('They are secret: clear this screen when you have copied them.'),
  ];
}

function unknownLines(unknown: CallbacksView['unknown'], now: Date, paint: Paint): string[] {
  if (unknown.length === 0) return [paint.green('Nothing was called back that is not ours.')];
  const providers = [...new Set(unknown.map(({ provider }) => provider))];
  return [
    paint.red('Called back, and not ours'),
    ...textTable(
      [
        { title: 'provider' },
        { title: 'what', atMost: 120 },
        { title: 'signed' },
        { title: 'times', align: 'right' },
        { title: 'came' },
      ],
      unknown.map((one) => [
        oneLine(one.provider),
        oneLine(one.detail),
        one.signed ? 'yes' : 'no',
        String(one.times),
        relativeText(one.received_at, now),
      ]),
      paint,
    ),
    ...stepLines(
      providers.map((provider) => `${CALL} callbacks-resolve ${oneLine(provider)} --reason "…" --by NAME`),
      paint,
    ),
  ];
}
