import { describe, expect, it } from '@jest/globals';

import { attemptCellText, cellText, orderCellText, refundCellText } from '../generated-docs/cell-text.js';
import { POSTINGS, type Posting } from '../ledger/postings.js';
import { ATTEMPT_TABLE, type AttemptCell } from './attempt.js';
import type { Cell } from './cell.js';
import { DEPOSIT_TABLE } from './deposit-table.js';
import { readGolden, type GoldenCell } from './golden.spec-support.js';
import { ORDER_TABLE, type OrderCell } from './order-table.js';
import { OLDER_ATTEMPT, PAYOUT_TABLE } from './payout-table.js';
import { REFUND_TABLE, type RefundCell } from './refund-table.js';
import { TRANSACTION_STATES } from './states.js';

const sorted = (cells: readonly GoldenCell[]): string[] => cells.map((cell) => cell.join(' | ')).sort();

function cellsOf<C>(table: Readonly<Record<string, Readonly<Record<string, C>>>>, text: (cell: C) => string): string[] {
  return sorted(
    Object.entries(table).flatMap(([row, cells]) =>
      Object.entries(cells).map(([column, cell]): GoldenCell => [row, column, text(cell)]),
    ),
  );
}

const [payout = [], older = [], publicStatus = []] = readGolden('payout.md');
const [deposit = []] = readGolden('deposit.md');
const [attempt = []] = readGolden('attempt.md');
const [refund = []] = readGolden('refund.md');
const [order = []] = readGolden('order.md');
const [postings = []] = readGolden('postings.md');

describe('the tables and their golden copies, cell by cell', () => {
  it('payout events: 11 states × 11 events', () => {
    expect(payout).toHaveLength(121);
    expect(cellsOf<Cell>(PAYOUT_TABLE, cellText)).toEqual(sorted(payout));
  });

  it('an older attempt: 9 events', () => {
    expect(older).toHaveLength(9);
    expect(cellsOf<Cell>({ any: OLDER_ATTEMPT }, cellText)).toEqual(sorted(older));
  });

  it('verdicts on a deposit: 11 states × 6 events', () => {
    expect(deposit).toHaveLength(66);
    expect(cellsOf<Cell>(DEPOSIT_TABLE, cellText)).toEqual(sorted(deposit));
  });

  it('attempts: 6 states × 10 events', () => {
    expect(attempt).toHaveLength(60);
    expect(cellsOf<AttemptCell>(ATTEMPT_TABLE, attemptCellText)).toEqual(sorted(attempt));
  });

  it('refunds: 6 states × 5 events', () => {
    expect(refund).toHaveLength(30);
    expect(cellsOf<RefundCell>(REFUND_TABLE, refundCellText)).toEqual(sorted(refund));
  });

  it('orders: 4 states × 10 situations', () => {
    expect(order).toHaveLength(40);
    expect(cellsOf<OrderCell>(ORDER_TABLE, orderCellText)).toEqual(sorted(order));
  });

  it('public status of 11 states', () => {
    expect(publicStatus).toHaveLength(11);
    expect(
      sorted(Object.entries(TRANSACTION_STATES).map(([state, status]) => [state, 'public status', status])),
    ).toEqual(sorted(publicStatus));
  });

  it('postings', () => {
    const ours = Object.entries(POSTINGS as Record<string, Posting>).map(([name, { legs }]): GoldenCell => {
      return [name, 'legs', legs.map(({ from, to, amount }) => `${from} → ${to} ${amount}`).join('; ')];
    });
    expect(sorted(ours)).toEqual(sorted(postings));
  });
});
