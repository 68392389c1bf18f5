import type { KeptAct } from '@vuka/persistence';

import type { Desk } from './desk.js';
import type { Paint } from './paint.js';
import { oneLine, textTable } from './text-table.js';
import { timeText } from './text-values.js';

/** What somebody did, and in which service it is written. */
export interface ActView {
  readonly service: string;
  readonly id: number;
  readonly at: string;
  readonly by: string;
  readonly act: string;
  readonly partner_id: number | null;
  readonly subject: string;
  readonly reason: string;
  readonly approved_by: string | null;
  readonly details: Readonly<Record<string, unknown>>;
}

const MOST_SHOWN = 200;

/** Of all services, newest first. */
export async function collectActs({ partnerId, by }: { readonly partnerId: number | null; readonly by: string | null }, desk: Desk): Promise<{ acts: ActView[]; more: boolean }> {
  const wanted = { limit: MOST_SHOWN + 1, ...(partnerId !== null && { partnerId }), ...(by !== null && { by }) };
  const lists = await Promise.all((['gateway', 'payments', 'offramp', 'checkout', 'notifier'] as const).map(async (service) => (await desk[service].acts(wanted)).map((act) => actView(service, act))));
  const acts = lists.flat().sort((one, other) => other.at.localeCompare(one.at) || other.id - one.id);
  return { acts: acts.slice(0, MOST_SHOWN), more: acts.length > MOST_SHOWN };
}

export function actsPage(acts: readonly ActView[], more: boolean, _now: Date, paint: Paint): string {
  if (acts.length === 0) return 'Nothing is on the record.';
  const table = textTable(
    [{ title: 'at' }, { title: 'by', atMost: 30 }, { title: 'did' }, { title: 'partner', align: 'right' }, { title: 'to', atMost: 50 }, { title: 'with', atMost: 30 }, { title: 'why', atMost: 100 }],
    acts.map(({ at, by, act, partner_id: partner, subject, approved_by: second, reason }) => [timeText(at), oneLine(by), act, partner === null ? '' : String(partner), oneLine(subject), oneLine(second ?? ''), oneLine(reason)]),
    paint,
  );
  return [...table, ...(more ? [`There are older ones: --partner and --by narrow it down.`] : [])].join('\n');
}

function actView(service: string, { id, at, by, act, partnerId, subject, reason, approvedBy, details }: KeptAct): ActView {
  return { service, id, at: at.toISOString(), by, act, partner_id: partnerId, subject, reason, approved_by: approvedBy, details };
}
