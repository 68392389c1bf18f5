import type { MigrationInterface, QueryRunner } from '@vuka/persistence';

/** What refunds cost us: what waits for people because of it, and rent that was paid for new accounts. */
export class RefundCosts1768000003000 implements MigrationInterface {
  public readonly name = 'RefundCosts1768000003000';

  public async up(runner: QueryRunner): Promise<void> {
    await runner.query(sql);
  }

  public async down(): Promise<void> {
    throw new Error('What people have let go stays on the record: there is no way down');
  }
}

const sql = `
alter table refunds
  -- What its transfer would have cost when it was last held for that: minor units of the chain's native coin.
  add column cost_minor numeric(38,0),
  -- Up to so much people let it cost.
  add column cost_allowed_minor numeric(38,0);

-- Refunds whose transfer makes an account for its recipient: the newest time, and the rent.
create table refund_rents (
  refund_id  bigint constraint refund_rents_pk primary key,
  partner_id bigint not null,
  chain      text not null,
  rent_minor numeric(38,0) not null,
  at         timestamptz not null,
  constraint refund_rents_refund_fk foreign key (refund_id) references refunds (refund_id)
);
create index refund_rents_partner_idx on refund_rents (partner_id, chain, at);
`;
