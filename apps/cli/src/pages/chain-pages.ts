import type { SwitchView, UnclaimedView } from '@vuka/admin';
import { assetOnChain } from '@vuka/domain';
import { oneLine, type Paint, textTable } from '@vuka/terminal';

import { durationText, relativeText } from './text-values.js';

export function switchesPage(
  { off, before }: { readonly off: readonly SwitchView[]; readonly before: readonly SwitchView[] },
  now: Date,
  paint: Paint,
): string {
  const lines = off.flatMap((one) => switchLines(one, now, paint));
  const head = off.length === 0 ? [paint.green('Nothing is switched off.')] : lines;
  return [
    ...head,
    ...(before.length === 0
      ? []
      : ['', paint.bold('Before'), ...before.flatMap((one) => switchLines(one, now, paint))]),
  ].join('\n');
}

export function switchLines(one: SwitchView, now: Date, paint: Paint): string[] {
  const since = `off by ${oneLine(one.off_by)}, ${relativeText(one.off_since, now)}: ${oneLine(one.reason)}`;
  if (one.lifted_at === null) return [`${paint.red(assetOnChain(one))}  ${since}`];
  return [
    `${assetOnChain(one)}  ${since}`,
    paint.dim(
      `  on by ${oneLine(one.lifted_by ?? '?')}, ${relativeText(one.lifted_at, now)}: ${oneLine(one.lifted_why ?? '')}`,
    ),
  ];
}

export function unclaimedPage(rows: readonly UnclaimedView[], more: boolean, now: Date, paint: Paint): string {
  if (rows.length === 0)
    return paint.green(
      'Nothing is unclaimed: each transfer belongs to a pay or an order, or is worth less than a cent.',
    );
  const table = textTable(
    [
      { title: 'partner' },
      { title: 'chain' },
      { title: 'value', align: 'right' },
      { title: 'token', atMost: 46 },
      { title: 'for', align: 'right' },
      { title: 'transaction' },
      { title: 'why', atMost: 80 },
    ],
    rows.map((row) => [
      row.partner_id === null ? '?' : String(row.partner_id),
      row.chain,
      row.amount,
      oneLine(row.token),
      durationText(now.getTime() - Date.parse(row.seen_at)),
      oneLine(row.transaction_hash),
      oneLine(row.why),
    ]),
    paint,
  );
  return [...table, ...(more ? [paint.dim('and more, which are later')] : [])].join('\n');
}
