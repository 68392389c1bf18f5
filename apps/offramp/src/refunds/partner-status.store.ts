import type { Queryable } from '@vuka/persistence';

export interface PartnerStatus {
  readonly partnerId: number;
  readonly status: 'active' | 'suspended';
  /** Per partner: the higher sequence wins. */
  readonly sequence: number;
}

export const isSuspendedSql = (partnerId: string): string =>
  `exists (select from partner_statuses s where s.partner_id = ${partnerId} and s.status = 'suspended')`;

export class PartnerStatusStore {
  public constructor(private readonly db: Queryable) {}

  /** Events may come in any order. */
  public async record({ partnerId, status, sequence }: PartnerStatus, now: Date): Promise<void> {
    await this.db.query(
      `insert into partner_statuses as p (partner_id, status, sequence, told_at) values ($1, $2, $3, $4)
       on conflict (partner_id) do update set status = excluded.status, sequence = excluded.sequence, told_at = excluded.told_at where p.sequence < excluded.sequence`,
      [partnerId, status, sequence, now],
      { name: 'offramp_record_partner_status' },
    );
  }

  public async isSuspended(partnerId: number): Promise<boolean> {
    const [row] = await this.db.query<{ isSuspended: boolean }>(
      `select ${isSuspendedSql('$1')} as "isSuspended"`,
      [partnerId],
      { name: 'offramp_partner_suspended' },
    );
    return row?.isSuspended === true;
  }
}
