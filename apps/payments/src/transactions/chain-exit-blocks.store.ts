import { Inject, Injectable } from '@nestjs/common';
import { Database, type Queryable } from '@vuka/persistence';

/**
 * vanished: an open incident of a deposit that had paid. sent_back: one of a payout that was paid and refunded.
 * frozen: by people. suspended: by gateway.
 */
export type WhyFrozen = 'suspended' | 'frozen' | 'vanished' | 'sent_back';

const SQL_OF: Readonly<Record<WhyFrozen, string>> = {
  suspended: `select partner_id from partner_statuses where status = 'suspended'`,
  frozen: `select partner_id from freezes where lifted_at is null`,
  vanished: `select distinct d.partner_id from incidents i join deposits d on d.transaction_id = i.transaction_id
  where i.event = 'deposit.reverted' and i.resolved_at is null`,
  sent_back: `select distinct f.partner_id from incidents i join refunds f on f.transaction_id = i.transaction_id
  where i.event = 'succeeded' and i.state = 'FAILED' and i.resolved_at is null and f.origin = 'refund_held' and f.state in ('GRANTED', 'SIGNED', 'BROADCAST', 'CONFIRMED')`,
};

/** In order of precedence. */
export const WHY_FROZEN = Object.keys(SQL_OF) as readonly WhyFrozen[];

export const FROZEN_SQL = WHY_FROZEN.map((why) => `select f.partner_id, '${why}' as why from (${SQL_OF[why]}) f`).join(
  ' union all ',
);

const OWING_SQL = `select distinct partner_id from accounts where kind = 'receivable' and balance_minor < 0`;

export const HELD_BACK_SQL = `select partner_id from (${FROZEN_SQL}) frozen union ${OWING_SQL}`;

/** In any currency. */
export type ChainExitBlock = WhyFrozen | 'owes';

const WHY_SQL = `select why from (${FROZEN_SQL} union all select o.partner_id, 'owes' from (${OWING_SQL}) o) held where held.partner_id = $1`;

export function firstOf(found: ReadonlySet<string>): WhyFrozen | undefined {
  return WHY_FROZEN.find((why) => found.has(why));
}

/** Value that has left on chain cannot be collected. */
@Injectable()
export class ChainExitBlocks {
  constructor(@Inject(Database) private readonly db: Queryable) {}

  /** From committed data, never from memory: asked right before value leaves. null: allowed. */
  async why(partnerId: number): Promise<ChainExitBlock | null> {
    const rows = await this.db.query<{ why: string }>(WHY_SQL, [partnerId], { name: 'partner_held_back' });
    const found = new Set(rows.map(({ why }) => why));
    return firstOf(found) ?? (found.has('owes') ? 'owes' : null);
  }
}
