import { Column, Entity, PrimaryColumn } from 'typeorm';

const integer = { to: (value: number) => value, from: (value: string) => Number(value) };

/** A partner. Its id is a JSON integer below 2^53 (decisions.md section 2). */
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

  @Column({ name: 'created_at', type: 'timestamptz' })
  createdAt!: Date;
}
