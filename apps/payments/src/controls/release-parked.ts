import { Inject, Injectable } from '@nestjs/common';
import { fail, ok, type Problem, type Result, faultOfWord, nameOf } from '@vuka/domain';
import { recordAuditEntry, Database } from '@vuka/persistence';
import { type Clock, maskText } from '@vuka/runtime';
import { CLOCK } from '@vuka/service-host';

import { TransactionStore } from '../transactions/index.js';

export interface ReleaseWish {
  readonly transactionId: number;
  readonly by: string;
  readonly reason: string;
}

/** Retries a parked transaction at once. Errors: not_found, invalid_request. */
@Injectable()
export class ReleaseParked {
  constructor(
    private readonly db: Database,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async run({ transactionId, by, reason }: ReleaseWish): Promise<Result<{ parkDeadline: Date | null }, Problem>> {
    const fault = faultOfWord({ by, reason });
    if (fault) return fail({ code: 'invalid_request', message: fault });
    return this.db.inTransaction(async (tx) => {
      const transactions = new TransactionStore(tx);
      const snapshot = await transactions.byId(transactionId);
      if (!snapshot) return fail({ code: 'not_found', message: 'No such transaction' });
      if (snapshot.life.state !== 'QUEUED') {
        return fail({
          code: 'invalid_request',
          message: `Only a transaction in QUEUED can be released; this one is ${snapshot.life.state}`,
        });
      }
      const at = this.clock.now();
      if (!(await transactions.postpone(snapshot, at))) {
        return fail({
          code: 'invalid_request',
          message: 'The transaction is being tried at this moment. Look at it again',
        });
      }
      await recordAuditEntry(tx, {
        by: nameOf(by),
        act: 'transaction.released',
        partnerId: snapshot.details.partnerId,
        subject: `transaction ${transactionId}`,
        reason: maskText(reason.trim()),
        at,
      });
      return ok({ parkDeadline: snapshot.life.parkDeadline });
    });
  }
}
