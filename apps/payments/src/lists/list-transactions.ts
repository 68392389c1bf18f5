import { Inject, Injectable } from '@nestjs/common';
import type { paymentsApi } from '@vuka/contracts';
import { ok, paidInCurrencies, statesOf, type Result } from '@vuka/domain';
import type { z } from 'zod';

import { PageCursors } from './page-cursor.js';
import { DestinationVault, statusRowOf, type TransactionPlace, type TransactionStore } from '../transactions/index.js';

type Operation = (typeof paymentsApi)['operations']['listTransactions'];
type ListTransactionsInput = z.output<Operation['input']>;
type TransactionPage = z.output<Operation['output']>;

export const LISTED_TRANSACTIONS = Symbol('LISTED_TRANSACTIONS');

/** Pages continue after a row, not a count, so new transactions shift nothing. Errors: invalid_request (cursor). */
@Injectable()
export class ListTransactions {
  constructor(
    @Inject(LISTED_TRANSACTIONS) private readonly store: TransactionStore,
    private readonly vault: DestinationVault,
    private readonly cursors: PageCursors,
  ) {}

  async run({
    partner_id,
    currency,
    status,
    from,
    before,
    limit,
    cursor,
  }: ListTransactionsInput): Promise<Result<TransactionPage>> {
    const scope = ['transactions', partner_id, currency, status, from, before];
    const behind = cursor === null ? ok<TransactionPlace>({ createdAt: before, id: '0' }) : this.placeOf(scope, cursor);
    if (!behind.ok) return behind;
    const found = await this.store.page({
      partnerId: partner_id,
      currencies: currency === null ? null : paidInCurrencies(currency),
      states: status === null ? null : statesOf(status),
      from,
      behind: behind.value,
      // One more shows whether there is another page.
      limit: limit + 1,
    });
    const shown = found.slice(0, limit);
    const last = shown.at(-1);
    return ok({
      rows: shown.map(({ snapshot }) => statusRowOf(snapshot, this.vault)),
      next_cursor:
        last && found.length > limit ? this.cursors.seal(scope, [last.place.createdAt, last.place.id]) : null,
    });
  }

  private placeOf(scope: readonly (string | number | null)[], cursor: string): Result<TransactionPlace> {
    const position = this.cursors.open(scope, cursor);
    if (!position.ok) return position;
    const [createdAt = '', id = ''] = position.value;
    return ok({ createdAt, id });
  }
}
