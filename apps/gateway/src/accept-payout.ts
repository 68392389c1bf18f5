import type { CallContext, InternalClient, paymentsApi, WalletOperation } from '@vuka/contracts';
import {
  fail,
  fieldOf,
  ok,
  parseBankTransfer,
  parseDisburse,
  REFERENCE_PATTERN,
  requestFingerprint,
  termsDigest,
  type Currencies,
  type Currency,
  type Fault,
  type PayoutRequest,
  type Result,
} from '@vuka/domain';
import { checkPublicUrl, crashPoint, uuidv7, type Logger, type OutboundPolicy } from '@vuka/platform';

import type { AcceptedBefore } from './accepted-before.js';
import type { Caller } from './authenticate-caller.js';
import type { JsonBody } from './http/json-body.js';
import { parseIdempotencyKey } from './idempotency-key.js';
import type { RunOnce } from './run-once.js';
import { commit } from './service-call.js';

export interface AcceptPayoutInput {
  readonly operation: WalletOperation;
  readonly caller: Caller;
  /** One that offers the operation: the path was checked. */
  readonly currency: Currency;
  readonly body: JsonBody;
  readonly idempotencyKey: string | string[] | undefined;
  readonly context: CallContext;
}

/** The acceptance record (interface.md): what a partner gets as `data`. */
export interface AcceptanceRecord {
  readonly status: 'PENDING';
  readonly transaction_code: string;
  readonly message: string;
}

/** What came of a money operation. Every answer that leaves something to ask about names its transaction. */
export interface MoneyOutcome {
  readonly result: Result<AcceptanceRecord>;
  /** Sent as `Transaction-Code` on 2xx, 409, 503 and 504; null where there never was one that anything was called by. */
  readonly transactionCode: string | null;
  readonly replayed: boolean;
}

export interface AcceptPayoutOptions {
  readonly payments: Pick<InternalClient<typeof paymentsApi>, 'acceptPayout'>;
  readonly runOnce: RunOnce;
  readonly acceptedBefore: AcceptedBefore;
  readonly outbound: OutboundPolicy;
  /** With this deployment's limits. */
  readonly currencies: Currencies;
  readonly log: Logger;
}

/** What each operation makes of a body. */
const PARSERS: Readonly<Record<WalletOperation, (currency: Currency, body: JsonBody) => Result<PayoutRequest>>> = {
  bank_transfer: parseBankTransfer,
  disburse: parseDisburse,
};

interface CheckedRequest {
  readonly payout: PayoutRequest;
  readonly idempotencyKey: string | null;
}

/**
 * Accepts a payout from the wallet: checks it, mints its transaction code, and asks payments to record and hold.
 * Errors: invalid_request, amount_out_of_range, unsupported_network, unknown_bank, invalid_callback_url,
 * insufficient_balance, reference_reused, request_in_progress, idempotency_mismatch, service_unavailable, outcome_unknown.
 */
export class AcceptPayout {
  constructor(private readonly options: AcceptPayoutOptions) {}

  async run(input: AcceptPayoutInput): Promise<MoneyOutcome> {
    const { currency, operation } = input;
    const fingerprint = requestFingerprint(operation, currency, input.body);
    const checked = this.check(input);
    if (!checked.ok) return (await this.acceptedBefore(input, fingerprint)) ?? { result: checked, transactionCode: null, replayed: false };
    const { payout, idempotencyKey } = checked.value;
    const request = {
      partnerId: input.caller.partnerId,
      operation,
      currency: currency.code,
      key: idempotencyKey,
      reference: payout.reference ?? null,
      fingerprint,
      transactionCode: payout.reference ?? uuidv7(),
    };
    return this.options.runOnce.run(request, (code) => this.accept(input, checked.value, fingerprint, code));
  }

  /** The answer of this very request where it was accepted once, whatever the rules say of it now. */
  private async acceptedBefore({ operation, caller, body, idempotencyKey, context }: AcceptPayoutInput, fingerprint: string): Promise<MoneyOutcome | null> {
    const sent = fieldOf(body, 'reference');
    const reference = typeof sent === 'string' && REFERENCE_PATTERN.test(sent) ? sent : null;
    const key = parseIdempotencyKey(idempotencyKey);
    const request = { partnerId: caller.partnerId, operation, fingerprint, reference, key: key.ok ? key.value : null };
    if (request.reference === null && request.key === null) return null;
    return this.options.acceptedBefore.find(request, context);
  }

  private check({ operation, currency, body, idempotencyKey }: AcceptPayoutInput): Result<CheckedRequest> {
    const key = parseIdempotencyKey(idempotencyKey);
    if (!key.ok) return key;
    const payout = PARSERS[operation](currency, body);
    const url = this.callbackUrlFault(fieldOf(body, 'callback_url'));
    if (url === null) return payout.ok ? ok({ payout: payout.value, idempotencyKey: key.value }) : payout;
    if (payout.ok) return fail({ code: 'invalid_callback_url', message: url.detail, faults: [url] });
    const { faults = [] } = payout.error;
    // That it is no text or too long for a URL is told already.
    return faults.some(({ pointer }) => pointer === url.pointer) ? payout : fail({ ...payout.error, faults: [...faults, url] });
  }

  /** What the guard has against the URL, null where it may be called or none was sent. */
  private callbackUrlFault(sent: unknown): Fault | null {
    const url = typeof sent === 'string' ? checkPublicUrl(sent, this.options.outbound) : ok(undefined);
    return url.ok ? null : { detail: `callback_url ${url.error}`, pointer: '/callback_url' };
  }

  private async accept(
    { operation, caller, currency, context }: AcceptPayoutInput,
    { payout, idempotencyKey }: CheckedRequest,
    fingerprint: string,
    transactionCode: string,
  ): Promise<Result<{ record: AcceptanceRecord; replayed: boolean }>> {
    const call = {
      operation,
      partner_id: caller.partnerId,
      transaction_code: transactionCode,
      fingerprint,
      // The wallet that pays, which is not always the one of the path.
      currency: payout.currency,
      amount_minor: payout.amountMinor.toString(),
      fee_minor: payout.feeMinor.toString(),
      destination: payout.destination,
      // The request's URL wins over the partner's default, and is kept byte for byte (decisions.md section 6).
      callback_url: payout.callbackUrl ?? caller.webhookUrl,
      terms: termsDigest(this.options.currencies),
    };
    const repeatWith = repeatWithOf(idempotencyKey, payout.reference, transactionCode);
    crashPoint('gateway.before-accept-call');
    const accepted = await commit(this.options.log, { currency: currency.code, transactionCode, repeatWith }, () =>
      this.options.payments.acceptPayout(call, context),
    );
    crashPoint('gateway.after-accept-call');
    if (!accepted.ok) return accepted;
    const { status, transaction_code, message, replayed } = accepted.value;
    return ok({ record: { status, transaction_code, message }, replayed });
  }
}

/**
 * What keeps a repeat of this request from paying twice. Where the caller sent neither, the code minted for it serves as
 * the reference: if the first request is accepted after all, the repeat is refused as a reference that was used.
 */
function repeatWithOf(idempotencyKey: string | null, reference: string | undefined, transactionCode: string): string {
  if (idempotencyKey !== null) return 'the same Idempotency-Key';
  return reference === undefined ? `reference ${transactionCode}` : 'the same reference';
}
