import { Column, Entity, PrimaryColumn } from 'typeorm';

const integer = { to: (value: number) => value, from: (value: string) => Number(value) };

/** The id is below 2^53 (decisions.md section 2). */
@Entity({ name: 'partners' })
export class PartnerEntity {
  @PrimaryColumn({ type: 'bigint', transformer: integer })
  id!: number;

  @Column({ type: 'text' })
  name!: string;

  @Column({ type: 'text' })
  email!: string;

  @Column({ name: 'webhook_url', type: 'text', nullable: true })
  webhookUrl!: string | null;

  /** null: never set. Each change of the URL sets it, also when a 410 removes the URL. */
  @Column({ name: 'webhook_set_at', type: 'timestamptz', nullable: true })
  webhookSetAt!: Date | null;

  /** The last default that a receiver's 410 removed. */
  @Column({ name: 'webhook_disabled_url', type: 'text', nullable: true })
  webhookDisabledUrl!: string | null;

  @Column({ name: 'webhook_disabled_at', type: 'timestamptz', nullable: true })
  webhookDisabledAt!: Date | null;

  /** null: active. */
  @Column({ name: 'suspended_at', type: 'timestamptz', nullable: true })
  suspendedAt!: Date | null;

  /** As in VUKA_TERMS_FILE; null: the deployment's terms. */
  @Column({ type: 'jsonb', nullable: true })
  terms!: unknown;

  @Column({ name: 'created_at', type: 'timestamptz' })
  createdAt!: Date;
}
