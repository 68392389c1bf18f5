import { minorOf, type SentTransfer, type StatusRow } from './api-client.js';
import type { BookEntry } from './rail-book.js';
import type { ReceivedWebhook } from './webhook-receiver.js';

/** One wallet at the beginning and at the end, in minor units. */
export interface WalletChange {
  readonly partner: number;
  readonly currency: string;
  readonly before: bigint;
  readonly after: bigint;
}

/** Everything that can be seen from outside: what partners sent and got, what the rail's own book says. Nothing of Vuka's inside. */
export interface OutsideView {
  readonly sent: readonly SentTransfer[];
  /** What the API says in the end of each sent transfer, by `key()`; null = 404. */
  readonly rows: ReadonlyMap<string, StatusRow | null>;
  readonly webhooks: readonly ReceivedWebhook[];
  readonly railBook: readonly BookEntry[];
  readonly wallets: readonly WalletChange[];
}

export interface OutsideRules {
  /** Non-final webhooks may be overtaken (decisions.md section 6); true where nothing delayed them, so that each must be there. */
  readonly everyWebhook?: boolean;
}

/** A transaction's name across partners. */
export const key = ({ partner, code }: { readonly partner: number; readonly code: string }): string => `${partner} ${code}`;

/** decisions.md section 3, written down a second time. */
const SERVICE_FEES: Readonly<Record<string, bigint>> = { KES: 3_000n };
const RANK: Readonly<Record<string, number>> = { PENDING: 0, PROCESSING: 1, COMPLETE: 2, FAILED: 2, REVERSED: 3 };
const EVENTS: Readonly<Record<string, string>> = {
  PROCESSING: 'transaction.processing',
  COMPLETE: 'transaction.complete',
  FAILED: 'transaction.failed',
  REVERSED: 'transaction.reversed',
};

/** What is wrong, a sentence each; [] when every promise was kept. */
export function checkOutside(view: OutsideView, rules: OutsideRules = {}): string[] {
  return [...transactionFaults(view), ...paymentFaults(view), ...walletFaults(view), ...webhookFaults(view, rules)];
}

/** Every accepted code is there and has ended; a refused one left nothing. */
function transactionFaults({ sent, rows }: OutsideView): string[] {
  return sent.flatMap((transfer) => {
    const row = rows.get(key(transfer)) ?? null;
    const name = `transaction ${transfer.code} (${transfer.outcome})`;
    if (row === null) return transfer.outcome === 'accepted' ? [`${name} was answered 200 and is not there`] : [];
    if (transfer.outcome === 'refused') return [`${name} was refused and exists, ${row.status}`];
    const faults = row.status === 'COMPLETE' || row.status === 'FAILED' ? [] : [`${name} has not ended: ${row.status}`];
    if (minorOf(row.amount, row.currency_code) !== minorOf(String(transfer.amount), transfer.currency)) faults.push(`${name} has the amount ${row.amount}, sent ${transfer.amount}`);
    if (row.currency_code !== transfer.currency) faults.push(`${name} is in ${row.currency_code}, sent in ${transfer.currency}`);
    if (row.account_number !== transfer.account_number) faults.push(`${name} goes to another account than was sent`);
    return faults;
  });
}

/** COMPLETE exactly where the rail paid, once, that amount to that account, under that receipt. */
function paymentFaults({ sent, rows, railBook }: OutsideView): string[] {
  const faults: string[] = [];
  const paidByReceipt = new Map<string, BookEntry>();
  const paidTo = countBy(railBook.filter((entry) => entry.status === 'PAID').map((entry) => recipientOf(entry.currency, entry.recipient, entry.amount)));
  for (const entry of railBook) {
    if (entry.status !== 'PAID' || entry.receipt === undefined) continue;
    if (paidByReceipt.has(entry.receipt)) faults.push(`the rail gave the receipt ${entry.receipt} twice`);
    paidByReceipt.set(entry.receipt, entry);
  }
  const owed = new Map<string, number>();
  for (const transfer of sent) {
    const row = rows.get(key(transfer));
    if (row?.status !== 'COMPLETE') continue;
    const to = recipientOf(transfer.currency, transfer, String(transfer.amount));
    owed.set(to, (owed.get(to) ?? 0) + 1);
    const entry = paidByReceipt.get(row.receipt_number ?? '');
    if (entry === undefined) faults.push(`${transfer.code} is COMPLETE and its receipt ${String(row.receipt_number)} is not in the rail's book`);
    else if (recipientOf(entry.currency, entry.recipient, entry.amount) !== to) faults.push(`${transfer.code}: its receipt is for another payment`);
    paidByReceipt.delete(row.receipt_number ?? '');
  }
  for (const to of new Set([...owed.keys(), ...paidTo.keys()])) {
    const [paid, complete] = [paidTo.get(to) ?? 0, owed.get(to) ?? 0];
    if (paid !== complete) faults.push(`the rail paid ${to} ${paid} times, and ${complete} transactions say COMPLETE`);
  }
  return faults;
}

/** Down by amount and service fee for each COMPLETE; nothing for FAILED. */
function walletFaults({ sent, rows, wallets }: OutsideView): string[] {
  const spent = new Map<string, bigint>();
  for (const transfer of sent) {
    if (rows.get(key(transfer))?.status !== 'COMPLETE') continue;
    const name = `${transfer.partner} ${transfer.currency}`;
    const cost = minorOf(String(transfer.amount), transfer.currency) + (SERVICE_FEES[transfer.currency] ?? 0n);
    spent.set(name, (spent.get(name) ?? 0n) + cost);
  }
  return wallets.flatMap(({ partner, currency, before, after }) => {
    const expected = before - (spent.get(`${partner} ${currency}`) ?? 0n);
    return after === expected ? [] : [`wallet ${currency} of partner ${partner} is ${after}, and should be ${expected}`];
  });
}

function webhookFaults({ sent, rows, webhooks }: OutsideView, { everyWebhook = false }: OutsideRules): string[] {
  const faults = webhooks.filter(({ partner }) => partner === null).map(({ id }) => `webhook ${id} is signed by nobody`);
  const byTransaction = groupBy(webhooks, ({ partner, payload }) => key({ partner: partner ?? 0, code: payload.transaction_code }));
  const known = new Set(sent.map(key));
  for (const name of byTransaction.keys()) if (!known.has(name)) faults.push(`a webhook tells of ${name}, which nobody sent`);
  for (const transfer of sent) {
    const received = byTransaction.get(key(transfer)) ?? [];
    const row = rows.get(key(transfer)) ?? null;
    if (row === null || transfer.callback_url === undefined) {
      if (received.length > 0) faults.push(`${transfer.code} was told to a URL it does not have, or does not exist`);
    } else faults.push(...historyFaults(row, received, everyWebhook).map((fault) => `${transfer.code}: ${fault}`));
  }
  return faults;
}

/** The webhooks of one transaction, against its end. */
function historyFaults(row: StatusRow, received: readonly ReceivedWebhook[], everyWebhook: boolean): string[] {
  const faults: string[] = [];
  const bySequence = new Map<number, ReceivedWebhook>();
  for (const hook of received) {
    const earlier = bySequence.get(hook.sequence);
    if (earlier !== undefined && (earlier.rawBody !== hook.rawBody || earlier.id !== hook.id)) faults.push(`webhook ${hook.sequence} came with two contents`);
    if (hook.id !== `${row.id}_${hook.sequence}`) faults.push(`webhook-id ${hook.id} is not ${row.id}_${hook.sequence}`);
    if (hook.event !== EVENTS[hook.payload.status]) faults.push(`x-vuka-event ${hook.event} with status ${hook.payload.status}`);
    bySequence.set(hook.sequence, hook);
  }
  const ordered = [...bySequence.values()].sort((a, b) => a.sequence - b.sequence);
  ordered.forEach((hook, index) => {
    const before = ordered[index - 1];
    if (before !== undefined && !(rankOf(before) < rankOf(hook))) faults.push(`went back from ${before.payload.status} to ${hook.payload.status}`);
  });
  const last = ordered.at(-1);
  if (last?.payload.status !== row.status) faults.push(`ended ${row.status}, and its last webhook says ${last?.payload.status ?? 'nothing, there is none'}`);
  else if (!tellsOf(last, row)) faults.push('its final webhook says something else than its row');
  const sequences = ordered.map((hook) => hook.sequence);
  if (everyWebhook && sequences.some((sequence, index) => sequence !== index + 1)) faults.push(`webhooks ${sequences.join(', ')} are not 1, 2, …`);
  return faults;
}

function tellsOf({ payload }: ReceivedWebhook, row: StatusRow): boolean {
  return (payload.receipt_number ?? null) === row.receipt_number && (payload.public_name ?? null) === row.public_name && payload.message === row.message;
}

function rankOf(hook: ReceivedWebhook): number {
  return RANK[hook.payload.status] ?? -1;
}

function recipientOf(currency: string, recipient: { readonly account_number: string; readonly bank_code: string }, amount: string): string {
  return `${minorOf(amount, currency)} ${currency} to ${recipient.account_number} at ${recipient.bank_code}`;
}

function countBy(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

function groupBy<T>(items: readonly T[], nameOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(nameOf(item));
    if (group === undefined) groups.set(nameOf(item), [item]);
    else group.push(item);
  }
  return groups;
}
