import { Injectable } from '@nestjs/common';
import type { InternalHandlers, paymentsApi } from '@vuka/contracts';

import { PendingPayLimit, RefuseFrozen } from '../../controls/index.js';
import { AcceptPay } from './accept-pay.js';
import { AcceptPayout } from './accept-payout.js';
import { FindAcceptance } from './find-acceptance.js';
import { TermsWatch } from './terms-watch.js';

type Handlers = Pick<InternalHandlers<typeof paymentsApi>, 'acceptPayout' | 'acceptPay' | 'findAcceptance'>;

@Injectable()
export class AcceptanceHandlers {
  constructor(
    private readonly terms: TermsWatch,
    private readonly refuseFrozen: RefuseFrozen,
    private readonly pendingPayLimit: PendingPayLimit,
    private readonly payouts: AcceptPayout,
    private readonly pays: AcceptPay,
    private readonly finder: FindAcceptance,
  ) {}

  readonly handlers: Handlers = {
    acceptPayout: async (input, context) => {
      this.terms.hear(input.terms);
      return (
        (await this.refuseFrozen.run(input.partner_id, input.transaction_code)) ?? this.payouts.run(input, context)
      );
    },
    acceptPay: async (input, context) => {
      this.terms.hear(input.terms);
      const { partner_id: partner, transaction_code: code } = input;
      return (
        (await this.refuseFrozen.run(partner, code)) ??
        (await this.pendingPayLimit.run(partner, code)) ??
        this.pays.run(input, context)
      );
    },
    findAcceptance: (input) => this.finder.run(input),
  };
}
