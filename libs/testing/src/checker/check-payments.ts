import type { OutsideRules, Told } from './outside-view.js';
import type { BookEntry } from '../books/provider-book.js';
import {
  minorOf,
  payoutOf,
  recipientOf,
  recipientText,
  type Recipient,
  type SentPayout,
} from '../partner/sent-payout.js';
import type { StatusRow } from '../partner/status-row.js';

export interface Payment {
  readonly amount: bigint;
  readonly to: string;
  readonly receipt: string;
  back: boolean;
}

/**
 * COMPLETE has exactly one payment of that amount, recipient and receipt; REVERSED has one that came back; FAILED has
 * none.
 * More payments only where the number or the control causes them. `amongOthers`: unknown ones may belong to other
 * fixtures.
 */
export function paymentFaults(
  told: readonly Told[],
  books: readonly BookEntry[],
  { amongOthers = false }: OutsideRules = {},
): string[] {
  const { payments, faults } = paymentsOf(books);
  for (const one of told) faults.push(...receiptFaults(one, payments), ...standingFaults(one, payments));
  return [...faults, ...countFaults(told, [...payments.values()], amongOthers)];
}

/** By receipt; no two payments share one. */
export function paymentsOf(books: readonly BookEntry[]): { payments: ReadonlyMap<string, Payment>; faults: string[] } {
  const payments = new Map<string, Payment>();
  const faults: string[] = [];
  for (const { status, receipt, amount, currency, recipient } of books) {
    if (receipt === undefined || (status !== 'PAID' && status !== 'REVERSED')) continue;
    const known = payments.get(receipt);
    if (status === 'REVERSED') {
      if (known === undefined || known.back) faults.push(`the provider took ${receipt} back, which does not stand`);
      else known.back = true;
    } else if (known !== undefined) faults.push(`the provider gave the receipt ${receipt} twice`);
    else
      payments.set(receipt, {
        receipt,
        amount: minorOf(amount, currency),
        to: nameOf(currency, recipient),
        back: false,
      });
  }
  return { payments, faults };
}

/** The row's receipt belongs to its own payment. Holds at any time if the books are read after the rows. */
export function receiptFaults({ sent, row, expected }: Told, payments: ReadonlyMap<string, Payment>): string[] {
  if (!wasPaid(row))
    return row.receipt_number === null
      ? []
      : [`${sent.code} is ${row.status} and has the receipt ${row.receipt_number}`];
  const payment = payments.get(row.receipt_number ?? '');
  if (payment === undefined)
    return [`${sent.code} is ${row.status} and its receipt ${String(row.receipt_number)} is not in a provider's book`];
  const amount = expected.payments[0]?.amount ?? payoutOf(sent);
  return payment.to === nameOf(sent.currency, recipientOf(sent)) && payment.amount === amount
    ? []
    : [`${sent.code}: its receipt is for another payment`];
}

/** The payment stands for COMPLETE, and came back for REVERSED. */
function standingFaults({ sent, row }: Told, payments: ReadonlyMap<string, Payment>): string[] {
  const payment = payments.get(row.receipt_number ?? '');
  if (!wasPaid(row) || payment === undefined || payment.back === (row.status === 'REVERSED')) return [];
  return [`${sent.code} is ${row.status}, and its payment ${payment.back ? 'came back' : 'stands'}`];
}

/** For each recipient exactly the payments its transactions account for; `amongOthers` allows more. */
function countFaults(told: readonly Told[], payments: readonly Payment[], amongOthers: boolean): string[] {
  const made = new Map<string, string[]>();
  const due = new Map<string, string[]>();
  for (const { to, amount, back } of payments) push(made, to, spell(amount, back));
  const receipts = new Map<string, string>();
  const faults: string[] = [];
  for (const one of told) {
    const to = nameOf(one.sent.currency, recipientOf(one.sent));
    for (const { amount, back } of duePayments(one)) push(due, to, spell(amount, back));
    const receipt = one.row.receipt_number;
    if (receipt === null) continue;
    if (receipts.has(receipt)) faults.push(`${one.sent.code} and ${String(receipts.get(receipt))} have one receipt`);
    receipts.set(receipt, one.sent.code);
  }
  for (const to of new Set([...made.keys(), ...due.keys()])) {
    const own = amongOthers ? within(made.get(to) ?? [], due.get(to) ?? []) : (made.get(to) ?? []);
    const [paid, owed] = [own, due.get(to) ?? []].map((list) => list.sort().join(', ') || 'nothing');
    if (paid !== owed) faults.push(`to ${to} the providers paid ${paid}; its transactions account for ${owed}`);
  }
  return faults;
}

/** The documented payments. If it ended otherwise (reported elsewhere), the payments its status implies. */
function duePayments({ sent, row, expected }: Told): readonly { amount: bigint; back: boolean }[] {
  if (row.status === expected.end) return expected.payments;
  if (wasPaid(row)) return [{ amount: payoutOf(sent), back: row.status === 'REVERSED' }];
  return [];
}

function within(made: readonly string[], due: readonly string[]): string[] {
  const left = [...made];
  return due.filter((payment) => {
    const at = left.indexOf(payment);
    return at !== -1 && left.splice(at, 1).length > 0;
  });
}

export function isTo(sent: readonly SentPayout[]): (entry: BookEntry) => boolean {
  const recipients = new Set(sent.map((payout) => nameOf(payout.currency, recipientOf(payout))));
  return ({ currency, recipient }) => recipients.has(nameOf(currency, recipient));
}

const wasPaid = ({ status }: StatusRow): boolean => status === 'COMPLETE' || status === 'REVERSED';
const nameOf = (currency: string, recipient: Recipient): string => `${currency} ${recipientText(recipient)}`;
const spell = (amount: bigint, back: boolean): string => `${amount}${back ? ' (and back)' : ''}`;

function push(lists: Map<string, string[]>, name: string, item: string): void {
  const list = lists.get(name);
  if (list === undefined) lists.set(name, [item]);
  else list.push(item);
}
