import { Inject, Injectable } from '@nestjs/common';
import { Database, type Queryable } from '@vuka/persistence';
import type { Clock } from '@vuka/runtime';
import { CLOCK } from '@vuka/service-host';

import { PayoutWake } from '../due-work/index.js';
import { TransactionStore } from '../transactions/index.js';
import type { CorridorScope } from './corridor.js';

const AT_ONCE = 500;
/** The rest retries at its own time. */
const MOST_ROUNDS = 200;

const WAKE_SQL = `
update transactions t set due_at = $1 from (
  select q.id from transactions q join destinations d on d.transaction_id = q.id
   where q.due_at > $1 and q.state = 'QUEUED' and q.park_deadline is not null
     and ($3::text is null or q.currency = $3) and ($4::text is null or d.kind = $4) and ($5::text is null or d.mobile_network = $5)
   order by q.due_at limit $2 for no key update of q skip locked) w
 where t.id = w.id returning t.id`;

/** Makes payments due now that wait for a provider in these corridors. If another reason stands, they wait on. */
@Injectable()
export class WakeCorridor {
  constructor(
    @Inject(Database) private readonly db: Queryable,
    private readonly transactions: TransactionStore,
    @Inject(CLOCK) private readonly clock: Clock,
    /** Other processes find them by themselves. */
    @Inject(PayoutWake) private readonly wake: { readonly starts: { notify(): void } },
  ) {}

  async run({ currency, kind, network }: Omit<CorridorScope, 'provider'>): Promise<void> {
    const now = this.clock.now();
    for (let rounds = 0; rounds < MOST_ROUNDS; rounds++) {
      const woken = await this.db.query(WAKE_SQL, [now, AT_ONCE, currency, kind, network]);
      if (woken.length > 0) this.wake.starts.notify();
      if (woken.length < AT_ONCE) return;
    }
  }

  async one(transactionId: number): Promise<void> {
    if (await this.transactions.wake(transactionId, this.clock.now())) this.wake.starts.notify();
  }
}
