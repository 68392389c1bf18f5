import { Inject, Injectable } from '@nestjs/common';
import {
  paymentsApi,
  type CallContext,
  type InternalClient,
  type SandboxPayoutAction,
  type SandboxPayoutControlled,
} from '@vuka/contracts';
import { fail, REFERENCE_PATTERN, type Result } from '@vuka/domain';
import type { Logger } from '@vuka/runtime';
import { LOGGER, clientOf } from '@vuka/service-host';

import { read } from '../calls/index.js';
import type { Caller } from '../keys/index.js';

export interface ControlSandboxPayoutInput {
  readonly caller: Caller;
  readonly transactionCode: string;
  readonly action: SandboxPayoutAction;
  readonly context: CallContext;
}

/** Errors: not_found (also another partner's), service_unavailable. */
@Injectable()
export class ControlSandboxPayout {
  constructor(
    @Inject(clientOf(paymentsApi))
    private readonly payments: Pick<InternalClient<typeof paymentsApi>, 'controlSandboxPayout'>,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  async run({
    caller,
    transactionCode,
    action,
    context,
  }: ControlSandboxPayoutInput): Promise<Result<SandboxPayoutControlled>> {
    if (!REFERENCE_PATTERN.test(transactionCode)) return fail({ code: 'not_found', message: 'No such transaction' });
    const input = { partner_id: caller.partnerId, transaction_code: transactionCode, action };
    return read(
      this.log,
      () => this.payments.controlSandboxPayout(input, context),
      'The sandbox rail was not heard of in time, so it may have acted or not. The status of the transaction tells',
    );
  }
}
