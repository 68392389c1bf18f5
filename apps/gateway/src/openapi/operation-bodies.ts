import { DEFAULT_CURRENCY, WALLET_CURRENCIES, type Currency } from '@vuka/domain';

import type { JsonSchema } from './json-schema.js';
import type { Described } from './operation-texts.js';
import { pageBody, shapedBody, transactionBody, type RequestBody } from './request-bodies.js';

const DAY_MS = 86_400_000;
const DAYS_SHOWN = 30;

const status: JsonSchema = { enum: ['PENDING', 'PROCESSING', 'COMPLETE', 'FAILED', 'REVERSED'], description: 'Only these; in any case' };

/** The body an operation takes, null where it takes none. `currency` where it hangs on one. */
export function bodyOf(name: Described, currency: Currency | null, today: Date): RequestBody | null {
  switch (name) {
    case 'bankTransfer':
      return currency && shapedBody('bank_transfer', currency);
    case 'disburse':
      return currency && shapedBody('disburse', currency);
    case 'validation':
      return currency && shapedBody('validation', currency);
    case 'status':
      return transactionBody(['transaction_code']);
    case 'accountTransaction':
      return transactionBody(['transaction_code', 'reference', 'transaction_hash']);
    case 'transactions':
      return pageBody(lastDays(today), { status });
    case 'accountStatement':
      return pageBody({ currency: DEFAULT_CURRENCY, ...lastDays(today) }, { currency: { enum: WALLET_CURRENCIES } }, ['currency']);
    default:
      return null;
  }
}

function lastDays(today: Date): Record<string, string> {
  const day = (at: Date): string => at.toISOString().slice(0, 10);
  return { start_date: day(new Date(today.getTime() - DAYS_SHOWN * DAY_MS)), end_date: day(today) };
}
