import { Inject, Injectable } from '@nestjs/common';
import { type Envelope, decodeDeposit } from '@vuka/contracts';
import { compare, decodeMoney } from '@vuka/domain';
import { PermanentEventError } from '@vuka/messaging';
import { Database } from '@vuka/persistence';

import { ClaimStore, CONSUMER_GROUP, DepositStore } from '../claims/index.js';
import { OrderWatchStore } from './order-watch.store.js';

/**
 * In the commit that marks the event as handled. The unused rest becomes unapplied: credited by policy, or refunded by
 * payments.
 */
@Injectable()
export class TakeSettlement {
  public constructor(@Inject(Database) private readonly db: Pick<Database, 'inTransaction'>) {}

  /** Throws PermanentEventError for an unknown deposit, or a use above what arrived. */
  public async run(event: Envelope<'order.settled'>): Promise<void> {
    const uses = event.data.uses.map(({ deposit, used_minor }) => {
      const { depositId, received } = decodeDeposit(deposit);
      return { depositId, received, used: decodeMoney(used_minor, received.currency) };
    });
    if (uses.some(({ used, received }) => compare(used, received) > 0))
      throw new PermanentEventError('used_minor: more than arrived');
    await this.db.inTransaction(
      async (tx) => {
        // A reversal moves deposits between tables: without this lock we might find one in neither.
        await OrderWatchStore.lock(tx, event.data.order_number);
        if (!(await ClaimStore.mark(tx, CONSUMER_GROUP, event))) return;
        // The same order everywhere prevents deadlocks.
        for (const use of uses.sort((one, other) => one.depositId - other.depositId)) {
          if (!(await DepositStore.use(tx, { ...use, orderNumber: event.data.order_number })))
            throw new PermanentEventError('deposit_id: none of this order');
        }
      },
      { retries: 2 },
    );
  }
}
