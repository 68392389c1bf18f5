import { DESKS, type DeskName } from '@vuka/data-folder';
import type { KeptAct } from '@vuka/persistence';
import { oneLine, type Paint, textTable } from '@vuka/terminal';

import { CALL } from '../commands/desk-help.js';
import type { Desk } from '../desk.js';
import { timeText } from './text-values.js';
import { stepLines } from './trouble-lines.js';

/** What somebody did, and in which service it is written. */
export interface ActView {
  readonly service: DeskName;
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

/** Which of them are asked for. Each service counts its own: `before` is of one `service`. */
export interface ActsWanted {
  readonly partnerId: number | null;
  readonly by: string | null;
  readonly service: DeskName | null;
  readonly before: number | null;
}

const MOST_SHOWN = 200;

/** Of all services or of one, newest first. `next`: for each service that has older ones, the command that shows them. */
export async function collectActs(
  { partnerId, by, service: only, before }: ActsWanted,
  desk: Desk,
): Promise<{ acts: ActView[]; more: boolean; next: string[] }> {
  const wanted = {
    limit: MOST_SHOWN + 1,
    ...(partnerId !== null && { partnerId }),
    ...(by !== null && { by }),
    ...(before !== null && { before }),
  };
  const services = only === null ? DESKS : [only];
  const lists = await Promise.all(
    services.map(async (service) => (await desk[service].acts(wanted)).map((act) => actView(service, act))),
  );
  const acts = lists
    .flat()
    .sort((one, other) => other.at.localeCompare(one.at) || other.id - one.id)
    .slice(0, MOST_SHOWN);
  const filters = `${partnerId === null ? '' : ` --partner ${String(partnerId)}`}${by === null ? '' : ` --by "${by.replaceAll('"', '')}"`}`;
  const next = services.flatMap((service, place) => {
    const shown = acts.filter((act) => act.service === service);
    const last = shown.length === 0 ? before : Math.min(...shown.map(({ id }) => id));
    return shown.length === lists[place]?.length
      ? []
      : [`${CALL} acts --service ${service}${last === null ? '' : ` --before ${String(last)}`}${filters}`];
  });
  return { acts, more: next.length > 0, next };
}

export function actsPage(acts: readonly ActView[], next: readonly string[], paint: Paint): string {
  if (acts.length === 0) return 'Nothing is on the record.';
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

function actView(
  service: DeskName,
  { id, at, by, act, partnerId, subject, reason, approvedBy, details }: KeptAct,
): ActView {
  return {
    service,
    id,
    at: at.toISOString(),
    by,
    act,
    partner_id: partnerId,
    subject,
    reason,
    approved_by: approvedBy,
    details,
  };
}
