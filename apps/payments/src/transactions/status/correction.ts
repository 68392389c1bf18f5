import type { Correction } from '@vuka/contracts';
import { formatMoney, type Money } from '@vuka/domain';

import type { TransactionLife } from '../../commit/index.js';

export interface LatePayment {
  readonly receiptNumber: string;
  /** What the recipient got. */
  readonly amount: Money;
  readonly at: Date;
  /** null: it stands. */
  readonly cameBackAt: Date | null;
  /** The partner had its money back and owes it. Else the deposit paid. */
  readonly isOwed: boolean;
}

/** The reason for the end does not hold any more. */
const PAID_AFTER_ALL =
  'The payment was made after all: the recipient has the money, and what was paid is taken from the wallet';
const PAID_BY_DEPOSIT =
  'The payment was made after all: the recipient has the money, the deposit has paid for it, and nothing is sent back';

type Paid = Pick<TransactionLife, 'receiptNumber' | 'publicName'>;
const NOT_PAID: Paid = { receiptNumber: null, publicName: null };

/** A FAILED one shows no payment of its own, even with payout_settled: its correction shows it. */
export function paymentTold(life: Paid & Pick<TransactionLife, 'state'>): Paid {
  return life.state === 'FAILED' ? NOT_PAID : life;
}

/** `message` if no payment stands. */
export function messageBeside(payment: LatePayment | null, message: string): string {
  if (payment?.cameBackAt !== null) return message;
  return payment.isOwed ? PAID_AFTER_ALL : PAID_BY_DEPOSIT;
}

export function correctionOf(payment: LatePayment): Correction;
export function correctionOf(payment: LatePayment | null): Correction | '';
export function correctionOf(payment: LatePayment | null): Correction | '' {
  if (payment === null) return '';
  const { receiptNumber, amount, at, cameBackAt } = payment;
  return {
    reason: cameBackAt === null ? 'paid_after_failure' : 'reversed_after_failure',
    receipt_number: receiptNumber,
    amount: formatMoney(amount),
    at: (cameBackAt ?? at).toISOString(),
  };
}
