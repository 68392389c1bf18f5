import { Inject, Injectable } from '@nestjs/common';
import { offrampApi, type CallContext, type InternalClient, type NetworkView } from '@vuka/contracts';
import { ok, type Result } from '@vuka/domain';
import type { Logger } from '@vuka/runtime';
import { LOGGER, clientOf } from '@vuka/service-host';

import { read } from '../calls/index.js';
import type { Caller } from '../keys/index.js';

/** Errors: service_unavailable. */
@Injectable()
export class ListNetworks {
  constructor(
    @Inject(clientOf(offrampApi)) private readonly offramp: Pick<InternalClient<typeof offrampApi>, 'listNetworks'>,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  async run(caller: Caller, context: CallContext): Promise<Result<readonly NetworkView[]>> {
    const listed = await read(this.log, () => this.offramp.listNetworks({ partner_id: caller.partnerId }, context));
    return listed.ok ? ok(listed.value.networks) : listed;
  }
}
