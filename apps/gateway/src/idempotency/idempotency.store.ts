import { Inject, Injectable } from '@nestjs/common';
import { Database } from '@vuka/persistence';
import { type Clock, isFingerprintOf, keptFingerprint, uuidv7 } from '@vuka/runtime';
import { CLOCK } from '@vuka/service-host';

/** Longer than any call it covers (2 s): an expired lease means that its process died. */
export const LEASE_MS = 10_000;
export const KEPT_MS = 24 * 60 * 60 * 1000;
const MAX_TRIES = 3;

export interface IdempotentRequest {
  readonly partnerId: number;
  readonly operation: string;
  readonly key: string;
  /** By each index key. */
  readonly fingerprint: string;
  /** Used if this is the first request with its key. */
  readonly transactionCode: string;
}

export interface Lease {
  readonly request: IdempotentRequest;
  readonly token: string;
  /** An earlier run's, if there was one. */
  readonly transactionCode: string;
  /** An earlier run may have an unknown outcome under this code. */
  readonly takenOver: boolean;
}

export type Acquired =
  | { readonly kind: 'leased'; readonly lease: Lease }
  | { readonly kind: 'stored'; readonly transactionCode: string; readonly response: string }
  | { readonly kind: 'running'; readonly transactionCode: string }
  | { readonly kind: 'mismatch' };

export interface KnownKey {
  readonly fingerprint: string;
  readonly transactionCode: string;
  readonly response: string | null;
  readonly leased: boolean;
}

interface KeyRow {
  readonly fingerprint: string;
  readonly transaction_code: string;
  readonly response: string | null;
}

/*
 * One statement: inserts a new key, restarts an expired one, or takes over an expired lease under its old code.
 * Otherwise changes nothing.
 */
const ACQUIRE = `
  insert into idempotency_keys as k
    (partner_id, operation, key, fingerprint, transaction_code, lease_token, leased_until, expires_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8)
  on conflict (partner_id, operation, key) do update set
    lease_token = excluded.lease_token,
    leased_until = excluded.leased_until,
    fingerprint = excluded.fingerprint,
    transaction_code = case when k.expires_at <= $9 then excluded.transaction_code else k.transaction_code end,
    response = null,
    runs = case when k.expires_at <= $9 then 1 else k.runs + 1 end,
    expires_at = case when k.expires_at <= $9 then excluded.expires_at else k.expires_at end
  where k.leased_until <= $9
    and (k.expires_at <= $9 or (k.response is null and k.fingerprint = any ($10)))
  returning transaction_code, runs > 1 as taken_over`;

const OWN_ROW = 'partner_id = $1 and operation = $2 and key = $3 and lease_token = $4';

@Injectable()
export class IdempotencyStore {
  constructor(
    private readonly db: Database,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async find({
    partnerId,
    operation,
    key,
  }: Pick<IdempotentRequest, 'partnerId' | 'operation' | 'key'>): Promise<KnownKey | null> {
    const now = this.clock.now();
    const rows = await this.db.query<KeyRow & { leased: boolean }>(
      `select fingerprint, transaction_code, response, leased_until > $4 as leased from idempotency_keys
        where partner_id = $1 and operation = $2 and key = $3 and expires_at > $4`,
      [partnerId, operation, key, now],
    );
    const row = rows[0];
    return row === undefined
      ? null
      : {
          fingerprint: row.fingerprint,
          transactionCode: row.transaction_code,
          response: row.response,
          leased: row.leased,
        };
  }

  async acquire(request: IdempotentRequest): Promise<Acquired> {
    for (let attempt = 0; attempt < MAX_TRIES; attempt++) {
      const lease = await this.tryLease(request);
      if (lease !== null) return { kind: 'leased', lease };
      const rows = await this.db.query<KeyRow>(
        'select fingerprint, transaction_code, response from idempotency_keys where partner_id = $1 and operation = $2 and key = $3',
        [request.partnerId, request.operation, request.key],
      );
      const row = rows[0];
      // An earlier run just ended with a 4xx, so this may be the first again.
      if (row === undefined) continue;
      if (!isFingerprintOf(request.fingerprint, row.fingerprint)) return { kind: 'mismatch' };
      if (row.response !== null)
        return { kind: 'stored', transactionCode: row.transaction_code, response: row.response };
      return { kind: 'running', transactionCode: row.transaction_code };
    }
    return { kind: 'running', transactionCode: request.transactionCode };
  }

  /** For the key's 24 hours. */
  async complete(lease: Lease, response: string): Promise<void> {
    await this.db.query(`update idempotency_keys set response = $5, leased_until = $6 where ${OWN_ROW}`, [
      ...own(lease),
      response,
      this.clock.now(),
    ]);
  }

  /** Keeps the code: the outcome is unknown, and a retry must ask about the same transaction. */
  async release(lease: Lease): Promise<void> {
    await this.db.query(`update idempotency_keys set leased_until = $5 where ${OWN_ROW}`, [
      ...own(lease),
      this.clock.now(),
    ]);
  }

  /** A 4xx does not use up the key. */
  async forget(lease: Lease): Promise<void> {
    await this.db.query(`delete from idempotency_keys where ${OWN_ROW}`, own(lease));
  }

  async sweep(limit: number): Promise<number> {
    const rows = await this.db.query(
      `delete from idempotency_keys where (partner_id, operation, key) in (
         select partner_id, operation, key from idempotency_keys
         where expires_at <= $1 and leased_until <= $1 order by expires_at limit $2 for update skip locked)
       returning 1`,
      [this.clock.now(), limit],
    );
    return rows.length;
  }

  private async tryLease(request: IdempotentRequest): Promise<Lease | null> {
    const now = this.clock.now();
    const token = uuidv7();
    const rows = await this.db.query<{ transaction_code: string; taken_over: boolean }>(
      ACQUIRE,
      [
        request.partnerId,
        request.operation,
        request.key,
        keptFingerprint(request.fingerprint),
        request.transactionCode,
        token,
        new Date(now.getTime() + LEASE_MS),
        new Date(now.getTime() + KEPT_MS),
        now,
        request.fingerprint.split(' '),
      ],
      { name: 'gateway-acquire-idempotency-key' },
    );
    const row = rows[0];
    if (row === undefined) return null;
    return { request, token, transactionCode: row.transaction_code, takenOver: row.taken_over };
  }
}

function own({ request, token }: Lease): unknown[] {
  return [request.partnerId, request.operation, request.key, token];
}
