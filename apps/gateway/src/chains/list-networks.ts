import type { CallContext, InternalClient, NetworkView, offrampApi } from '@vuka/contracts';
import { ok, type Result } from '@vuka/domain';
import type { Logger } from '@vuka/runtime';

import { read } from '../calls/index.js';
import type { Caller } from '../keys/index.js';

export interface ListNetworksOptions {
  readonly offramp: Pick<InternalClient<typeof offrampApi>, 'listNetworks'>;
  readonly log: Logger;
}

/** The networks the caller may be paid on, as in its account. Errors: service_unavailable. */
export class ListNetworks {
  constructor(private readonly options: ListNetworksOptions) {}

  async run(caller: Caller, context: CallContext): Promise<Result<readonly NetworkView[]>> {
    const listed = await read(this.options.log, () =>
      this.options.offramp.listNetworks({ partner_id: caller.partnerId }, context),
    );
    return listed.ok ? ok(listed.value.networks) : listed;
  }
}
