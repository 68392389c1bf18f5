import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';

import type { KeyKind } from '../operations/index.js';
import { PartnerEntity } from './partner.entity.js';

/** Stores a keyed hash, never the key. */
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

  @Column({ type: 'text' })
  pepper!: string;

  @Column({ name: 'created_at', type: 'timestamptz' })
  createdAt!: Date;

  @Column({ name: 'expires_at', type: 'timestamptz', nullable: true })
  expiresAt!: Date | null;

  @Column({ name: 'revoked_at', type: 'timestamptz', nullable: true })
  revokedAt!: Date | null;

  @Column({ type: 'text', nullable: true })
  label!: string | null;

  /** null: all of its kind. */
  @Column({ type: 'text', array: true, nullable: true })
  scopes!: string[] | null;

  /** CIDRs; null: any. */
  @Column({ type: 'text', array: true, nullable: true })
  addresses!: string[] | null;

  @Column({ name: 'created_by', type: 'text', nullable: true })
  createdBy!: string | null;

  @Column({ name: 'revoked_by', type: 'text', nullable: true })
  revokedBy!: string | null;

  @Column({ name: 'last_used_at', type: 'timestamptz', nullable: true })
  lastUsedAt!: Date | null;

  /** Visible prefix of the replacement. */
  @Column({ name: 'replaced_by', type: 'text', nullable: true })
  replacedBy!: string | null;
}
