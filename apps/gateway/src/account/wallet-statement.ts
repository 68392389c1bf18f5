import { Inject, Injectable } from '@nestjs/common';
import { paymentsApi, type CallContext, type InternalClient, type StatementEntry } from '@vuka/contracts';
import { described, ok, refusal, required, type Result } from '@vuka/domain';
import type { Logger } from '@vuka/runtime';
import { LOGGER, clientOf } from '@vuka/service-host';

import { read, WALLET_CURRENCY } from '../calls/index.js';
import type { JsonBody } from '../http/index.js';
import type { Caller } from '../keys/index.js';
import { type Page, pageFields, readPage } from '../transactions/index.js';

const OWN_FIELDS = { currency: required(described(WALLET_CURRENCY, 'Of the wallet, in any letter case.')) };

export const STATEMENT_FIELDS = pageFields(OWN_FIELDS);

/**
 * Newest first. Errors: invalid_request, unsupported_currency, not_found (the caller has no such wallet),
 * service_unavailable.
 */
@Injectable()
export class WalletStatement {
  constructor(
    @Inject(clientOf(paymentsApi))
    private readonly payments: Pick<InternalClient<typeof paymentsApi>, 'walletStatement'>,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  async run(caller: Caller, body: JsonBody, context: CallContext): Promise<Result<Page<StatementEntry>>> {
    const request = readPage(body, OWN_FIELDS);
    if (!request.ok) return refusal(request.error);
    const { own, page } = request.value;
    const input = { partner_id: caller.partnerId, currency: own.currency.name, ...page };
    const statement = await read(this.log, () => this.payments.walletStatement(input, context));
    return statement.ok ? ok({ rows: statement.value.entries, nextCursor: statement.value.next_cursor }) : statement;
  }
}
