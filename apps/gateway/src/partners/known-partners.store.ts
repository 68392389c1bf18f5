import type { Queryable, Transaction } from '@vuka/persistence';

/** A partner as the platform team keeps it. */
export interface KnownPartner {
  readonly id: number;
  readonly name: string;
  readonly email: string;
  readonly createdAt: Date;
  /** null: active. */
  readonly suspendedAt: Date | null;
  /** How many changes of its status others were told of. */
  readonly statusSequence: number;
  readonly webhookUrl: string | null;
  /** null: there never was one, or nobody knows. */
  readonly webhookSetAt: Date | null;
  /** The last default that a receiver's 410 ended, and when. */
  readonly webhookDisabledUrl: string | null;
  readonly webhookDisabledAt: Date | null;
  /** Rows of its own, as they were set; null: the deployment's terms hold. */
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
 * As it is until the transaction ends. To be asked before the transaction writes anything: of those that change a partner the later one then also has the later
 * place in the outbox. The row's lock alone would not do: who waits for a row that is updated gets its transaction id before its turn.
 */
export async function lockKnownPartner(tx: Transaction, id: number): Promise<KnownPartner | null> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('partner ' || $1::text, 0))`, [id]);
  const [partner] = await tx.query<KnownPartner>(`${SELECT} where id = $1 for no key update`, [id]);
  return partner ?? null;
}

/** Its id; null where there is a partner of this name. */
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

/** Later than whatever was set before, whichever machine's clock said when. */
const SET_LATER = (at: string): string => `greatest(${at}::timestamptz, webhook_set_at + interval '1 microsecond')`;

/** The partner's default webhook URL from now on, null for none. */
export async function setDefaultWebhook(db: Queryable, id: number, url: string | null, now: Date): Promise<void> {
  await db.query(`update partners set webhook_url = $2, webhook_set_at = ${SET_LATER('$3')} where id = $1`, [
    id,
    url,
    now,
  ]);
}

/**
 * Takes the default away where it still is this URL, byte for byte, and was set before `attemptedAt`.
 */
export async function disableDefaultWebhook(
  tx: Transaction,
  id: number,
  { url, attemptedAt }: { url: string; attemptedAt: Date },
  now: Date,
): Promise<'disabled' | 'kept'> {
  const disabled = await tx.query(
    `update partners set webhook_url = null, webhook_set_at = ${SET_LATER('$4')}, webhook_disabled_url = webhook_url, webhook_disabled_at = $4
      where id = $1 and webhook_url = $2 and webhook_set_at < $3 returning id`,
    [id, url, attemptedAt, now],
  );
  return disabled.length > 0 ? 'disabled' : 'kept';
}
