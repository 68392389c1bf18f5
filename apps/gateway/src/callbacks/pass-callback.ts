import { Inject, Injectable } from '@nestjs/common';
import { type CallContext, type InternalClient, paymentsApi } from '@vuka/contracts';
import { fail, ok, type Problem, type Result } from '@vuka/domain';
import type { Logger } from '@vuka/runtime';
import { clientOf, LOGGER } from '@vuka/service-host';

import { read } from '../calls/index.js';
import { UNKNOWN_OPERATION } from '../http/index.js';
import { RateLimits } from '../limits/index.js';
import { ProviderDoor, type ProviderRequest, sentAs } from './provider-door.js';

export interface SentCallback extends ProviderRequest {
  readonly attemptToken: string | null;
}

export interface CallbackSender {
  /** undefined: gone. */
  readonly address: string | undefined;
  readonly context: CallContext;
}

const ATTEMPT_TOKEN = /^[0-9a-f]{64}$/;
/** Seconds. */
const RETRY_S = 5;

const NOT_STORED: Problem = {
  code: 'service_unavailable',
  message: 'The callback could not be stored. Send it again',
  retryAfterS: RETRY_S,
};

/** Passes a provider's callback on to payments. */
@Injectable()
export class PassCallback {
  private readonly door: ProviderDoor;

  constructor(
    @Inject(clientOf(paymentsApi)) private readonly payments: Pick<InternalClient<typeof paymentsApi>, 'takeCallback'>,
    @Inject(RateLimits) limits: Pick<RateLimits, 'countCallback'>,
    @Inject(LOGGER) private readonly log: Logger,
  ) {
    this.door = new ProviderDoor('callbacks', limits, NOT_STORED);
  }

  /** Resolves with the body of our 200, once it is stored. Errors: not_found, rate_limited, service_unavailable. */
  async run(sent: SentCallback, { address, context }: CallbackSender): Promise<Result<string>> {
    const { attemptToken, ...request } = sent;
    if (attemptToken !== null && !ATTEMPT_TOKEN.test(attemptToken)) return fail(UNKNOWN_OPERATION);
    const input = { ...sentAs(request), attempt_token: attemptToken };
    const taken = await this.door.run(request, address, () =>
      read(this.log, () => this.payments.takeCallback(input, context), NOT_STORED.message),
    );
    return taken.ok ? ok(taken.value.answer) : taken;
  }
}
