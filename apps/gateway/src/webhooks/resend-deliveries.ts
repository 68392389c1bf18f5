import { Inject, Injectable } from '@nestjs/common';
import { deliveryState, type CallContext, type DeliveryView, type InternalClient, notifierApi } from '@vuka/contracts';
import { described, fail, ok, oneOf, optional, refusal, type Result } from '@vuka/domain';
import type { Logger } from '@vuka/runtime';
import { LOGGER, clientOf } from '@vuka/service-host';

import { read } from '../calls/index.js';
import type { JsonBody } from '../http/index.js';
import type { Caller } from '../keys/index.js';
import { readTimes, timesFields } from '../transactions/index.js';
import { EVENT_FIELD } from './list-deliveries.js';

export interface ResentDeliveries {
  readonly resent: number;
  readonly more: boolean;
  /** Continues after these; null: no more. */
  readonly cursor: string | null;
}

const ID = /^[1-9]\d{0,15}$/;
const RESTING = deliveryState.exclude(['pending']).options.map((name) => ({ name, aliases: [] }));

const OWN_FIELDS = {
  state: optional(
    described(oneOf(RESTING, 'invalid_request'), 'Those that are in it now; `failed` where it is not sent.'),
  ),
  event: EVENT_FIELD,
};

export const RESEND_FIELDS = timesFields(OWN_FIELDS);

const NO_SUCH_DELIVERY: Result<never> = fail({ code: 'not_found', message: 'There is no such delivery' });
const OPEN =
  'It was not confirmed: they may be sent again, or not. Send the same request again, for a receiver knows a webhook by its webhook-id';

@Injectable()
export class ResendDeliveries {
  constructor(
    @Inject(clientOf(notifierApi))
    private readonly notifier: Pick<InternalClient<typeof notifierApi>, 'resendDelivery' | 'resendDeliveries'>,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /** Errors: not_found (not the caller's, expired, or sent too often), service_unavailable. */
  async one({ partnerId }: Caller, id: string, context: CallContext): Promise<Result<DeliveryView>> {
    const deliveryId = ID.test(id) ? Number(id) : Number.NaN;
    if (!Number.isSafeInteger(deliveryId)) return NO_SUCH_DELIVERY;
    return read(
      this.log,
      () => this.notifier.resendDelivery({ partner_id: partnerId, delivery_id: deliveryId }, context),
      OPEN,
    );
  }

  /** Oldest first. Errors: invalid_request, rate_limited (another resend is running), service_unavailable. */
  async several({ partnerId }: Caller, body: JsonBody, context: CallContext): Promise<Result<ResentDeliveries>> {
    const request = readTimes(body, OWN_FIELDS);
    if (!request.ok) return refusal(request.error);
    const { own, times } = request.value;
    const input = {
      partner_id: partnerId,
      state: own.state?.name ?? ('failed' as const),
      event: own.event?.name ?? null,
      ...times,
    };
    const resent = await read(this.log, () => this.notifier.resendDeliveries(input, context), OPEN);
    if (!resent.ok) return resent;
    const { resent: count, next_cursor: cursor } = resent.value;
    return ok({ resent: count, more: cursor !== null, cursor });
  }
}
