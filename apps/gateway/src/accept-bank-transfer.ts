import type { CallContext, InternalClient, paymentsApi } from '@vuka/contracts';
import {
  fail,
  ok,
  parseBankTransfer,
  requestFingerprint,
  type BankTransferRequest,
  type Currency,
  type Result,
} from '@vuka/domain';
import { checkPublicUrl, crashPoint, uuidv7, type Logger, type OutboundPolicy } from '@vuka/platform';

import type { Caller } from './authenticate-caller.js';
import type { JsonBody } from './http/json-body.js';
import { parseIdempotencyKey } from './idempotency-key.js';
import type { RunOnce } from './run-once.js';
import { commit } from './service-call.js';

export interface AcceptBankTransferInput {
  readonly caller: Caller;
  /** One that offers bank transfer: the path was checked. */
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

export interface AcceptBankTransferOptions {
  readonly payments: Pick<InternalClient<typeof paymentsApi>, 'acceptPayout'>;
  readonly runOnce: RunOnce;
  readonly outbound: OutboundPolicy;
  readonly log: Logger;
}

const OPERATION = 'bank_transfer';

interface CheckedRequest {
  readonly transfer: BankTransferRequest;
  readonly idempotencyKey: string | null;
}

/**
 * Accepts a bank transfer: checks it, mints its transaction code, and asks payments to record and hold.
 * Errors: invalid_request, amount_out_of_range, unknown_bank, invalid_callback_url,
 * insufficient_balance, reference_reused, request_in_progress, idempotency_mismatch, service_unavailable, outcome_unknown.
 */
export class AcceptBankTransfer {
  constructor(private readonly options: AcceptBankTransferOptions) {}

  async run(input: AcceptBankTransferInput): Promise<MoneyOutcome> {
    const checked = this.check(input);
    if (!checked.ok) return { result: checked, transactionCode: null, replayed: false };
    const { currency } = input;
    const { transfer, idempotencyKey } = checked.value;
    const fingerprint = requestFingerprint(OPERATION, currency.code, input.body);
    const request = {
      partnerId: input.caller.partnerId,
      operation: OPERATION,
      currency: currency.code,
      key: idempotencyKey,
      reference: transfer.reference ?? null,
      fingerprint,
      transactionCode: transfer.reference ?? uuidv7(),
    };
    return this.options.runOnce.run(request, (code) => this.accept(input, checked.value, fingerprint, code));
  }

  private check({ currency, body, idempotencyKey }: AcceptBankTransferInput): Result<CheckedRequest> {
    const key = parseIdempotencyKey(idempotencyKey);
    if (!key.ok) return key;
    const transfer = parseBankTransfer(currency, body);
    if (!transfer.ok) return transfer;
    const url = this.checkCallbackUrl(transfer.value.callbackUrl);
    return url.ok ? ok({ transfer: transfer.value, idempotencyKey: key.value }) : url;
  }

  private checkCallbackUrl(text: string | undefined): Result<null> {
    if (text === undefined) return ok(null);
    const url = checkPublicUrl(text, this.options.outbound);
    if (url.ok) return ok(null);
    const detail = `callback_url ${url.error}`;
    return fail({
      code: 'invalid_callback_url',
      message: detail,
      faults: [{ detail, pointer: '/callback_url' }],
    });
  }

  private async accept(
    { caller, currency, context }: AcceptBankTransferInput,
    { transfer, idempotencyKey }: CheckedRequest,
    fingerprint: string,
    transactionCode: string,
  ): Promise<Result<{ record: AcceptanceRecord; replayed: boolean }>> {
    const call = {
      operation: 'bank_transfer' as const,
      partner_id: caller.partnerId,
      transaction_code: transactionCode,
      fingerprint,
      currency: currency.code,
      amount_minor: transfer.amountMinor.toString(),
      fee_minor: '0',
      destination: transfer.destination,
      // The request's URL wins over the partner's default, and is kept byte for byte (decisions.md section 6).
      callback_url: transfer.callbackUrl ?? caller.webhookUrl,
    };
    const repeatWith = repeatWithOf(idempotencyKey, transfer.reference, transactionCode);
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
