import type { CallContext, InternalClient, offrampApi } from '@vuka/contracts';
import { fail, ok, type Result } from '@vuka/domain';
import type { Logger } from '@vuka/runtime';

import { read } from '../calls/index.js';

export interface CheckRefundAddressOptions {
  readonly offramp: Pick<InternalClient<typeof offrampApi>, 'checkRefundAddress'>;
  readonly log: Logger;
}

const UNCHECKED =
  'The refund_address cannot be checked at the moment, so this request was not accepted. Send the same request again later, or without refund_address';

/**
 * Whether money may be sent back to an address, by the chain's own rules: what it is spelled like there.
 * Errors: invalid_request (naming the field), service_unavailable (the chain is not served, or nobody can tell).
 */
export class CheckRefundAddress {
  constructor(private readonly options: CheckRefundAddressOptions) {}

  async run(chain: string, address: string, context: CallContext): Promise<Result<string>> {
    const checked = await read(
      this.options.log,
      () => this.options.offramp.checkRefundAddress({ chain, address }, context),
      UNCHECKED,
    );
    if (checked.ok) return ok(checked.value.address);
    const { code, message, faults } = checked.error;
    if (code !== 'invalid_request') return checked;
    const detail = message.includes('refund_address') ? message : `refund_address: ${message}`;
    return fail({ code, message: detail, faults: faults ?? [{ detail, pointer: '/refund_address' }] });
  }
}
