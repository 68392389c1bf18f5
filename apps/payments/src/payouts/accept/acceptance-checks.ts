import { Inject, Injectable } from '@nestjs/common';
import { decodeAmount, type PayoutOperation } from '@vuka/contracts';
import { decodeMoney, fail, payoutRefusal, type Coverage, type Result } from '@vuka/domain';
import { COVERAGE } from '@vuka/service-host';

import { PendingPayLimit, RefuseFrozen } from '../../controls/index.js';
import { TransactionStore } from '../../transactions/index.js';
import type { AcceptPayInput } from './accept-pay.js';
import type { AcceptPayoutInput } from './accept-payout.js';

type Asked = AcceptPayInput | AcceptPayoutInput;

/**
 * Before anything is recorded or held; null: none refuses. What was accepted before is answered as before, also where its route is
 * gone. Errors: forbidden, rate_limited (a pay), and those of payoutRefusal.
 */
@Injectable()
export class AcceptanceChecks {
  constructor(
    private readonly frozen: RefuseFrozen,
    private readonly pendingPays: PendingPayLimit,
    private readonly store: TransactionStore,
    @Inject(COVERAGE) private readonly coverage: Coverage,
  ) {}

  async run(operation: PayoutOperation, asked: Asked): Promise<Result<never> | null> {
    const { partner_id: partner, transaction_code: code } = asked;
    return (
      (await this.frozen.run(partner, code)) ??
      (await this.withoutRoute(operation, asked)) ??
      (operation === 'pay' ? this.pendingPays.run(partner, code) : null)
    );
  }

  /** The gateway has refused it already, unless it reads another providers file. */
  private async withoutRoute(operation: PayoutOperation, asked: Asked): Promise<Result<never> | null> {
    const { partner_id: partner, transaction_code: code, fee_minor, currency, destination } = asked;
    const fee = decodeMoney(fee_minor, currency);
    const refusal = payoutRefusal(this.coverage, { operation, amount: decodeAmount(asked), fee, destination });
    if (refusal === null || (await this.store.acceptedUnder(partner, code)) !== undefined) return null;
    return fail(refusal);
  }
}
