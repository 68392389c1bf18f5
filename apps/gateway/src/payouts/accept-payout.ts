import { encodeAmount, type CallContext, type PayoutOperation } from '@vuka/contracts';
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
  type Fault,
  type Problem,
  type Result,
  type ServiceFee,
} from '@vuka/domain';
import { checkPublicUrl, type OutboundPolicy } from '@vuka/http';
import { crashPoint, type Logger, uuidv7 } from '@vuka/runtime';

import { commit } from '../calls/index.js';
import type { JsonBody } from '../http/index.js';
import {
  type AcceptanceRecord,
  type AcceptedBefore,
  type MoneyOutcome,
  parseIdempotencyKey,
  type RunOnce,
} from '../idempotency/index.js';
import type { Caller } from '../keys/index.js';
import type { PartnerTerms, TermsInForce } from '../partners/index.js';
import {
  payoutReaders,
  type Accept,
  type PayoutOperationsOptions,
  type PayoutReaders,
  type PayoutDetails,
  type ReadPayout,
} from './payout-operations.js';

export interface AcceptPayoutInput {
  readonly operation: PayoutOperation;
  readonly caller: Caller;
  /** One that offers the operation: the path was checked. null where it names none: then the default's rules hold. */
  readonly currency: Currency | null;
  readonly body: JsonBody;
  readonly idempotencyKey: string | string[] | undefined;
  readonly context: CallContext;
}

export interface AcceptPayoutOptions extends PayoutOperationsOptions {
  readonly runOnce: RunOnce;
  readonly acceptedBefore: AcceptedBefore;
  readonly outbound: OutboundPolicy;
  readonly terms: Pick<PartnerTerms, 'of'>;
  /** With this deployment's limits. */
  readonly currencies: Currencies;
  readonly log: Logger;
}

/** A request whose currency is known. */
type Asked = AcceptPayoutInput & { readonly currency: Currency };

interface CheckedRequest {
  readonly read: ReadPayout;
  readonly inForce: TermsInForce;
  readonly idempotencyKey: string | null;
}

/**
 * Accepts a payout: checks it, mints its transaction code, and asks payments to record it, with a hold of the wallet or a
 * claim of the deposit that funds it. Errors: invalid_request, amount_out_of_range, unsupported_network, unsupported_currency,
 * unknown_bank, invalid_callback_url, insufficient_balance, reference_reused, request_in_progress, idempotency_mismatch,
 * service_unavailable, outcome_unknown; of a pay hash_already_processed, quote_mismatch, quote_used and not_found, too.
 */
export class AcceptPayout {
  private readonly readers: PayoutReaders;

  constructor(private readonly options: AcceptPayoutOptions) {
    this.readers = payoutReaders(options);
  }

  async run(input: AcceptPayoutInput): Promise<MoneyOutcome> {
    const { operation, caller, context } = input;
    const asked: Asked = { ...input, currency: input.currency ?? this.options.currencies[DEFAULT_CURRENCY] };
    const fingerprint = requestFingerprint(operation, asked.currency, input.body);
    const checked = this.check(asked);
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
    return this.options.runOnce.run(request, (code) => this.accept(asked, record, fingerprint, code));
  }

  /** Refused for what is so now, unless this very request was accepted before. */
  private async refused(
    asked: Asked,
    fingerprint: string,
    problem: Problem,
    transactionCode: string | null,
  ): Promise<MoneyOutcome> {
    const before = await this.acceptedBefore(asked, fingerprint);
    return (
      before ?? { result: fail(problem), transactionCode: problem.transactionCode ?? transactionCode, replayed: false }
    );
  }

  /** The answer of this very request where it was accepted once, whatever the rules say of it now. */
  private async acceptedBefore(
    { operation, caller, body, idempotencyKey, context }: Asked,
    fingerprint: string,
  ): Promise<MoneyOutcome | null> {
    const sent = fieldOf(body, 'reference');
    const reference = typeof sent === 'string' && REFERENCE_PATTERN.test(sent) ? sent : null;
    const key = parseIdempotencyKey(idempotencyKey);
    const request = { partnerId: caller.partnerId, operation, fingerprint, reference, key: key.ok ? key.value : null };
    if (request.reference === null && request.key === null) return null;
    return this.options.acceptedBefore.find(request, context);
  }

  /** By the partner's own limits where it has any. */
  private check({ operation, caller, currency, body, idempotencyKey }: Asked): Result<CheckedRequest> {
    const key = parseIdempotencyKey(idempotencyKey);
    if (!key.ok) return key;
    const inForce = this.options.terms.of(caller);
    if (!inForce.ok) return inForce;
    const read = this.readers[operation](inForce.value.currencies[currency.code], body);
    const url = this.callbackUrlFault(fieldOf(body, 'callback_url'));
    if (url === null)
      return read.ok ? ok({ read: read.value, inForce: inForce.value, idempotencyKey: key.value }) : read;
    if (read.ok) return fail({ code: 'invalid_callback_url', message: url.detail, faults: [url] });
    const { faults = [] } = read.error;
    // That it is no text or too long for a URL is told already.
    return faults.some(({ pointer }) => pointer === url.pointer)
      ? read
      : fail({ ...read.error, faults: [...faults, url] });
  }

  /** What the guard has against the URL, null where it may be called or none was sent. */
  private callbackUrlFault(sent: unknown): Fault | null {
    const url = typeof sent === 'string' ? checkPublicUrl(sent, this.options.outbound) : ok(undefined);
    return url.ok ? null : { detail: `callback_url ${url.error}`, pointer: '/callback_url' };
  }

  private async accept(
    { operation, caller, currency, context }: Asked,
    { read, inForce, idempotencyKey, accept }: CheckedRequest & { readonly accept: Accept },
    fingerprint: string,
    transactionCode: string,
  ): Promise<Result<{ record: AcceptanceRecord; replayed: boolean }>> {
    const { payout } = read;
    // What we take of a deposit is in its rate.
    const fee = operation === 'pay' ? null : inForce.ownFee(operation, currency.code, payout.amount.currency);
    const terms = {
      partner_id: caller.partnerId,
      transaction_code: transactionCode,
      fingerprint,
      // Of the amount and of the wallet, which is not always the one of the path.
      ...encodeAmount(payout.amount),
      fee_minor: encodeMinor(payout.fee, payout.amount.currency),
      destination: payout.destination,
      // The request's URL wins over the partner's default, and is kept byte for byte (decisions.md section 6).
      callback_url: payout.callbackUrl ?? caller.webhookUrl,
      terms: termsDigest(this.options.currencies),
      ...(fee !== null && { service_fee: feeToCharge(fee) }),
    };
    const repeatWith = repeatWithOf(idempotencyKey, payout.reference, transactionCode);
    crashPoint('gateway.before-accept-call');
    const accepted = await commit(this.options.log, { currency: currency.code, transactionCode, repeatWith }, () =>
      accept(terms, context),
    );
    crashPoint('gateway.after-accept-call');
    if (!accepted.ok) return accepted;
    const { status, transaction_code, message, replayed } = accepted.value;
    return ok({ record: { status, transaction_code, message }, replayed });
  }
}

function feeToCharge({ flatMinor, basisPoints }: ServiceFee): NonNullable<PayoutDetails['service_fee']> {
  // Basis points are at most 10,000 (terms.ts): no amount.
  return { flat_minor: flatMinor.toString(), basis_points: Number(basisPoints) };
}

/**
 * What keeps a repeat of this request from paying twice. Where the caller sent neither, the code minted for it serves as
 * the reference: if the first request is accepted after all, the repeat is refused as a reference that was used.
 */
function repeatWithOf(idempotencyKey: string | null, reference: string | undefined, transactionCode: string): string {
  if (idempotencyKey !== null) return 'the same Idempotency-Key';
  return reference === undefined ? `reference ${transactionCode}` : 'the same reference';
}
