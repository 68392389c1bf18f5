import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';

import type { KeyKind } from '../http/operations.js';
import { PartnerEntity } from './partner.entity.js';

/** An API key: its visible prefix and a keyed hash, never the key. */
@Entity({ name: 'api_keys' })
export class ApiKeyEntity {
  @PrimaryColumn({ name: 'visible_prefix', type: 'text' })
  visiblePrefix!: string;

  @ManyToOne(() => PartnerEntity)
  @JoinColumn({ name: 'partner_id' })
  partner!: PartnerEntity;

  @Column({ type: 'text' })
  kind!: KeyKind;

  @Column({ type: 'bytea' })
  hash!: Buffer;

  @Column({ name: 'created_at', type: 'timestamptz' })
  createdAt!: Date;

  @Column({ name: 'expires_at', type: 'timestamptz', nullable: true })
  expiresAt!: Date | null;

  @Column({ name: 'revoked_at', type: 'timestamptz', nullable: true })
  revokedAt!: Date | null;
}
