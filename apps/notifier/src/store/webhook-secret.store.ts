import type { Database } from '@vuka/persistence';

/** Sealed webhook secrets, one per partner. */
export class WebhookSecretStore {
  public constructor(private readonly db: Database) {}

  public async find(partnerId: number): Promise<string | null> {
    const rows = await this.db.query<{ sealed_secret: string }>(
      'select sealed_secret from webhook_secrets where partner_id = $1',
      [partnerId],
    );
    return rows[0]?.sealed_secret ?? null;
  }

  /** Keeps what is there: of several at once one is stored, and `find` then gives that one to all. */
  public async insertUnlessPresent(partnerId: number, sealedSecret: string, now: Date): Promise<void> {
    await this.db.query(
      `insert into webhook_secrets (partner_id, sealed_secret, created_at) values ($1, $2, $3)
       on conflict (partner_id) do nothing`,
      [partnerId, sealedSecret, now],
    );
  }
}
