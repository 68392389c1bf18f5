import { Inject, Injectable } from '@nestjs/common';
import { paymentsApi, type CallContext, type InternalClient, type StatusRow } from '@vuka/contracts';
import {
  described,
  ok,
  oneOf,
  optional,
  PUBLIC_STATUS_FOLLOWERS,
  refusal,
  type Currency,
  type PublicStatus,
  type Result,
} from '@vuka/domain';
import type { Logger } from '@vuka/runtime';
import { LOGGER, clientOf } from '@vuka/service-host';

import { read } from '../calls/index.js';
import type { JsonBody } from '../http/index.js';
import type { Caller } from '../keys/index.js';
import { pageFields, readPage } from './page-request.js';

export interface ListTransactionsInput {
  readonly caller: Caller;
  /** null: any. */
  readonly currency: Currency | null;
  readonly body: JsonBody;
  readonly context: CallContext;
}

export interface Page<T> {
  readonly rows: readonly T[];
  readonly nextCursor: string | null;
}

const STATUSES = (Object.keys(PUBLIC_STATUS_FOLLOWERS) as PublicStatus[]).map((name) => ({ name, aliases: [] }));

const OWN_FIELDS = {
  status: optional(described(oneOf(STATUSES, 'invalid_request'), 'Only those that are in it now, in any letter case.')),
};

export const TRANSACTION_LIST_FIELDS = pageFields(OWN_FIELDS);

/** Newest first. Errors: invalid_request, service_unavailable. */
@Injectable()
export class ListTransactions {
  constructor(
    @Inject(clientOf(paymentsApi))
    private readonly payments: Pick<InternalClient<typeof paymentsApi>, 'listTransactions'>,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  async run({ caller, currency, body, context }: ListTransactionsInput): Promise<Result<Page<StatusRow>>> {
    const request = readPage(body, OWN_FIELDS);
    if (!request.ok) return refusal(request.error);
    const { own, page } = request.value;
    const input = {
      partner_id: caller.partnerId,
      currency: currency?.code ?? null,
      status: own.status?.name ?? null,
      ...page,
    };
    const listed = await read(this.log, () => this.payments.listTransactions(input, context));
    return listed.ok ? ok({ rows: listed.value.rows, nextCursor: listed.value.next_cursor }) : listed;
  }
}
