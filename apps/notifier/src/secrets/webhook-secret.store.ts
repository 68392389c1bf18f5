import { Injectable } from '@nestjs/common';
import { Database, type Queryable, type Transaction } from '@vuka/persistence';

export interface StoredSecrets {
  readonly partnerId: number;
  readonly sealed: string;
  /** Before the last rotation; null if none or cleared. */
  readonly previous: { readonly sealed: string; readonly until: Date } | null;
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

  public async put(tx: Transaction, { partnerId, sealed, previous }: StoredSecrets): Promise<void> {
    await tx.query(
      'update webhook_secrets set sealed_secret = $2, previous_sealed_secret = $3, previous_until = $4 where partner_id = $1',
      [partnerId, sealed, previous?.sealed ?? null, previous?.until ?? null],
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
