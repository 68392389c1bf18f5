import type { Correction } from '@vuka/contracts';
import { formatMoney, type Money } from '@vuka/domain';

import type { TransactionLife } from '../commit/index.js';

/** A payment that was made although its transaction had ended without one. */
export interface LatePayment {
  readonly receiptNumber: string;
  /** What the recipient got. */
  readonly amount: Money;
  /** When it was posted. */
  readonly at: Date;
  /** null: it stands. */
  readonly cameBackAt: Date | null;
  /** The partner had its money back, and owes. Else the deposit has paid for it after all. */
  readonly isOwed: boolean;
}

/** While the payment stands: why the transaction ended without it is true no more. */
const PAID_AFTER_ALL =
  'The payment was made after all: the recipient has the money, and what was paid is taken from the wallet';
const PAID_BY_DEPOSIT =
  'The payment was made after all: the recipient has the money, the deposit has paid for it, and nothing is sent back';

type Paid = Pick<TransactionLife, 'receiptNumber' | 'publicName'>;
const NOT_PAID: Paid = { receiptNumber: null, publicName: null };

/** What a row, or a webhook, says of the payment. One that FAILED has none of its own, also where payout_settled stands for it: its correction names that. */
export function paymentTold(life: Paid & Pick<TransactionLife, 'state'>): Paid {
  return life.state === 'FAILED' ? NOT_PAID : life;
}

/** What a row, or a webhook, says to people: `message` where nothing stands. */
export function messageBeside(payment: LatePayment | null, message: string): string {
  if (payment?.cameBackAt !== null) return message;
  return payment.isOwed ? PAID_AFTER_ALL : PAID_BY_DEPOSIT;
}

/** What partners read of it, on the row and in the webhook; '' where there was none. */
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
