import { Injectable } from '@nestjs/common';
import { AddressRanges } from '@vuka/config';
import { Database } from '@vuka/persistence';

import type { KeyKind } from '../operations/index.js';
import { ApiKeyEntity } from './api-key.entity.js';

/** For the key check, in one read. */
export interface StoredKey {
  readonly partnerId: number;
  readonly kind: KeyKind;
  readonly hash: Buffer;
  /** Id of the pepper of its hash. */
  readonly pepper: string;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  /** null: all of its kind. Unknown scopes allow nothing. */
  readonly scopes: readonly string[] | null;
  /** null: anywhere. */
  readonly addresses: AddressRanges | null;
  /** This and the following: of its partner. */
  readonly webhookUrl: string | null;
  readonly suspended: boolean;
  /** As stored; null: the deployment's terms. */
  readonly terms: unknown;
}

@Injectable()
export class KeysStore {
  constructor(private readonly db: Database) {}

  async findKey(visiblePrefix: string): Promise<StoredKey | null> {
    const keys = this.db.dataSource.getRepository(ApiKeyEntity);
    const key = await keys.findOne({ where: { visiblePrefix }, relations: { partner: true } });
    if (key === null) return null;
    const { kind, hash, pepper, expiresAt, revokedAt, scopes, addresses, partner } = key;
    return {
      partnerId: partner.id, kind, hash, pepper, expiresAt, revokedAt, scopes, addresses: addresses && AddressRanges.of(addresses),
      webhookUrl: partner.webhookUrl, suspended: partner.suspendedAt !== null, terms: partner.terms,
    }; // prettier-ignore
  }

  /** Visible prefixes of live keys, the most recently used ones. */
  async livePrefixes(now: Date, limit: number): Promise<string[]> {
    const rows = await this.db.query<{ prefix: string }>(
      `select visible_prefix as prefix from api_keys where revoked_at is null and (expires_at is null or expires_at > $1)
        order by last_used_at desc nulls last, created_at desc limit $2`,
      [now, limit],
    );
    return rows.map(({ prefix }) => prefix);
  }

  /** A time never goes back. Rows are locked in one order, so that gateways do not deadlock. */
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
