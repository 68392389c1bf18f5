import { Injectable } from '@nestjs/common';
import { Database, type Queryable, type Transaction } from '@vuka/persistence';

export interface StoredSecrets {
  readonly partnerId: number;
  readonly sealed: string;
  /** Before the last rotation; null if none or cleared. */
  readonly previous: { readonly sealed: string; readonly until: Date } | null;
}

export interface SecretsOfKey {
  readonly keyId: string;
  readonly secrets: number;
}

interface Row {
  readonly partner_id: number;
  readonly sealed_secret: string;
  readonly previous_sealed_secret: string | null;
  readonly previous_until: Date | null;
}

const COLUMNS = 'partner_id::float8 as partner_id, sealed_secret, previous_sealed_secret, previous_until';

/** One per partner; two during a rotation. */
@Injectable()
export class WebhookSecretStore {
  constructor(private readonly db: Database) {}

  public async find(partnerId: number): Promise<string | null> {
    const rows = await this.db.query<{ sealed_secret: string }>(
      'select sealed_secret from webhook_secrets where partner_id = $1',
      [partnerId],
    );
    return rows[0]?.sealed_secret ?? null;
  }

  public inTransaction<T>(fn: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.db.inTransaction(fn);
  }

  /** True if stored; only one of parallel calls is. */
  public async insertFirst(
    partnerId: number,
    sealedSecret: string,
    now: Date,
    db: Queryable = this.db,
  ): Promise<boolean> {
    const rows = await db.query(
      'insert into webhook_secrets (partner_id, sealed_secret, created_at) values ($1, $2, $3) on conflict (partner_id) do nothing returning partner_id',
      [partnerId, sealedSecret, now],
    );
    return rows.length === 1;
  }

  /** Row lock until the transaction ends. */
  public async lock(tx: Transaction, partnerId: number): Promise<StoredSecrets | undefined> {
    const rows = await tx.query<Row>(`select ${COLUMNS} from webhook_secrets where partner_id = $1 for update`, [
      partnerId,
    ]);
    return rows.map(secretsOf)[0];
  }

  /** Those with a secret under another key. Locks them and skips locked rows. */
  public async lockSealedByOthers(tx: Transaction, keyId: string, limit: number): Promise<StoredSecrets[]> {
    const rows = await tx.query<Row>(
      `select ${COLUMNS} from webhook_secrets
       where split_part(sealed_secret, '.', 2) <> $1 or (previous_sealed_secret is not null and split_part(previous_sealed_secret, '.', 2) <> $1)
       order by partner_id limit $2 for update skip locked`,
      [keyId, limit],
    );
    return rows.map(secretsOf);
  }

  public async put(tx: Transaction, { partnerId, sealed, previous }: StoredSecrets): Promise<void> {
    await tx.query(
      'update webhook_secrets set sealed_secret = $2, previous_sealed_secret = $3, previous_until = $4 where partner_id = $1',
      [partnerId, sealed, previous?.sealed ?? null, previous?.until ?? null],
    );
  }

  /** Counts both secrets of a rotation. */
  public async byKey(): Promise<SecretsOfKey[]> {
    return this.db.query<SecretsOfKey>(
      `select split_part(sealed, '.', 2) as "keyId", count(*)::integer as "secrets"
       from webhook_secrets cross join lateral (values (sealed_secret), (previous_sealed_secret)) as each (sealed)
       where sealed is not null group by 1 order by 1`,
    );
  }
}

function secretsOf({
  partner_id: partnerId,
  sealed_secret: sealed,
  previous_sealed_secret: previous,
  previous_until: until,
}: Row): StoredSecrets {
  return { partnerId, sealed, previous: previous === null || until === null ? null : { sealed: previous, until } };
}
