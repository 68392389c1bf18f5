import { ACT_SOURCES, type ActSource, type AdminServiceName } from '@vuka/data-folder';
import type { KeptAuditEntry } from '@vuka/persistence';

import type { ServiceCalls } from '../service-calls.js';

/** An audit entry and its service. */
export interface ActView {
  readonly service: ActSource;
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

/** Each service numbers its own entries: `before` needs one `service`. */
export interface AuditEntriesWanted {
  readonly partnerId: number | null;
  readonly by: string | null;
  readonly service: ActSource | null;
  readonly before: number | null;
}

export interface AuditPage {
  readonly acts: readonly ActView[];
  /** The `before` of each service with older entries. */
  readonly older: readonly { readonly service: ActSource; readonly before: number | null }[];
}

const MOST_SHOWN = 200;

/** Newest first. */
export async function collectAuditEntries(
  { partnerId, by, service: only, before }: AuditEntriesWanted,
  services: Readonly<Record<ActSource, Pick<ServiceCalls[AdminServiceName], 'acts'>>>,
): Promise<AuditPage> {
  const wanted = {
    limit: MOST_SHOWN + 1,
    ...(partnerId !== null && { partnerId }),
    ...(by !== null && { by }),
    ...(before !== null && { before }),
  };
  const asked = only === null ? ACT_SOURCES : [only];
  const lists = await Promise.all(
    asked.map(async (service) => (await services[service].acts(wanted)).map((act) => actView(service, act))),
  );
  const acts = lists
    .flat()
    .sort((one, other) => other.at.localeCompare(one.at) || other.id - one.id)
    .slice(0, MOST_SHOWN);
  const older = asked.flatMap((service, place) => {
    const shown = acts.filter((act) => act.service === service);
    const last = shown.length === 0 ? before : Math.min(...shown.map(({ id }) => id));
    return shown.length === lists[place]?.length ? [] : [{ service, before: last }];
  });
  return { acts, older };
}

function actView(
  service: ActSource,
  { id, at, by, act, partnerId, subject, reason, approvedBy, details }: KeptAuditEntry,
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
