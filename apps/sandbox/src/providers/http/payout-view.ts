import type { Payout } from '../book/payout.js';
import type { BookEntry } from '../book/payout-book.js';
import { recipientView } from '../book/recipient.js';

export function payoutView(payout: Payout): object {
  const { status, payments } = payout;
  const [first] = payments;
  return {
    ...askedFor(payout, status),
    ...(first !== undefined && { receipt: first.receipt, ...nameOf(payout) }),
    ...(status === 'FAILED' && { code: payout.failureCode }),
    ...(payments.length > 1 && {
      payments: payments.map(({ receipt, reversed }) => ({ receipt, status: reversed ? 'REVERSED' : 'PAID' })),
    }),
  };
}

export function entryView({ event, payout, atMs, detail }: BookEntry, sequence: number): object {
  return {
    sequence,
    at: new Date(atMs).toISOString(),
    ...askedFor(payout, event),
    ...(event === 'PAID' && { receipt: detail, ...nameOf(payout) }),
    ...(event === 'REVERSED' && { receipt: detail }),
    ...(event === 'FAILED' && { code: detail }),
  };
}

function askedFor(payout: Payout, status: string): object {
  const { id, currency, recipient } = payout.request;
  return { id, status, amount: payout.bookedAmount, currency, recipient: recipientView(recipient) };
}

function nameOf({ name }: Payout): { name?: string } {
  return name === null ? {} : { name };
}
