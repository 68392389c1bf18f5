import type { CorridorSwitchView, CorridorsView, CorridorView } from '@vuka/admin';
import { oneLine, type Paint, textTable } from '@vuka/terminal';

import { relativeText } from './text-values.js';

export function corridorsPage({ corridors, off, before }: CorridorsView, now: Date, paint: Paint): string {
  return [
    ...corridorLines(corridors, now, paint),
    '',
    ...(off.length === 0
      ? [paint.green('No provider and no corridor is switched off.')]
      : [paint.bold('Switched off'), ...off.flatMap((one) => switchedCorridorLines(one, now, paint))]),
    ...(before.length === 0
      ? []
      : ['', paint.bold('Before'), ...before.flatMap((one) => switchedCorridorLines(one, now, paint))]),
  ].join('\n');
}

/** `pawapay GHS mobile MTN`; shorter where it is of all. */
export function switchedCorridorName({ provider, currency, kind, network }: CorridorSwitchView): string {
  return [provider, currency, kind, network].flatMap((part) => (part === null ? [] : oneLine(part))).join(' ');
}

export function switchedCorridorLines(one: CorridorSwitchView, now: Date, paint: Paint): string[] {
  const name = switchedCorridorName(one);
  const since = `off by ${oneLine(one.off_by)}, ${relativeText(one.off_since, now)}: ${oneLine(one.reason)}`;
  if (one.lifted_at === null) return [`${paint.red(name)}  ${since}`];
  const on = `on by ${oneLine(one.lifted_by ?? '?')}, ${relativeText(one.lifted_at, now)}: ${oneLine(one.lifted_why ?? '')}`;
  return [`${name}  ${since}`, paint.dim(`  ${on}`)];
}

function corridorLines(corridors: readonly CorridorView[], now: Date, paint: Paint): string[] {
  if (corridors.length === 0) return ['No routes are known here: no payments runs, or its providers file has none.'];
  return textTable(
    [{ title: 'currency' }, { title: 'kind' }, { title: 'network' }, { title: 'choice', align: 'right' }, { title: 'provider' }, { title: 'state' }], // prettier-ignore
    corridors.map((one) => [
      one.currency,
      one.kind,
      one.network ?? '',
      String(one.choice),
      oneLine(one.provider),
      stateOf(one, now),
    ]),
    paint,
  );
}

function stateOf(
  { switched_off_by: by, state, state_since: since, state_detail: detail }: CorridorView,
  now: Date,
): string {
  const told = state === 'open' ? [] : [state, ...(since === null ? [] : [relativeText(since, now)]), oneLine(detail)];
  if (by.length === 0) return told.length === 0 ? 'on' : told.join(', ');
  return ['OFF', ...told].join(', ');
}
