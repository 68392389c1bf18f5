import { Inject, Injectable } from '@nestjs/common';
import { Database } from '@vuka/persistence';
import type { Clock } from '@vuka/runtime';
import { CLOCK } from '@vuka/service-host';

/** No window is open so long, also where clocks differ. */
export const VELOCITY_KEPT_MS = 4 * 24 * 3_600_000;
const DELETED_AT_ONCE = 10_000;

/** commit_batch writes and reads them. */
@Injectable()
export class VelocityStore {
  constructor(
    private readonly db: Database,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Windows that are long over. Resolves with how many rows were deleted. */
  async forget(): Promise<number> {
    const before = new Date(this.clock.now().getTime() - VELOCITY_KEPT_MS);
    const deleted = await Promise.all([
      this.db.query(
        `delete from velocity_counters where id in (select id from velocity_counters where starts_at < $1 limit $2) returning 1`,
        [before, DELETED_AT_ONCE],
      ),
      this.db.query(
        `delete from counted_payouts where transaction_id in (
           select transaction_id from counted_payouts where counted_at < $1 limit $2) returning 1`,
        [before, DELETED_AT_ONCE],
      ),
    ]);
    return deleted.flat().length;
  }
}
