import type { Queryable, Transaction } from '@vuka/persistence';

export interface KnownPartner {
  readonly id: number;
  readonly name: string;
  readonly email: string;
  readonly createdAt: Date;
  /** null: active. */
  readonly suspendedAt: Date | null;
  /** Status changes published so far. */
  readonly statusSequence: number;
  readonly webhookUrl: string | null;
  /** null: never set. */
  readonly webhookSetAt: Date | null;
  /** The last default that a receiver's 410 removed. */
  readonly webhookDisabledUrl: string | null;
  readonly webhookDisabledAt: Date | null;
  /** As set; null: the deployment's terms. */
  readonly terms: unknown;
}

const SELECT = `
select id::float8 as id, name, email, created_at as "createdAt", suspended_at as "suspendedAt", status_sequence as "statusSequence", webhook_url as "webhookUrl",
       webhook_set_at as "webhookSetAt", webhook_disabled_url as "webhookDisabledUrl", webhook_disabled_at as "webhookDisabledAt", terms
  from partners`;

/** Newest first. */
export function listKnownPartners(db: Queryable, before: number | null, limit: number): Promise<KnownPartner[]> {
  return db.query<KnownPartner>(`${SELECT} where $1::bigint is null or id < $1 order by id desc limit $2`, [
    before,
    limit,
  ]);
}

export async function findKnownPartner(db: Queryable, idOrName: number | string): Promise<KnownPartner | null> {
  const [partner] = await db.query<KnownPartner>(
    `${SELECT} where ${typeof idOrName === 'number' ? 'id' : 'name'} = $1`,
    [idOrName],
  );
  return partner ?? null;
}

/**
 * Locks until the transaction ends. Call it before the transaction writes: then later changes also come later in the
 * outbox. The row lock is not enough, because a waiting update already has its transaction id.
 */
export async function lockKnownPartner(tx: Transaction, id: number): Promise<KnownPartner | null> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('partner ' || $1::text, 0))`, [id]);
  const [partner] = await tx.query<KnownPartner>(`${SELECT} where id = $1 for no key update`, [id]);
  return partner ?? null;
}

/** null: the name is taken. */
export async function insertPartner(
  tx: Transaction,
  { name, email }: Pick<KnownPartner, 'name' | 'email'>,
  now: Date,
): Promise<number | null> {
  const [row] = await tx.query<{ id: string }>(
    'insert into partners (name, email, created_at) values ($1, $2, $3) on conflict (name) do nothing returning id',
    [name, email, now],
  );
  return row === undefined ? null : Number(row.id);
}

export async function setStatus(
  tx: Transaction,
  id: number,
  { suspendedAt, statusSequence }: Pick<KnownPartner, 'suspendedAt' | 'statusSequence'>,
): Promise<void> {
  await tx.query('update partners set suspended_at = $2, status_sequence = $3 where id = $1', [
    id,
    suspendedAt,
    statusSequence,
  ]);
}

export async function setOwnTerms(tx: Transaction, id: number, terms: unknown): Promise<void> {
  await tx.query('update partners set terms = $2::jsonb where id = $1', [
    id,
    terms === null ? null : JSON.stringify(terms),
  ]);
}

/** Later than any earlier setting, whichever clock wrote that. */
const SET_LATER = (at: string): string => `greatest(${at}::timestamptz, webhook_set_at + interval '1 microsecond')`;

/** null: none. */
export async function setDefaultWebhook(db: Queryable, id: number, url: string | null, now: Date): Promise<void> {
  await db.query(`update partners set webhook_url = $2, webhook_set_at = ${SET_LATER('$3')} where id = $1`, [
    id,
    url,
    now,
  ]);
}

/** Only if it is still the URL that was called, and was set before `attemptedAt`. */
export async function disableDefaultWebhook(
  tx: Transaction,
  id: number,
  { isCalled, attemptedAt }: { isCalled: (stored: string) => boolean; attemptedAt: Date },
  now: Date,
): Promise<'disabled' | 'kept'> {
  const [partner] = await tx.query<{ url: string | null }>(
    'select webhook_url as url from partners where id = $1 and webhook_set_at < $2 for no key update',
    [id, attemptedAt],
  );
  const url = partner?.url ?? null;
  if (url === null || !isCalled(url)) return 'kept';
  await tx.query(
    `update partners set webhook_url = null, webhook_set_at = ${SET_LATER('$2')}, webhook_disabled_url = webhook_url, webhook_disabled_at = $2
      where id = $1`,
    [id, now],
  );
  return 'disabled';
}
