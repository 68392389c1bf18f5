import { Inject, Injectable } from '@nestjs/common';
import { paymentsApi, type CallContext, type InternalClient, type RefundView } from '@vuka/contracts';
import {
  fail,
  formatDecimal,
  ok,
  parseRefund,
  requestFingerprint,
  type Problem,
  type RefundRequest,
  type Result,
} from '@vuka/domain';
import { Cipher, type Logger, uuidv7 } from '@vuka/runtime';
import { LOGGER, clientOf } from '@vuka/service-host';

import { commitRefund } from '../calls/index.js';
import { CheckRefundAddress } from '../chains/index.js';
import type { JsonBody } from '../http/index.js';
import { parseIdempotencyKey, RunOnce } from '../idempotency/index.js';
import type { Caller } from '../keys/index.js';

export interface RequestRefundInput {
  readonly caller: Caller;
  readonly body: JsonBody;
  readonly idempotencyKey: string | string[] | undefined;
  readonly context: CallContext;
}

/** decisions.md section 2, refund (compat). */
export interface RefundRecord {
  readonly refund_id: number;
  readonly status: RefundView['status'];
  readonly chain: string;
  readonly asset: string;
  /** Whole tokens with the token's decimals. */
  readonly amount: string;
  readonly address: string;
  /** Of the deposit, as requested. */
  readonly transaction_hash: string;
  /** '' before the refund is signed. */
  readonly refund_transaction_hash: string;
}

export interface RefundOutcome {
  readonly result: Result<RefundRecord>;
  readonly replayed: boolean;
}

/** A refund has no currency of ours. */
const NO_CURRENCY = { code: '', payouts: [] } as const;

/**
 * Sends an unused deposit back on chain, once: a repeat gets the refund's current state. Errors: invalid_request,
 * amount_out_of_range, unsupported_network, not_found, hash_already_processed, forbidden, request_in_progress,
 * idempotency_mismatch, service_unavailable, outcome_unknown.
 */
@Injectable()
export class RequestRefund {
  constructor(
    @Inject(clientOf(paymentsApi)) private readonly payments: Pick<InternalClient<typeof paymentsApi>, 'requestRefund'>,
    private readonly addresses: CheckRefundAddress,
    private readonly runOnce: RunOnce,
    private readonly cipher: Cipher,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  async run({ caller, body, idempotencyKey, context }: RequestRefundInput): Promise<RefundOutcome> {
    const key = parseIdempotencyKey(idempotencyKey);
    if (!key.ok) return { result: key, replayed: false };
    const asked = parseRefund(body);
    if (!asked.ok) return { result: asked, replayed: false };
    const request = {
      partnerId: caller.partnerId,
      operation: 'refund',
      currency: '',
      key: key.value,
      reference: null,
      fingerprint: requestFingerprint((text) => this.cipher.fingerprint(text), 'refund', NO_CURRENCY, body),
      // Only names the key's row; nothing is called with it.
      transactionCode: uuidv7(),
    };
    const { result, replayed } = await this.runOnce.run<RefundRecord>(request, async () =>
      this.ask(asked.value, caller, context),
    );
    return { result: result.ok ? result : fail(withoutCode(result.error)), replayed };
  }

  private async ask(
    asked: RefundRequest,
    { partnerId, webhookUrl }: Caller,
    context: CallContext,
  ): Promise<Result<{ record: RefundRecord; replayed: boolean }>> {
    const address =
      asked.refundAddress === null ? ok(null) : await this.addresses.run(asked.chain, asked.refundAddress, context);
    if (!address.ok) return address;
    const input = {
      partner_id: partnerId,
      chain: asked.chain,
      transaction_hash: asked.transactionHash,
      refund_address: address.value,
      order_id: asked.orderId,
      reference: asked.reference,
      default_url: webhookUrl,
    };
    const refund = await commitRefund(this.log, () => this.payments.requestRefund(input, context));
    return refund.ok ? ok({ record: recordOf(refund.value, asked.transactionHash), replayed: false }) : refund;
  }
}

function recordOf(refund: RefundView, depositHash: string): RefundRecord {
  return {
    refund_id: refund.refund_id,
    status: refund.status,
    chain: refund.chain,
    asset: refund.asset,
    amount: formatDecimal(BigInt(refund.amount_minor), refund.decimals),
    address: refund.address,
    transaction_hash: depositHash,
    refund_transaction_hash: refund.transaction_hash ?? '',
  };
}

/** The code of a running key is no transaction. */
function withoutCode(problem: Problem): Problem {
  if (problem.code !== 'request_in_progress') return problem;
  const { code, retryAfterS } = problem;
  return {
    code,
    message: 'A request with this Idempotency-Key is still running. Try again shortly',
    ...(retryAfterS === undefined ? {} : { retryAfterS }),
  };
}
