import { Inject, Injectable } from '@nestjs/common';
import type { PayoutOperation } from '@vuka/contracts';
import {
  coverageDigest,
  fail,
  fieldOf,
  ok,
  payoutRefusal,
  type Coverage,
  type Currency,
  type Fault,
  type Result,
} from '@vuka/domain';
import { checkPublicUrl, type OutboundPolicy } from '@vuka/http';
import { WebhookCipher } from '@vuka/runtime';
import { COVERAGE } from '@vuka/service-host';

import type { JsonBody } from '../http/index.js';
import { parseIdempotencyKey } from '../idempotency/index.js';
import type { Caller } from '../keys/index.js';
import { OUTBOUND_POLICY, PartnerTerms, type TermsInForce } from '../partners/index.js';
import { PayoutRequests, type ReadPayout } from './payout-requests.js';

export interface AskedPayout {
  readonly operation: PayoutOperation;
  readonly caller: Caller;
  readonly currency: Currency;
  readonly body: JsonBody;
  readonly idempotencyKey: string | string[] | undefined;
}

export interface CheckedPayout {
  readonly read: ReadPayout;
  readonly inForce: TermsInForce;
  readonly idempotencyKey: string | null;
  /** The request's, else the partner's default; sealed, as payments and notifier carry it. null: none. */
  readonly callbackUrl: string | null;
}

/**
 * Checks only the request itself. Errors: those of its operation, invalid_callback_url, service_unavailable (the
 * partner's terms cannot be applied).
 */
@Injectable()
export class CheckPayout {
  constructor(
    private readonly requests: PayoutRequests,
    private readonly terms: PartnerTerms,
    @Inject(OUTBOUND_POLICY) private readonly outbound: OutboundPolicy,
    @Inject(COVERAGE) private readonly coverage: Coverage,
    private readonly told: WebhookCipher,
  ) {}

  /** coverageDigest(). */
  get routes(): string {
    return coverageDigest(this.coverage);
  }

  /** With the partner's own limits, if any, and within what the configured routes carry. */
  run({ operation, caller, currency, body, idempotencyKey }: AskedPayout): Result<CheckedPayout> {
    const key = parseIdempotencyKey(idempotencyKey);
    if (!key.ok) return key;
    const inForce = this.terms.of(caller);
    if (!inForce.ok) return inForce;
    const read = this.carried(operation, this.requests.read(operation, inForce.value.currencies[currency.code], body));
    const url = this.callbackUrlFault(fieldOf(body, 'callback_url'));
    if (url === null) {
      if (!read.ok) return read;
      const sent = read.value.payout.callbackUrl;
      const callbackUrl = sent === undefined ? caller.webhookUrl : this.told.sealUrl(caller.partnerId, sent);
      return ok({ read: read.value, inForce: inForce.value, idempotencyKey: key.value, callbackUrl });
    }
    if (read.ok) return fail({ code: 'invalid_callback_url', message: url.detail, faults: [url] });
    const { faults = [] } = read.error;
    // A non-text or too long URL is already reported.
    return faults.some(({ pointer }) => pointer === url.pointer)
      ? read
      : fail({ ...read.error, faults: [...faults, url] });
  }

  private carried(operation: PayoutOperation, read: Result<ReadPayout>): Result<ReadPayout> {
    const refusal = read.ok ? payoutRefusal(this.coverage, { operation, ...read.value.payout }) : null;
    return refusal === null ? read : fail(refusal);
  }

  /** null: allowed, or absent. */
  private callbackUrlFault(sent: unknown): Fault | null {
    const url = typeof sent === 'string' ? checkPublicUrl(sent, this.outbound) : ok(undefined);
    return url.ok ? null : { detail: `callback_url ${url.error}`, pointer: '/callback_url' };
  }
}
