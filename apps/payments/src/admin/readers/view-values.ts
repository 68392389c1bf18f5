import { decodeMoney, formatMoney, publicStatusOf, WALLET_CURRENCIES, type TransactionState } from '@vuka/domain';
import { maskText } from '@vuka/runtime';

import type { MoneyView, TransactionSummary } from './views.js';

/** Other assets are shown in minor units. */
export function moneyOf(minor: string, asset: string): MoneyView {
  const isCurrency = (WALLET_CURRENCIES as readonly string[]).includes(asset);
  return { amount: isCurrency ? formatMoney(decodeMoney(minor, asset)) : minor, currency: asset };
}

export function timeOf(at: Date): string {
  return at.toISOString();
}

export function timeOrNull(at: Date | null): string | null {
  return at === null ? null : timeOf(at);
}

/** Free text may contain long numbers: masked. */
export function wordsOf(text: string): string {
  return maskText(text);
}

export interface SummaryRow {
  id: string;
  transaction_code: string;
  partner_id: number;
  operation: string;
  state: TransactionState;
  amount_minor: string;
  currency: string;
  created_at: Date;
}

export const SUMMARY_COLUMNS =
  't.id::text as id, t.transaction_code, t.partner_id, t.operation, t.state, t.amount_minor::text as amount_minor, t.currency, t.created_at';

export function summaryOf(row: SummaryRow): TransactionSummary {
  return {
    id: Number(row.id),
    transaction_code: row.transaction_code,
    partner_id: row.partner_id,
    operation: row.operation,
    status: publicStatusOf(row.state),
    state: row.state,
    amount: moneyOf(row.amount_minor, row.currency),
    created_at: timeOf(row.created_at),
  };
}
