import { Inject, Injectable } from '@nestjs/common';
import { paymentsApi, type CallContext, type InternalClient, type StatusRow } from '@vuka/contracts';
import { fail, fieldOf, ok, REFERENCE_PATTERN, shapeOf, type Currency, type Result } from '@vuka/domain';
import type { Logger } from '@vuka/runtime';
import { LOGGER, clientOf } from '@vuka/service-host';

import { read } from '../calls/index.js';
import type { JsonBody } from '../http/index.js';
import type { Caller } from '../keys/index.js';

export type LookupField = 'transaction_code' | 'reference' | 'transaction_hash';

type Lookup = { transaction_code: string } | { reference: string } | { transaction_hash: string };

export interface FindTransactionInput {
  readonly caller: Caller;
  /** null: any. */
  readonly currency: Currency | null;
  readonly body: JsonBody;
  /** The first one sent counts. */
  readonly by: readonly LookupField[];
  readonly context: CallContext;
}

const MAX_HASH_LENGTH = 200;

/** Errors: not_found (also another partner's or currency's), invalid_request, service_unavailable. */
@Injectable()
export class FindTransaction {
  constructor(
    @Inject(clientOf(paymentsApi))
    private readonly payments: Pick<InternalClient<typeof paymentsApi>, 'getTransaction'>,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  async run({ caller, currency, body, by, context }: FindTransactionInput): Promise<Result<StatusRow>> {
    const lookup = lookupOf(body, by);
    if (!lookup.ok) return lookup;
    const input = { partner_id: caller.partnerId, currency: currency?.code ?? null, by: lookup.value };
    return read(this.log, () => this.payments.getTransaction(input, context));
  }
}

function invalid(field: string, detail: string): Result<never> {
  return fail({
    code: 'invalid_request',
    message: detail,
    faults: [{ detail, pointer: field === '' ? '' : `/${field}` }],
  });
}

function lookupOf(body: JsonBody, fields: readonly LookupField[]): Result<Lookup> {
  const field = fields.find((name) => fieldOf(body, name) !== undefined);
  if (field === undefined) {
    const [first = ''] = fields;
    return fields.length === 1
      ? invalid(first, `${first} is required`)
      : invalid('', `One of ${fields.join(', ')} is required`);
  }
  const value = fieldOf(body, field);
  if (typeof value !== 'string') return invalid(field, `${field} must be a string, not ${shapeOf(value)}`);
  if (field === 'transaction_hash') {
    return value.length <= MAX_HASH_LENGTH
      ? ok({ transaction_hash: value })
      : invalid(field, `transaction_hash must have at most ${String(MAX_HASH_LENGTH)} characters`);
  }
  if (!REFERENCE_PATTERN.test(value)) {
    return invalid(field, `${field} must be 1 to 100 letters, digits or the characters . _ : -`);
  }
  return ok(field === 'reference' ? { reference: value } : { transaction_code: value });
}
