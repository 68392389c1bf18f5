import { Injectable } from '@nestjs/common';
import type { Acceptance, paymentsApi } from '@vuka/contracts';
import { fail, ok, type Result } from '@vuka/domain';
import { isFingerprintOf } from '@vuka/runtime';
import type { z } from 'zod';

import { acceptanceOf } from './accept-payout.js';
import { CommitWriter } from '../../commit/index.js';
import { TransactionStore } from '../../transactions/index.js';

export type FindAcceptanceInput = z.output<(typeof paymentsApi)['operations']['findAcceptance']['input']>;

/**
 * By fingerprint: accepted requests stay accepted when rules change. Errors: service_unavailable while the code is
 * being recorded.
 */
@Injectable()
export class FindAcceptance {
  constructor(
    private readonly store: TransactionStore,
    private readonly writer: CommitWriter,
  ) {}

  async run({
    partner_id,
    transaction_code,
    fingerprint,
  }: FindAcceptanceInput): Promise<Result<{ acceptance: Acceptance | null }>> {
    const recording = this.writer.isRecording(partner_id, transaction_code);
    const found = await this.store.acceptedUnder(partner_id, transaction_code);
    if (found === undefined && recording) {
      return fail({
        code: 'service_unavailable',
        message: 'This transaction is being recorded at this moment. Ask again in a few seconds',
      });
    }
    if (found === undefined || !isFingerprintOf(fingerprint, found.fingerprint)) return ok({ acceptance: null });
    const { transactionId, operation } = found;
    return ok({ acceptance: acceptanceOf(transactionId, operation, transaction_code, true) });
  }
}
