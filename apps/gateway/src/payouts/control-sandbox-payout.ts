import type {
  CallContext,
  InternalClient,
  paymentsApi,
  SandboxPayoutAction,
  SandboxPayoutControlled,
} from '@vuka/contracts';
import { fail, REFERENCE_PATTERN, type Result } from '@vuka/domain';
import type { Logger } from '@vuka/runtime';

import { read } from '../calls/index.js';
import type { Caller } from '../keys/index.js';

export interface ControlSandboxPayoutInput {
  readonly caller: Caller;
  readonly transactionCode: string;
  readonly action: SandboxPayoutAction;
  readonly context: CallContext;
}

export interface ControlSandboxPayoutOptions {
  readonly payments: Pick<InternalClient<typeof paymentsApi>, 'controlSandboxPayout'>;
  readonly log: Logger;
}

/**
 * Has the sandbox rail do something with one of the caller's own payouts.
 * Errors: not_found (another partner's looks the same), service_unavailable.
 */
export class ControlSandboxPayout {
  constructor(private readonly options: ControlSandboxPayoutOptions) {}

  async run({
    caller,
    transactionCode,
    action,
    context,
  }: ControlSandboxPayoutInput): Promise<Result<SandboxPayoutControlled>> {
    // No transaction has a code of another form.
    if (!REFERENCE_PATTERN.test(transactionCode)) return fail({ code: 'not_found', message: 'No such transaction' });
    const input = { partner_id: caller.partnerId, transaction_code: transactionCode, action };
    return read(
      this.options.log,
      () => this.options.payments.controlSandboxPayout(input, context),
      'The sandbox rail was not heard of in time, so it may have acted or not. The status of the transaction tells',
    );
  }
}
