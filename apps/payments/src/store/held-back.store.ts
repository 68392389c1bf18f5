import type { Queryable } from '@vuka/persistence';

/** Partners of whom a deposit vanished that had paid for something, for as long as the incident of it is open. */
export const FROZEN_SQL = `select distinct d.partner_id from incidents i join deposits d on d.transaction_id = i.transaction_id
  where i.event = 'deposit.reverted' and i.resolved_at is null`;

const OWING_SQL = `select distinct partner_id from accounts where kind = 'receivable' and balance_minor < 0`;

/** Partners whose value stays here. */
export const HELD_BACK_SQL = `${FROZEN_SQL} union ${OWING_SQL}`;

/** frozen: see FrozenPartners. owes: money, in any currency. */
export type WhyHeldBack = 'frozen' | 'owes';

/** Says whose value may not leave by a chain: what has left cannot be collected. */
export class HeldBackStore {
  constructor(private readonly db: Queryable) {}

  /** As it is committed now, never from memory: it is asked right before value leaves. null: it may. */
  async why(partnerId: number): Promise<WhyHeldBack | null> {
    const [row] = await this.db.query<{ frozen: boolean; owes: boolean }>(
      `select exists (select from (${FROZEN_SQL}) f where f.partner_id = $1) as frozen, exists (select from (${OWING_SQL}) o where o.partner_id = $1) as owes`,
      [partnerId],
      { name: 'partner_held_back' },
    );
    if (row?.frozen) return 'frozen';
    return row?.owes ? 'owes' : null;
  }
}
