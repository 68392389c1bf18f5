import { Injectable } from '@nestjs/common';
import type { paymentsApi, StatementEntry } from '@vuka/contracts';
import { formatMoney, encodeMinor, fail, ok, subtract, type Result } from '@vuka/domain';
import type { z } from 'zod';

import { type ListScope, PageCursors } from '../lists/index.js';
import { statementKindOf } from './statement-kinds.js';
import { type StatementLeg, type StatementQuery, StatementStore } from './statement.store.js';

type Operation = (typeof paymentsApi)['operations']['walletStatement'];
type WalletStatementInput = z.output<Operation['input']>;
type StatementPage = z.input<Operation['output']>;

const LEGS_PER_POSTING = 100;

/** Newest first, each entry with the balance after it. Errors: not_found (no wallet), invalid_request (cursor). */
@Injectable()
export class WalletStatement {
  constructor(
    private readonly store: StatementStore,
    private readonly cursors: PageCursors,
  ) {}

  async run({
    partner_id,
    currency,
    from,
    before,
    limit,
    cursor,
  }: WalletStatementInput): Promise<Result<StatementPage>> {
    const account = await this.store.walletAccount(partner_id, currency);
    if (account === undefined) return fail({ code: 'not_found', message: `There is no ${currency} wallet` });
    const scope = ['statement', partner_id, currency, from, before];
    const behind = cursor === null ? ok(null) : this.placeOf(scope, cursor);
    if (!behind.ok) return behind;
    // One more shows whether there is another page.
    const found = await this.store.page({ account, from, before, behind: behind.value, limit: limit + 1 });
    const shown = found.slice(0, limit);
    const last = shown.at(-1);
    return ok({
      entries: shown.map(entryOf),
      next_cursor: last && found.length > limit ? this.cursors.seal(scope, positionOf(last)) : null,
    });
  }

  private placeOf(scope: ListScope, cursor: string): Result<StatementQuery['behind']> {
    const position = this.cursors.open(scope, cursor);
    if (!position.ok) return position;
    const [postingId = '', legNo = '', balanceMinor = ''] = position.value;
    return ok({ postingId, legNo: Number(legNo), balanceMinor });
  }
}

function positionOf({ postingId, legNo, balance, amount }: StatementLeg): string[] {
  return [postingId, String(legNo), encodeMinor(subtract(balance, amount))];
}

function entryOf({ postingId, legNo, at, kind, transactionCode, amount, balance }: StatementLeg): StatementEntry {
  return {
    id: Number(postingId) * LEGS_PER_POSTING + legNo,
    at: at.toISOString(),
    kind: statementKindOf(kind, amount.minor),
    transaction_code: transactionCode ?? '',
    amount: formatMoney(amount),
    balance: formatMoney(balance),
  };
}
