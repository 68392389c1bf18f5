import { fail, ok, type Problem, type Result } from '@vuka/domain';
import type { Clock } from '@vuka/platform';

import type { TransactionStore } from './store/transaction.store.js';

/** Has a transaction that is parked in QUEUED tried at once, for somebody has removed what it waited for. Errors: not_found, invalid_request. */
export class ReleaseParked {
  constructor(
    private readonly transactions: Pick<TransactionStore, 'byId' | 'postpone'>,
    private readonly clock: Clock,
  ) {}

  async run(transactionId: number): Promise<Result<{ parkDeadline: Date | null }, Problem>> {
    const snapshot = await this.transactions.byId(transactionId);
    if (!snapshot) return fail({ code: 'not_found', message: 'No such transaction' });
    if (snapshot.life.state !== 'QUEUED') {
      return fail({ code: 'invalid_request', message: `Only a transaction in QUEUED is parked; this one is ${snapshot.life.state}` });
    }
    if (!(await this.transactions.postpone(snapshot, this.clock.now()))) {
      return fail({ code: 'invalid_request', message: 'The transaction is being tried at this moment: look again' });
    }
    return ok({ parkDeadline: snapshot.life.parkDeadline });
  }
}
