import { Inject, Injectable } from '@nestjs/common';
import type { Envelope } from '@vuka/contracts';
import { chainNamed, decodeMoney } from '@vuka/domain';
import { PermanentEventError } from '@vuka/messaging';
import { Database } from '@vuka/persistence';
import type { Clock } from '@vuka/runtime';

import { CLOCK } from '@vuka/service-host';

import { ClaimStore, CONSUMER_GROUP, DepositStore } from '../claims/index.js';
import { type NewRefund, RefundStore } from '../refunds/index.js';

/**
 * Payments has decided, so the deposit is `refunding` whatever its state was. Nothing is prepared before the grant
 * (RefundHold). If its chain has reverted it, the first turn fails the refund. If another deposit of the partner
 * vanished, people decide.
 */
@Injectable()
export class TakeRefund {
  public constructor(
    @Inject(Database) private readonly db: Pick<Database, 'inTransaction'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Throws PermanentEventError if another refund has the deposit. */
  public async run(event: Envelope<'refund.held'>): Promise<void> {
    const refund = this.refundOf(event);
    await this.db.inTransaction(
      async (tx) => {
        if (!(await ClaimStore.mark(tx, CONSUMER_GROUP, event))) return;
        await RefundStore.lockPartner(tx, refund.partnerId);
        const depositWas = (await DepositStore.beginRefund(tx, refund.depositId)) ?? null;
        if (!(await RefundStore.insert(tx, { ...refund, depositWas })))
          throw new PermanentEventError('deposit_id: goes back by another refund');
      },
      { retries: 2 },
    );
  }

  private refundOf({ data, correlationId, causationId }: Envelope<'refund.held'>): Omit<NewRefund, 'depositWas'> {
    if (chainNamed(data.chain) === undefined) throw new PermanentEventError('chain: none of ours');
    const amount = decodeMoney(data.amount_minor, data.asset);
    if (amount.minor === 0n) throw new PermanentEventError('amount_minor: nothing to send');
    return {
      refundId: data.refund_id,
      partnerId: data.partner_id,
      depositId: data.deposit_id,
      chain: data.chain,
      amount,
      decimals: data.decimals,
      address: data.address,
      correlationId,
      causationId,
      createdAt: this.clock.now(),
    };
  }
}
