import { Inject, Injectable } from '@nestjs/common';
import { type Envelope, decodeDeposit } from '@vuka/contracts';
import { compare, decodeMoney } from '@vuka/domain';
import { PermanentEventError } from '@vuka/messaging';
import { Database } from '@vuka/persistence';

import { ClaimStore, CONSUMER_GROUP, DepositStore } from '../claims/index.js';
import { OrderWatchStore } from './order-watch.store.js';

/**
 * Takes in what an order has used of its deposits, in the commit that marks the event as handled. What it has not used is unapplied from then on: credited by
 * policy, or sent back when payments says so.
 */
@Injectable()
export class TakeSettlement {
  public constructor(@Inject(Database) private readonly db: Pick<Database, 'inTransaction'>) {}

  /** Resolves when it is durable. Throws PermanentEventError where it is about what was never told, or uses more than arrived. */
  public async run(event: Envelope<'order.settled'>): Promise<void> {
    const uses = event.data.uses.map(({ deposit, used_minor }) => {
      const { depositId, received } = decodeDeposit(deposit);
      return { depositId, received, used: decodeMoney(used_minor, received.currency) };
    });
    if (uses.some(({ used, received }) => compare(used, received) > 0))
      throw new PermanentEventError('used_minor: more than arrived');
    await this.db.inTransaction(
      async (tx) => {
        // A reversal that is under way ends first: a deposit that it moves would be found in neither place.
        await OrderWatchStore.lock(tx, event.data.order_number);
        if (!(await ClaimStore.mark(tx, CONSUMER_GROUP, event))) return;
        // In one order everywhere: two that touch the same never wait for each other.
        for (const use of uses.sort((one, other) => one.depositId - other.depositId)) {
          if (!(await DepositStore.use(tx, { ...use, orderNumber: event.data.order_number })))
            throw new PermanentEventError('deposit_id: none of this order');
        }
      },
      { retries: 2 },
    );
  }
}
