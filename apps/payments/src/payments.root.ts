import { Injectable } from '@nestjs/common';
import type { InternalHandlers, paymentsApi } from '@vuka/contracts';
import type { ServiceRoot } from '@vuka/service-host';

import { PayoutJobs, PeriodicJobs } from './jobs/index.js';
import { PaymentsHandlers } from './payments-handlers.js';

/** Events come in once it is open; start() begins due work. */
@Injectable()
export class PaymentsRoot implements ServiceRoot {
  readonly handlers: InternalHandlers<typeof paymentsApi>;

  constructor(
    handlers: PaymentsHandlers,
    private readonly periodic: PeriodicJobs,
    private readonly payouts: PayoutJobs,
  ) {
    this.handlers = handlers.all;
  }

  async start(): Promise<void> {
    this.periodic.register();
    this.payouts.start();
  }

  stop(): Promise<void> {
    return this.payouts.stop();
  }
}
