import { Inject, Injectable } from '@nestjs/common';
import { encodeDeposit } from '@vuka/contracts';
import { appendToOutbox, newEnvelope } from '@vuka/messaging';
import { Database, type Transaction } from '@vuka/persistence';
import type { Clock, Logger, WakeSignal } from '@vuka/runtime';

import { CLOCK, LOGGER, OUTBOX_SIGNAL } from '@vuka/service-host';

import { OfframpMetrics } from '../claim-work/index.js';
import {
  ClaimStore,
  type ClaimToTell,
  type DepositToRecheck,
  RecheckStore,
  type ToldDeposit,
} from '../claims/index.js';
import { OrderWatchStore, tellOfOrder } from '../orders/index.js';
import { RefundStore } from '../refunds/index.js';
import { recheckAfterMs } from './recheck-pace.js';
import { factsOf } from './recheck.js';

/** How long we look for a vanished transfer. */
export const WATCH_FOR_RETURN_MS = 24 * 3_600_000;

/**
 * The deposit moves away, so that its transfer may come again. The same commit withholds unsigned refunds of a partner
 * that may owe by it: payments hears of it later than we might sign. Parts of a split quote go together, with one event
 * each.
 */
@Injectable()
export class RecordReversal {
  public constructor(
    @Inject(Database) private readonly db: Pick<Database, 'inTransaction'>,
    @Inject(OUTBOX_SIGNAL) private readonly outboxSignal: WakeSignal,
    private readonly metrics: OfframpMetrics,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  public async run(deposit: DepositToRecheck, blockMs: number): Promise<void> {
    const now = this.clock.now();
    const at = {
      now,
      watchUntil: new Date(now.getTime() + WATCH_FOR_RETURN_MS),
      nextCheckAt: new Date(now.getTime() + recheckAfterMs(blockMs, 0)),
    };
    const gone = await this.db.inTransaction(
      async (tx) => {
        const orderNumber = await ClaimStore.orderOf(tx, deposit.claimId);
        const order = orderNumber === null ? null : await OrderWatchStore.lockToTell(tx, orderNumber);
        await RefundStore.lockPartner(tx, deposit.partnerId);
        await RefundStore.lockOpen(tx, deposit.partnerId);
        const claim = await ClaimStore.lockToTell(tx, deposit.claimId);
        const reverted = await RecheckStore.revert(tx, deposit, at);
        for (const [place, one] of reverted.entries()) {
          await RefundStore.withhold(tx, one, now);
          const told = { claim_id: one.claimId, deposit: encodeDeposit(one) };
          if (order === null) await tellOfPay(tx, one, { ...claim, sequence: claim.sequence + place }, now);
          else
            await tellOfOrder(tx, { ...order, sequence: order.sequence + place }, 'order-deposit.reverted', told, now);
        }
        return reverted;
      },
      { retries: 2 },
    );
    if (gone.length === 0) return;
    this.outboxSignal.notify();
    for (const one of gone) {
      this.metrics.reverted(one.chain);
      this.log.error(
        { code: 'deposit_reverted', ...factsOf(one) },
        'a reported deposit is gone for good: it is reverted',
      );
    }
  }
}

async function tellOfPay(
  tx: Transaction,
  deposit: ToldDeposit,
  { sequence, correlationId, causationId }: ClaimToTell,
  now: Date,
): Promise<void> {
  await appendToOutbox(tx, [
    newEnvelope({
      type: 'deposit.reverted',
      key: String(deposit.claimId),
      sequence,
      occurredAt: now,
      correlationId,
      causationId,
      producer: 'offramp',
      data: { claim_id: deposit.claimId, partner_id: deposit.partnerId, deposit: encodeDeposit(deposit) },
    }),
  ]);
  await ClaimStore.told(tx, deposit.claimId, sequence);
}
