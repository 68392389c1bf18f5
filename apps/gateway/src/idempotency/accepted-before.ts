import { Inject, Injectable } from '@nestjs/common';
import {
  paymentsApi,
  type Acceptance,
  type CallContext,
  type InternalClient,
  type PayoutOperation,
} from '@vuka/contracts';
import { fail, ok, type Problem, type Result } from '@vuka/domain';
import { isFingerprintOf, type Logger } from '@vuka/runtime';
import { LOGGER, clientOf } from '@vuka/service-host';

import { DATABASE_WAIT_MS, read, withTimeout } from '../calls/index.js';
import { IdempotencyStore } from './idempotency.store.js';
import type { AcceptanceRecord, MoneyOutcome } from './money-outcome.js';
import { replayOf, stillRunning } from './run-once.js';

export interface EarlierRequest {
  readonly partnerId: number;
  readonly operation: PayoutOperation;
  readonly fingerprint: string;
  /** null: absent or malformed. */
  readonly reference: string | null;
  readonly key: string | null;
}

const NOT_KNOWN: Problem = {
  code: 'service_unavailable',
  message:
    'Whether this very request was accepted before cannot be looked up at the moment. Send it again with the same reference or ' +
    'Idempotency-Key: it never pays twice',
};

/**
 * What was accepted stays accepted, even if rules have changed. A repeat refused now would be told that nothing was
 * done, and be paid again under another reference. So a refused request is first compared with what was accepted
 * under its name.
 */
@Injectable()
export class AcceptedBefore {
  constructor(
    @Inject(clientOf(paymentsApi))
    private readonly payments: Pick<InternalClient<typeof paymentsApi>, 'findAcceptance'>,
    @Inject(IdempotencyStore) private readonly keys: Pick<IdempotencyStore, 'find'>,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /** The earlier answer of the same request, or null. */
  async find(request: EarlierRequest, context: CallContext): Promise<MoneyOutcome | null> {
    try {
      return (await this.underKey(request, context)) ?? (await this.underCode(request.reference, request, context));
    } catch (error) {
      this.log.error({ err: error }, 'an earlier acceptance could not be looked up');
      return { result: fail(NOT_KNOWN), transactionCode: request.reference, replayed: false };
    }
  }

  private async underKey(request: EarlierRequest, context: CallContext): Promise<MoneyOutcome | null> {
    const { key, partnerId, operation, fingerprint } = request;
    if (key === null) return null;
    const known = await withTimeout(
      DATABASE_WAIT_MS,
      'find an idempotency key',
      this.keys.find({ partnerId, operation, key }),
    );
    if (known === null || !isFingerprintOf(fingerprint, known.fingerprint)) return null;
    if (known.response !== null) return replayOf(known.transactionCode, known.response);
    const found = await this.underCode(known.transactionCode, request, context);
    return found ?? (known.leased ? stillRunning(known.transactionCode) : null);
  }

  private async underCode(
    code: string | null,
    { partnerId, fingerprint }: EarlierRequest,
    context: CallContext,
  ): Promise<MoneyOutcome | null> {
    if (code === null) return null;
    const input = { partner_id: partnerId, transaction_code: code, fingerprint };
    const found = await read(this.log, () => this.payments.findAcceptance(input, context), NOT_KNOWN.message);
    if (!found.ok) return { result: found, transactionCode: code, replayed: false };
    const { acceptance } = found.value;
    return acceptance === null ? null : { result: recordOf(acceptance), transactionCode: code, replayed: true };
  }
}

function recordOf({ status, transaction_code, message }: Acceptance): Result<AcceptanceRecord> {
  return ok({ status, transaction_code, message });
}
