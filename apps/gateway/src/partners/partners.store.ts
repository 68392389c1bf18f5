import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '@vuka/persistence';
import { IsNull, MoreThan } from 'typeorm';

import type { KeyKind } from '../operations/index.js';
import { ApiKeyEntity, PartnerEntity } from '../keys/index.js';
import { insertPartner, setDefaultWebhook } from './known-partners.store.js';

export interface PartnerAccount {
  readonly id: number;
  readonly name: string;
  readonly email: string;
  readonly createdAt: Date;
  /** Of the newest live checkout key, or ''. */
  readonly checkoutKeyPrefix: string;
}

export interface KeyToStore {
  readonly visiblePrefix: string;
  readonly kind: KeyKind;
  readonly hash: Buffer;
  readonly pepper: string;
}

@Injectable()
export class PartnersStore {
  constructor(private readonly db: Database) {}

  async findAccount(partnerId: number, now: Date): Promise<PartnerAccount | null> {
    const partner = await this.db.dataSource.getRepository(PartnerEntity).findOneBy({ id: partnerId });
    if (partner === null) return null;
    const checkoutKey = await this.db.dataSource.getRepository(ApiKeyEntity).findOne({
      where: [IsNull(), MoreThan(now)].map((expiresAt) => ({
        partner: { id: partnerId },
        kind: 'checkout' as const,
        revokedAt: IsNull(),
        expiresAt,
      })),
      order: { createdAt: 'DESC', visiblePrefix: 'ASC' },
    });
    const { id, name, email, createdAt } = partner;
    return { id, name, email, createdAt, checkoutKeyPrefix: checkoutKey?.visiblePrefix ?? '' };
  }

  /** null: none. Returns visible prefixes of the keys that are cached with it. */
  async setWebhookUrl(partnerId: number, url: string | null, now: Date): Promise<string[]> {
    await setDefaultWebhook(this.db, partnerId, url, now);
    const rows = await this.db.query<{ visible_prefix: string }>(
      'select visible_prefix from api_keys where partner_id = $1',
      [partnerId],
    );
    return rows.map(({ visible_prefix }) => visible_prefix);
  }

  /** Creates what is missing; a key with another hash gets the new one. Revoked or expiring keys stay so. */
  async ensurePartner(
    partner: { name: string; email: string },
    keys: readonly KeyToStore[],
    now: Date,
  ): Promise<number> {
    return this.db.inTransaction(async (tx) => {
      await insertPartner(tx, partner, now);
      const rows = await tx.query<{ id: string }>('select id from partners where name = $1', [partner.name]);
      const id = Number(rows[0]?.id);
      // The common lock order.
      const inOrder = [...keys].sort((one, other) => (one.visiblePrefix < other.visiblePrefix ? -1 : 1));
      for (const key of inOrder) await ensureKey(tx, id, key, now);
      return id;
    });
  }
}

async function ensureKey(tx: Transaction, partnerId: number, key: KeyToStore, now: Date): Promise<void> {
  const rows = await tx.query<{ partner_id: string }>(
    `insert into api_keys as k (visible_prefix, partner_id, kind, hash, created_at, pepper) values ($1, $2, $3, $4, $5, $6)
     on conflict (visible_prefix) do update set hash = excluded.hash, pepper = excluded.pepper where k.partner_id = excluded.partner_id
     returning partner_id`,
    [key.visiblePrefix, partnerId, key.kind, key.hash, now, key.pepper],
  );
  if (rows.length === 0) throw new Error(`The key ${key.visiblePrefix} belongs to another partner`);
}
