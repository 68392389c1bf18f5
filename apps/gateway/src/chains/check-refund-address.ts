import { Inject, Injectable } from '@nestjs/common';
import { offrampApi, type CallContext, type InternalClient } from '@vuka/contracts';
import { fail, ok, type Result } from '@vuka/domain';
import type { Logger } from '@vuka/runtime';
import { LOGGER, clientOf } from '@vuka/service-host';

import { read } from '../calls/index.js';

const UNCHECKED =
  'The refund_address cannot be checked at the moment, so this request was not accepted. Send the same request again later, or without refund_address';

/**
 * Gives the address as the chain spells it. Errors: invalid_request (names the field), service_unavailable (not
 * served, or unknown).
 */
@Injectable()
export class CheckRefundAddress {
  constructor(
    @Inject(clientOf(offrampApi))
    private readonly offramp: Pick<InternalClient<typeof offrampApi>, 'checkRefundAddress'>,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  async run(chain: string, address: string, context: CallContext): Promise<Result<string>> {
    const checked = await read(this.log, () => this.offramp.checkRefundAddress({ chain, address }, context), UNCHECKED);
    if (checked.ok) return ok(checked.value.address);
    const { code, message, faults } = checked.error;
    if (code !== 'invalid_request') return checked;
    const detail = message.includes('refund_address') ? message : `refund_address: ${message}`;
    return fail({ code, message: detail, faults: faults ?? [{ detail, pointer: '/refund_address' }] });
  }
}
