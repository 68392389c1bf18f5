import type { Queryable, Transaction } from '@vuka/persistence';

import { EARLIEST, LATEST, type LogFilter, type LogPlace } from './delivery-log.store.js';

export const TEST_EVENT = 'webhook.test';

export interface ResendBatch extends Omit<LogFilter, 'states'> {
  readonly state: 'delivered' | 'exhausted' | 'superseded' | 'ended';
  readonly behind: LogPlace | null;
  readonly limit: number;
}

/** Attempts are 16-bit and each is a row: nobody may resend for ever. */
export const MOST_ATTEMPTS = 1_000;

/** Oldest first. Without tests, expired bodies and rows with too many attempts. */
export function toResend(
  db: Queryable,
  { partnerId, state, event, from, before, behind, limit }: ResendBatch,
): Promise<LogPlace[]> {
  const { createdAt, id } = behind ?? { createdAt: EARLIEST, id: 0 };
  return db.query<LogPlace>(
    `select created_at as "createdAt", id::float8 as "id" from deliveries
     where partner_id = $1 and state = $2 and created_at >= $3 and created_at < $4 and (created_at, id) > ($5, $6::bigint)
       and ($7::text is null or event_type = $7) and event_type <> $10 and body is not null and attempts < $9
     order by created_at, id
     limit $8`,
    [partnerId, state, from ?? EARLIEST, before ?? LATEST, createdAt, id, event, limit, MOST_ATTEMPTS, TEST_EVENT],
  );
}

/**
 * Same webhook-id, new schedule. Skips deliveries being posted or due by `soon`, with too many attempts or an expired
 * body. Returns one host per changed delivery.
 */
export async function makeDueAgain(
  tx: Transaction,
  partnerId: number,
  ids: readonly number[],
  now: Date,
  soon: Date,
): Promise<string[]> {
  const rows = await tx.query<{ host: string }>(RESEND_SQL, [partnerId, ids, now, soon, MOST_ATTEMPTS]);
  return rows.map(({ host }) => host);
}

// Locked by id, as everywhere. The new fence drops outcomes of earlier claims.
const RESEND_SQL = `
with wanted as (
  select id, occurred_at from deliveries
  where id = any ($2::bigint[]) and partner_id = $1 and body is not null and attempts < $5 and (state <> 'pending' or next_attempt_at > $4)
  order by id
  for update
)
update deliveries d set state = 'pending', next_attempt_at = $3, settled_at = null, resent_at = $3, attempts_before = d.attempts, fence = d.fence + 1
from wanted
where d.id = wanted.id and d.occurred_at = wanted.occurred_at
returning d.host`;
