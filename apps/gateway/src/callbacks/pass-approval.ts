import { Inject, Injectable } from '@nestjs/common';
import { type InternalClient, paymentsApi } from '@vuka/contracts';
import { type Problem, type Result } from '@vuka/domain';
import type { Logger } from '@vuka/runtime';
import { clientOf, LOGGER } from '@vuka/service-host';

import { read } from '../calls/index.js';
import { RateLimits } from '../limits/index.js';
import type { CallbackSender } from './pass-callback.js';
import { ProviderDoor, type ProviderRequest, sentAs } from './provider-door.js';

type Payments = Pick<InternalClient<typeof paymentsApi>, 'answerApproval'>;
type Answer = Extract<Awaited<ReturnType<Payments['answerApproval']>>, { ok: true }>['value'];

const NOT_DECIDED: Problem = { code: 'service_unavailable', message: 'The payout could not be approved. Do not pay' };

/** Passes a provider's question whether to pay on to payments. Every error is a refusal, by its status. */
@Injectable()
export class PassApproval {
  private readonly door: ProviderDoor;

  constructor(
    @Inject(clientOf(paymentsApi)) private readonly payments: Payments,
    @Inject(RateLimits) limits: Pick<RateLimits, 'countCallback'>,
    @Inject(LOGGER) private readonly log: Logger,
  ) {
    this.door = new ProviderDoor('approvals', limits, NOT_DECIDED);
  }

  /** Resolves with the answer in the provider's words. Errors: not_found, rate_limited, service_unavailable. */
  async run(asked: ProviderRequest, { address, context }: CallbackSender): Promise<Result<Answer>> {
    const input = sentAs(asked);
    return this.door.run(asked, address, () =>
      read(this.log, () => this.payments.answerApproval(input, context), NOT_DECIDED.message),
    );
  }
}
