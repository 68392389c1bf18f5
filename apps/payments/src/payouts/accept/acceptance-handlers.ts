import { Injectable } from '@nestjs/common';
import type { InternalHandlers, paymentsApi } from '@vuka/contracts';

import { AcceptPay } from './accept-pay.js';
import { AcceptPayout } from './accept-payout.js';
import { AcceptanceChecks } from './acceptance-checks.js';
import { FindAcceptance } from './find-acceptance.js';
import { RoutesWatch } from './routes-watch.js';
import { TermsWatch } from './terms-watch.js';

type Handlers = Pick<InternalHandlers<typeof paymentsApi>, 'acceptPayout' | 'acceptPay' | 'findAcceptance'>;

@Injectable()
export class AcceptanceHandlers {
  constructor(
    private readonly terms: TermsWatch,
    private readonly routes: RoutesWatch,
    private readonly checks: AcceptanceChecks,
    private readonly payouts: AcceptPayout,
    private readonly pays: AcceptPay,
    private readonly finder: FindAcceptance,
  ) {}

  readonly handlers: Handlers = {
    acceptPayout: async (input, context) => {
      this.terms.hear(input.terms);
      this.routes.hear(input.routes);
      return (await this.checks.run(input.operation, input)) ?? this.payouts.run(input, context);
    },
    acceptPay: async (input, context) => {
      this.terms.hear(input.terms);
      this.routes.hear(input.routes);
      return (await this.checks.run('pay', input)) ?? this.pays.run(input, context);
    },
    findAcceptance: (input) => this.finder.run(input),
  };
}
