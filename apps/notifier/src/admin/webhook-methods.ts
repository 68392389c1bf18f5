import { Injectable } from '@nestjs/common';
import {
  acts,
  deliveryState,
  partnerIdGiven as partnerId,
  reads,
  reasonGiven,
  webhookEvent,
  type DeliveryView,
} from '@vuka/contracts';
import { ok, type Result } from '@vuka/domain';
import { z } from 'zod';

import {
  cursorOf,
  DELIVERY_STATES,
  DeliveryLogStore,
  type LoggedDelivery,
  placeOf,
  ResendDeliveries,
  shownDeliveryOf,
  storedState,
} from '../log/index.js';
import { RotateWebhookSecret } from '../secrets/index.js';

/**
 * The partner's view with only the URL's host, without the body: URL and body may contain tokens and phone numbers.
 */
export type DeliveryLogView = Omit<DeliveryView, 'url' | 'payload'> & {
  readonly host: string;
  readonly expired: boolean;
};

export interface ResentView {
  readonly resent: number;
  /** null: no more. */
  readonly next_cursor: string | null;
}

export interface RotatedSecretView {
  /** Shown only once. */
  readonly secret: string;
  readonly previous_until: string | null;
}

const ofTime = {
  event: webhookEvent.exactOptional(),
  from: z.iso.datetime().exactOptional(),
  before: z.iso.datetime().exactOptional(),
  cursor: z.string().max(200).exactOptional(),
};
const wantedDeliveries = z.strictObject({
  partnerId,
  state: deliveryState.exactOptional(),
  code: z.string().max(200).exactOptional(),
  limit: z.int().min(1).max(100),
  ...ofTime,
});
/** 30 days: a partner that has not changed by then never will. */
const overlapHours = z.number().min(0).max(720);

export type WebhookAdminMethods = ReturnType<typeof deliveryMethods> & ReturnType<typeof secretMethods>;

@Injectable()
export class WebhookMethods {
  readonly methods: WebhookAdminMethods;

  constructor(log: DeliveryLogStore, resends: ResendDeliveries, rotate: RotateWebhookSecret) {
    this.methods = {
      ...deliveryMethods(log, resends),
      ...secretMethods(rotate),
    };
  }
}

function deliveryMethods(log: DeliveryLogStore, resends: ResendDeliveries) {
  return {
    /** Newest first; `code` of a transaction or an order. */
    deliveries: reads(
      [wantedDeliveries],
      async ({
        limit,
        state,
        event,
        code,
        from,
        before,
        cursor,
        ...of
      }): Promise<Result<{ deliveries: DeliveryLogView[]; next_cursor: string | null }>> => {
        const behind = placeOf(cursor ?? null);
        if (!behind.ok) return behind;
        const found = await log.page({
          ...of,
          ...times(from, before),
          limit: limit + 1,
          behind: behind.value,
          event: event ?? null,
          code: code ?? null,
          states: state === undefined ? DELIVERY_STATES : [storedState(state)],
        });
        const last = found.length > limit ? found[limit - 1] : undefined;
        return ok({
          deliveries: found.slice(0, limit).map(adminViewOf),
          next_cursor: last === undefined ? null : cursorOf(last),
        });
      },
    ),
    /** Errors: not_found (no such delivery, or its body expired). */
    resend: acts(
      { partnerId, deliveryId: z.int().positive(), reason: reasonGiven },
      async ({ deliveryId, ...act }): Promise<Result<DeliveryLogView>> => {
        const resent = await resends.one(act.partnerId, deliveryId, act);
        return resent.ok ? ok(adminViewOf(resent.value)) : resent;
      },
    ),
    /** The partner's given-up ones, up to 1,000 per call, oldest first. */
    resendFailed: acts(
      { partnerId, reason: reasonGiven, ...ofTime },
      async ({ event, from, before, cursor, ...act }): Promise<Result<ResentView>> => {
        const behind = placeOf(cursor ?? null);
        if (!behind.ok) return behind;
        const done = await resends.batch(
          {
            partnerId: act.partnerId,
            state: 'exhausted',
            event: event ?? null,
            behind: behind.value,
            ...times(from, before),
          },
          act,
        );
        if (!done.ok) return done;
        const { resent, upTo } = done.value;
        return ok({ resent, next_cursor: upTo === null ? null : cursorOf(upTo) });
      },
    ),
  };
}

function secretMethods(rotate: RotateWebhookSecret) {
  return {
    /** Shown only once. Creates a missing secret. Errors: request_in_progress (two are live). */
    rotateSecret: acts(
      { partnerId, reason: reasonGiven, overlapHours: overlapHours.default(24), force: z.boolean().default(false) },
      async (rotation): Promise<Result<RotatedSecretView>> => {
        const rotated = await rotate.run(rotation);
        return rotated.ok
          ? ok({ secret: rotated.value.secret, previous_until: rotated.value.previousUntil?.toISOString() ?? null })
          : rotated;
      },
    ),
  };
}

function times(from: string | undefined, before: string | undefined): { from: Date | null; before: Date | null } {
  return { from: from === undefined ? null : new Date(from), before: before === undefined ? null : new Date(before) };
}

function adminViewOf(delivery: LoggedDelivery): DeliveryLogView {
  return { ...shownDeliveryOf(delivery), host: delivery.host, expired: delivery.body === null };
}
