import { Inject, Injectable } from '@nestjs/common';
import type { Settings } from '@vuka/config';
import type { Envelope, EventType } from '@vuka/contracts';
import { isEndedOrder, orderMessage, orderStep, type OrderState, type OrderStep } from '@vuka/domain';
import { PermanentEventError, appendToOutbox, inboxMarkSql, newEnvelope } from '@vuka/messaging';
import { Database, type Transaction } from '@vuka/persistence';
import type { Clock, Logger, WakeSignal } from '@vuka/runtime';
import { CLOCK, LOGGER, OUTBOX_SIGNAL, SETTINGS } from '@vuka/service-host';

import { CheckoutMetrics, factsOf, type Order, OrderDepositStore, OrderStore, toTell } from '../orders/index.js';
import { recordTold, type OrderDepositEvent } from './record-told.js';
import { settledEvents } from './settle-order.js';

/** As in TOPICS.consumers. */
export const CONSUMER_GROUP = 'checkout';

/** An event can only precede its order while the order's commit is under way. */
const UNKNOWN_WAIT_MS = 5_000;

/** Reported after the commit. */
interface Judged {
  readonly kind: 'judged' | 'unknown' | 'seen_before';
  readonly ended?: Order;
  readonly isAlarm?: boolean;
}

interface Told {
  readonly type: EventType;
  readonly sequence: number;
  readonly data: Envelope['data'];
}

/**
 * Judges an order by all that is known of it, at each event and when it is due. Result, history and events are one
 * commit under the order's lock. The rules are in libs/domain.
 */
@Injectable()
export class JudgeOrders {
  constructor(
    private readonly db: Database,
    private readonly metrics: CheckoutMetrics,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(OUTBOX_SIGNAL) private readonly outboxSignal: WakeSignal,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /**
   * Throws if the order is unknown: the event is retried for seconds and then kept as a dead letter, because money came
   * to an address that was never shown. A `passed` event of an unknown order is ignored.
   */
  public async take(event: OrderDepositEvent): Promise<void> {
    const judged = await this.db.inTransaction((tx) => this.takeWithin(tx, event), { retries: 2 });
    if (judged.kind === 'unknown') return this.refuse(event);
    this.tellOf(judged, event);
  }

  /** Does nothing if it was judged meanwhile. */
  async judgeDue(orderNumber: number, now: Date): Promise<void> {
    const judged = await this.db.inTransaction(
      async (tx): Promise<Judged> => {
        const order = await OrderStore.lock(tx, orderNumber, now);
        return order === undefined ? { kind: 'seen_before' } : this.judge(tx, order, 'time');
      },
      { retries: 2 },
    );
    this.tellOf(judged, null);
  }

  private async takeWithin(tx: Transaction, event: OrderDepositEvent): Promise<Judged> {
    const { order_number: orderNumber, partner_id: partnerId } = event.data;
    const order = await OrderStore.lock(tx, orderNumber);
    if (order === undefined) return { kind: 'unknown' };
    if (order.partnerId !== partnerId) throw new PermanentEventError("partner_id: the order is another partner's");
    const fresh = await tx.query(inboxMarkSql, [CONSUMER_GROUP, event.id, event.occurredAt], { name: 'inbox-mark' });
    if (fresh.length === 0) return { kind: 'seen_before' };
    await recordTold(tx, event, this.clock.now());
    const hasPassed = event.type === 'order-watch.passed' && order.passedAt === null;
    return this.judge(tx, hasPassed ? { ...order, passedAt: new Date(event.occurredAt) } : order, event.type);
  }

  private async judge(tx: Transaction, order: Order, cause: string): Promise<Judged> {
    const now = this.clock.now();
    const store = new OrderDepositStore(tx);
    const deposits = await store.of(order);
    const step = orderStep(
      { ...factsOf(order, this.settings.checkout.confirmMinutes), amount: order.amount },
      deposits,
      now,
    );
    const lines = stepLines(order, step);
    for (const { to, ...line } of lines) {
      await OrderStore.note(tx, {
        ...line,
        orderNumber: order.orderNumber,
        sequence: to.sequence,
        to: to.state,
        event: cause,
        detail: step.situation,
        at: now,
      });
    }
    const after = lines.at(-1)?.to ?? order;
    const settled = step.settlement === null ? [] : settledEvents(after, step.settlement, deposits);
    if (step.settlement !== null) await store.settle(order.orderNumber, step.settlement.uses, now);
    const hasEnded = isEndedOrder(after.state) && !isEndedOrder(order.state);
    const standing = {
      ...after,
      settledSequence: order.settledSequence + settled.length,
      dueAt: step.dueAt,
      endedAt: hasEnded ? now : order.endedAt,
    };
    await OrderStore.stand(tx, order.orderNumber, standing, now);
    const changes = lines.filter(({ to, from }) => to.state !== from).map(({ to }) => publicChange(to));
    await this.tell(
      tx,
      order,
      [
        ...changes,
        ...settled.map((data, place): Told => ({
          type: 'order.settled',
          sequence: order.settledSequence + place + 1,
          data,
        })),
      ],
      now,
    );
    return { kind: 'judged', isAlarm: step.alarm, ...(hasEnded && { ended: after }) };
  }

  private async tell(tx: Transaction, order: Order, told: readonly Told[], now: Date): Promise<void> {
    const { correlationId, causationId } = order;
    const base = { key: String(order.orderNumber), occurredAt: now, correlationId, causationId, producer: 'checkout' };
    await appendToOutbox(
      tx,
      told.map(({ type, sequence, data }) => newEnvelope({ ...base, type, sequence, data })),
    );
  }

  private tellOf({ kind, ended, isAlarm = false }: Judged, event: OrderDepositEvent | null): void {
    if (kind !== 'judged') return;
    const { outboxSignal, metrics, log } = this;
    outboxSignal.notify();
    if (ended !== undefined) metrics.ended(ended.network, ended.state, ended.reason);
    if (!isAlarm || event?.type !== 'order-deposit.reverted') return;
    const { order_number: orderNumber, partner_id: partnerId } = event.data;
    log.error(
      { code: 'order_deposit_reverted', order_number: orderNumber, partner_id: partnerId },
      'an order is COMPLETE, but its deposit is no longer on its chain',
    );
  }

  private refuse(event: OrderDepositEvent): void {
    const { log, clock } = this;
    const isFresh = clock.now().getTime() - Date.parse(event.occurredAt) < UNKNOWN_WAIT_MS;
    if (event.type !== 'order-watch.passed' || isFresh) throw new Error('order_number: there is no such order');
    log.info(
      { order_number: event.data.order_number },
      'an order expired that was reserved and never shown to anybody',
    );
  }
}

/** `to`: the order after it. */
interface StepLine {
  readonly from: OrderState;
  readonly to: Order;
}

/** One line per state, and one if only the reason changes or people are alerted. */
function stepLines(order: Order, { moves, reason, received, alarm }: OrderStep): StepLine[] {
  const states = moves.length > 0 ? moves : reason !== order.reason || alarm ? [order.state] : [];
  const lines: StepLine[] = [];
  for (const [place, state] of states.entries()) {
    const before = lines.at(-1)?.to ?? order;
    const stands = {
      ...before,
      state,
      reason: place === states.length - 1 ? reason : before.reason,
      sequence: before.sequence + 1,
      publicSequence: before.publicSequence + (state === before.state ? 0 : 1),
    };
    lines.push({ from: before.state, to: { ...stands, message: orderMessage(toTell(stands, received)) } });
  }
  return lines;
}

const PUBLIC = { PROCESSING: 'order.processing', COMPLETE: 'order.complete', FAILED: 'order.failed' } as const;

function publicChange(order: Order): Told {
  if (order.state === 'PENDING') throw new Error('an order never goes back to PENDING');
  const { orderNumber, partnerId, callbackUrl, publicSequence, state, orderId, message } = order;
  const payload = { status: state, order_id: orderId, message };
  return {
    type: PUBLIC[state],
    sequence: publicSequence,
    data: {
      order_number: orderNumber,
      partner_id: partnerId,
      callback_url: callbackUrl,
      public_sequence: publicSequence,
      payload,
    },
  };
}
