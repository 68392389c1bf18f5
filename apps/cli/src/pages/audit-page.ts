import type { AuditPage, AuditEntriesWanted, ActView } from '@vuka/admin';
import { oneLine, type Paint, textTable } from '@vuka/terminal';

import { CALL } from '../commands/help.js';
import { timeText } from './text-values.js';
import { stepLines } from './trouble-lines.js';

export function olderActs({ older }: AuditPage, { partnerId, by }: AuditEntriesWanted): string[] {
  const filters = `${partnerId === null ? '' : ` --partner ${String(partnerId)}`}${by === null ? '' : ` --by "${by.replaceAll('"', '')}"`}`;
  return older.map(
    ({ service, before }) =>
      `${CALL} acts --service ${service}${before === null ? '' : ` --before ${String(before)}`}${filters}`,
  );
}

export function actsPage(acts: readonly ActView[], next: readonly string[], paint: Paint): string {
  if (acts.length === 0) return 'The audit record has no entry.';
  const table = textTable(
    [
      { title: 'at' },
      { title: 'by', atMost: 30 },
      { title: 'did' },
      { title: 'partner', align: 'right' },
      { title: 'to', atMost: 50 },
      { title: 'with', atMost: 30 },
      { title: 'why', atMost: 100 },
    ],
    acts.map(({ at, by, act, partner_id: partner, subject, approved_by: second, reason }) => [
      timeText(at),
      oneLine(by),
      act,
      partner === null ? '' : String(partner),
      oneLine(subject),
      oneLine(second ?? ''),
      oneLine(reason),
    ]),
    paint,
  );
  return [...table, ...(next.length === 0 ? [] : ['There are older ones:', ...stepLines(next, paint)])].join('\n');
}
