import { Injectable } from '@nestjs/common';
import { AddressRanges } from '@vuka/config';
import { Database } from '@vuka/persistence';

import type { KeyKind } from '../operations/index.js';
import { ApiKeyEntity } from './api-key.entity.js';

/** What a key check needs, in one read. */
export interface StoredKey {
  readonly partnerId: number;
  readonly kind: KeyKind;
  readonly hash: Buffer;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  /** null: everything that its kind may do. What this build does not know opens nothing. */
  readonly scopes: readonly string[] | null;
  /** Where it may be used from; null: anywhere. */
  readonly addresses: AddressRanges | null;
  /** Of its partner, as all that follows. */
  readonly webhookUrl: string | null;
  readonly suspended: boolean;
  /** Its own rows of limits and service fees, as they were kept; null: the deployment's hold. */
  readonly terms: unknown;
}

/** API keys, as requests are judged by them. */
@Injectable()
export class KeysStore {
  constructor(private readonly db: Database) {}

  async findKey(visiblePrefix: string): Promise<StoredKey | null> {
    const keys = this.db.dataSource.getRepository(ApiKeyEntity);
    const key = await keys.findOne({ where: { visiblePrefix }, relations: { partner: true } });
    if (key === null) return null;
    const { kind, hash, expiresAt, revokedAt, scopes, addresses, partner } = key;
    return {
      partnerId: partner.id, kind, hash, expiresAt, revokedAt, scopes, addresses: addresses && AddressRanges.of(addresses),
      webhookUrl: partner.webhookUrl, suspended: partner.suspendedAt !== null, terms: partner.terms,
    }; // prettier-ignore
  }

  /**
   * When keys were used last, by visible prefix. A time is never taken back. Rows are locked in one order, so that gateways that write at the same time
   * never wait for each other in a circle.
   */
  async markUsed(usedAt: ReadonlyMap<string, Date>): Promise<void> {
    await this.db.query(
      `with used as (select * from unnest($1::text[], $2::timestamptz[]) as t (visible_prefix, at)),
            locked as (select k.visible_prefix, used.at from api_keys k join used using (visible_prefix)
                        where k.last_used_at is null or k.last_used_at < used.at order by k.visible_prefix for update of k)
       update api_keys k set last_used_at = locked.at from locked where k.visible_prefix = locked.visible_prefix`,
      [[...usedAt.keys()], [...usedAt.values()]],
    );
  }
}
