import { Inject, Injectable } from '@nestjs/common';
import { encodeAmount, encodeVelocityLimit, type CallContext } from '@vuka/contracts';
import {
  DEFAULT_CURRENCY,
  encodeMinor,
  fail,
  fieldOf,
  ok,
  REFERENCE_PATTERN,
  requestFingerprint,
  termsDigest,
  type Currencies,
  type Currency,
  type Problem,
  type Result,
  type ServiceFee,
} from '@vuka/domain';
import { Cipher, crashPoint, type Logger, uuidv7 } from '@vuka/runtime';
import { CURRENCIES_IN_FORCE, LOGGER } from '@vuka/service-host';

import { commit } from '../calls/index.js';
import {
  type AcceptanceRecord,
  AcceptedBefore,
  type MoneyOutcome,
  parseIdempotencyKey,
  RunOnce,
} from '../idempotency/index.js';
import { CheckPayout, type AskedPayout, type CheckedPayout } from './check-payout.js';
import type { Accept, PayoutDetails } from './payout-requests.js';

export interface AcceptPayoutInput extends Omit<AskedPayout, 'currency'> {
  /** Offers the operation. null: not in the path; the default's rules hold. */
  readonly currency: Currency | null;
  readonly context: CallContext;
}

type Asked = AskedPayout & { readonly context: CallContext };

/**
 * Creates the transaction code and has payments record the payout, with a hold on the wallet or a claim of the
 * deposit. Errors: invalid_request, amount_out_of_range, unsupported_network, unsupported_currency, unknown_bank,
 * invalid_callback_url, insufficient_balance, limit_exceeded, reference_reused, request_in_progress, idempotency_mismatch,
 * service_unavailable, outcome_unknown; for a pay also hash_already_processed, quote_mismatch, quote_used and
 * not_found.
 */
@Injectable()
export class AcceptPayout {
  constructor(
    private readonly check: CheckPayout,
    private readonly runOnce: RunOnce,
    private readonly acceptedBefore: AcceptedBefore,
    private readonly cipher: Cipher,
    @Inject(CURRENCIES_IN_FORCE) private readonly currencies: Currencies,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  async run(input: AcceptPayoutInput): Promise<MoneyOutcome> {
    const { operation, caller, context } = input;
    const asked: Asked = { ...input, currency: input.currency ?? this.currencies[DEFAULT_CURRENCY] };
    const fingerprint = requestFingerprint(
      (text) => this.cipher.fingerprint(text),
      operation,
      asked.currency,
      input.body,
    );
    const checked = this.check.run(asked);
    if (!checked.ok) return this.refused(asked, fingerprint, checked.error, null);
    const { read, idempotencyKey } = checked.value;
    const { reference } = read.payout;
    const transactionCode = reference ?? uuidv7();
    const allowed = await read.allowed(caller.partnerId, context);
    if (!allowed.ok) return this.refused(asked, fingerprint, allowed.error, transactionCode);
    const request = {
      partnerId: caller.partnerId,
      operation,
      currency: asked.currency.code,
      key: idempotencyKey,
      reference: reference ?? null,
      fingerprint,
      transactionCode,
    };
    const record = { ...checked.value, accept: allowed.value };
    return this.runOnce.run(request, (code) => this.accept(asked, record, fingerprint, code));
  }

  /** Unless this very request was accepted before. */
  private async refused(
    asked: Asked,
    fingerprint: string,
    problem: Problem,
    transactionCode: string | null,
  ): Promise<MoneyOutcome> {
    const before = await this.answeredBefore(asked, fingerprint);
    return (
      before ?? { result: fail(problem), transactionCode: problem.transactionCode ?? transactionCode, replayed: false }
    );
  }

  /** The earlier answer, whatever the rules say now. */
  private async answeredBefore(
    { operation, caller, body, idempotencyKey, context }: Asked,
    fingerprint: string,
  ): Promise<MoneyOutcome | null> {
    const sent = fieldOf(body, 'reference');
    const reference = typeof sent === 'string' && REFERENCE_PATTERN.test(sent) ? sent : null;
    const key = parseIdempotencyKey(idempotencyKey);
    const request = { partnerId: caller.partnerId, operation, fingerprint, reference, key: key.ok ? key.value : null };
    if (request.reference === null && request.key === null) return null;
    return this.acceptedBefore.find(request, context);
  }

  private async accept(
    { operation, caller, currency, context }: Asked,
    { read, inForce, idempotencyKey, callbackUrl, accept }: CheckedPayout & { readonly accept: Accept },
    fingerprint: string,
    transactionCode: string,
  ): Promise<Result<{ record: AcceptanceRecord; replayed: boolean }>> {
    const { payout } = read;
    // A deposit's fee is in its rate.
    const fee = operation === 'pay' ? null : inForce.ownFee(operation, currency.code, payout.amount.currency);
    const velocity = inForce.ownVelocityLimits(currency.code, payout.amount.currency);
    const terms = {
      partner_id: caller.partnerId,
      transaction_code: transactionCode,
      fingerprint,
      // In the wallet's currency, which may differ from the path's.
      ...encodeAmount(payout.amount),
      fee_minor: encodeMinor(payout.fee, payout.amount.currency),
      destination: payout.destination,
      // Comes back byte for byte (decisions.md section 6).
      callback_url: callbackUrl,
      terms: termsDigest(this.currencies),
      routes: this.check.routes,
      ...(fee !== null && { service_fee: feeToCharge(fee) }),
      key_id: caller.visiblePrefix,
      ...(velocity !== null && { velocity_limits: velocity.map(encodeVelocityLimit) }),
    };
    const repeatWith = repeatWithOf(idempotencyKey, payout.reference, transactionCode);
    crashPoint('gateway.before-accept-call');
    const accepted = await commit(this.log, { currency: currency.code, transactionCode, repeatWith }, () =>
      accept(terms, context),
    );
    crashPoint('gateway.after-accept-call');
    if (!accepted.ok) return accepted;
    const { status, transaction_code, message, replayed } = accepted.value;
    return ok({ record: { status, transaction_code, message }, replayed });
  }
}

function feeToCharge({ flatMinor, basisPoints }: ServiceFee): NonNullable<PayoutDetails['service_fee']> {
  // Basis points are at most 10,000 (terms.ts).
  return { flat_minor: flatMinor.toString(), basis_points: Number(basisPoints) };
}

/**
 * What keeps a repeat from paying twice. If the caller sent neither, the new code is the reference: if the first
 * request is accepted after all, the repeat is refused as used.
 */
function repeatWithOf(idempotencyKey: string | null, reference: string | undefined, transactionCode: string): string {
  if (idempotencyKey !== null) return 'the same Idempotency-Key';
  return reference === undefined ? `reference ${transactionCode}` : 'the same reference';
}
