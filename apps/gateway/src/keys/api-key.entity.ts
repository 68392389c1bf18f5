import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';

import type { KeyKind } from '../operations/index.js';
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

  @Column({ type: 'text', nullable: true })
  label!: string | null;

  /** null: everything that its kind may do. */
  @Column({ type: 'text', array: true, nullable: true })
  scopes!: string[] | null;

  /** CIDRs that it may be used from; null: any. */
  @Column({ type: 'text', array: true, nullable: true })
  addresses!: string[] | null;

  @Column({ name: 'created_by', type: 'text', nullable: true })
  createdBy!: string | null;

  @Column({ name: 'revoked_by', type: 'text', nullable: true })
  revokedBy!: string | null;

  @Column({ name: 'last_used_at', type: 'timestamptz', nullable: true })
  lastUsedAt!: Date | null;

  /** The visible prefix of the key that came in its place. */
  @Column({ name: 'replaced_by', type: 'text', nullable: true })
  replacedBy!: string | null;
}
