import { Inject, Injectable } from '@nestjs/common';
import type { DeliveryState, DeliveryView, notifierApi } from '@vuka/contracts';
import { fail, ok, type Result } from '@vuka/domain';
import { isCancelled, isOutage } from '@vuka/persistence';
import { type Logger, ServiceUnavailableError } from '@vuka/runtime';
import { LOGGER } from '@vuka/service-host';
import { z } from 'zod';

import { DeliveryVault } from '../secrets/index.js';
import {
  DELIVERY_STATES,
  DeliveryLogStore,
  type LoggedDelivery,
  type LogPlace,
  type StoredDeliveryState,
} from './delivery-log.store.js';

type Operation = (typeof notifierApi)['operations']['listDeliveries'];
type ListDeliveriesInput = z.output<Operation['input']>;
type DeliveriesPage = z.input<Operation['output']>;

const SHOWN_AS: Readonly<Record<StoredDeliveryState, DeliveryState>> = {
  pending: 'pending',
  delivered: 'delivered',
  exhausted: 'failed',
  superseded: 'superseded',
  ended: 'ended',
};

export const TOO_LONG: Result<never> = fail({
  code: 'service_unavailable',
  message: 'It takes too long to look through all these deliveries. Nothing was changed; ask for fewer days',
});

/** Newest first. The cursor is a delivery, not a count. */
@Injectable()
export class ListDeliveries {
  constructor(
    private readonly log: DeliveryLogStore,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly vault: DeliveryVault,
  ) {}

  /**
   * Errors: invalid_request (bad cursor), service_unavailable (too much to read). Throws ServiceUnavailableError if
   * the database is unreachable.
   */
  public async run(input: ListDeliveriesInput): Promise<Result<DeliveriesPage>> {
    const behind = placeOf(input.cursor);
    if (!behind.ok) return behind;
    const { transaction_code: transactionCode, order_id: orderId, limit } = input;
    if (transactionCode !== null && orderId !== null) return ok({ deliveries: [], next_cursor: null });
    try {
      const found = await this.log.page({
        ...filterOf(input),
        code: transactionCode ?? orderId,
        behind: behind.value,
        limit: limit + 1,
      });
      const last = found.length > limit ? found[limit - 1] : undefined;
      // A transaction and an order may have the same code.
      const shown = found
        .slice(0, limit)
        .map((delivery) => this.viewOf(delivery))
        .filter((view) => (orderId === null ? transactionCode === null || view.order_id === '' : view.order_id !== ''));
      return ok({ deliveries: shown, next_cursor: last === undefined ? null : cursorOf(last) });
    } catch (error) {
      if (isCancelled(error)) {
        this.logger.warn(
          { partner_id: input.partner_id },
          'a list of deliveries took too long to read and was cancelled',
        );
        return TOO_LONG;
      }
      throw isOutage(error)
        ? new ServiceUnavailableError('notifier', 'a list cannot be read', { cause: error })
        : error;
    }
  }

  /** The partner's own view, with URL and body. */
  public viewOf(delivery: LoggedDelivery): DeliveryView {
    const { partnerId, callbackUrl, body } = delivery;
    const text = body === null ? null : this.vault.openBody(delivery, body);
    return {
      ...shownDeliveryOf(delivery),
      url: this.vault.openUrl(partnerId, callbackUrl),
      payload: text === null ? null : (JSON.parse(text) as Record<string, unknown>),
    };
  }
}

/** What operators may see: no URL, no body. */
type ShownDelivery = Omit<DeliveryView, 'url' | 'payload'>;

function filterOf({ partner_id: partnerId, state, event, from, before }: ListDeliveriesInput) {
  return {
    partnerId,
    event,
    states: state === null ? DELIVERY_STATES : [storedState(state)],
    from: from === null ? null : new Date(from),
    before: before === null ? null : new Date(before),
  };
}

export function storedState<S extends DeliveryState>(state: S): S extends 'failed' ? 'exhausted' : S {
  return (state === 'failed' ? 'exhausted' : state) as ReturnType<typeof storedState<S>>;
}

const position = z.tuple([z.iso.datetime(), z.int().min(0)]);

/** Opaque; does not name the partner. */
export function cursorOf({ createdAt, id }: LogPlace): string {
  return Buffer.from(JSON.stringify([createdAt.toISOString(), id])).toString('base64url');
}

/** Errors: invalid_request (bad cursor). */
export function placeOf(cursor: string | null): Result<LogPlace | null> {
  if (cursor === null) return ok(null);
  try {
    const [createdAt, id] = position.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
    return ok({ createdAt: new Date(createdAt), id });
  } catch {
    const detail = 'cursor must be the cursor of an answer of this kind';
    return fail({ code: 'invalid_request', message: detail, faults: [{ detail, pointer: '/cursor' }] });
  }
}

export function shownDeliveryOf(delivery: LoggedDelivery): ShownDelivery {
  const { id, transactionId, sequence, event, code, attempts, posts } = delivery;
  const isOrder = delivery.isOrder ?? event.startsWith('order.');
  const last = posts.at(-1);
  return {
    id,
    event,
    sequence,
    attempts,
    webhook_id: `${String(transactionId)}_${String(sequence)}`,
    transaction_code: isOrder ? '' : code,
    order_id: isOrder ? code : '',
    state: SHOWN_AS[delivery.state],
    last_status: last?.status ?? null,
    last_error: last?.error ?? null,
    created_at: delivery.createdAt.toISOString(),
    next_attempt_at: delivery.nextAttemptAt?.toISOString() ?? null,
    settled_at: delivery.settledAt?.toISOString() ?? null,
    log: posts.map((post) => ({
      attempt: post.attempt,
      started_at: post.startedAt.toISOString(),
      duration_ms: post.durationMs,
      status: post.status,
      error: post.error,
    })),
  };
}
