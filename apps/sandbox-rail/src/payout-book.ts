import { join } from 'node:path';

import { Journal } from './journal.js';
import { fromHundredths, hundredths, type PayoutRequest } from './payout-request.js';
import { receiptOf } from './receipt.js';
import { behaviourOf, recipientName } from './sandbox-numbers.js';

/** One line of the journal: what became of a payout, and when (RFC 3339). */
type JournalEntry =
  | {
      readonly event: 'accepted';
      readonly id: string;
      readonly amount: string;
      readonly currency: string;
      readonly account_number: string;
      readonly bank_code: string;
      readonly narration: string;
      readonly at: string;
    }
  | { readonly event: 'paid'; readonly id: string; readonly receipt: string; readonly name: string; readonly at: string }
  | { readonly event: 'failed'; readonly id: string; readonly code: string; readonly at: string };

export type PayoutStatus = 'PROCESSING' | 'PAID' | 'FAILED';

export interface Payout {
  readonly request: PayoutRequest;
  readonly acceptedAtMs: number;
  /** When it ends, on the book's own time. */
  readonly dueAtMs: number;
  /** The journal line that accepted it. */
  readonly acceptedLine: number;
  status: PayoutStatus;
  /** The journal line that ended it; 0 while PROCESSING. */
  endedLine: number;
  endedAtMs: number;
  receipt: string;
  failureCode: string;
}

export interface BookEntry {
  readonly sequence: number;
  readonly event: 'ACCEPTED' | 'PAID' | 'FAILED';
  readonly payout: Payout;
  readonly atMs: number;
}

export interface CurrencyTotals {
  readonly currency: string;
  /** Money sent, decimal string. */
  readonly paid_out: string;
  /** Accepted and neither sent nor failed, decimal string. */
  readonly in_process: string;
}

export type AcceptAnswer =
  | { readonly kind: 'accepted' | 'duplicate'; readonly payout: Payout }
  | { readonly kind: 'id_reused' | 'full' | 'busy' };

export interface PayoutBookOptions {
  readonly folder: string;
  readonly settleAfterMs: number;
  readonly maxPayouts: number;
  readonly now: () => Date;
  readonly onFailure: (error: Error) => void;
}

/** Settlements in one go; the rest follow in the next, so that answers are not held up. */
const SETTLE_BATCH = 2_000;

/**
 * Everything the rail has accepted and what became of it, in memory for answering and in the journal for ever.
 * Whoever tells of a payout or an entry outside must first await `safe` for it.
 */
export class PayoutBook {
  readonly #payouts: Payout[] = [];
  readonly #byId = new Map<string, Payout>();
  /** Entry n of the journal is #entries[n - 1]: twice the payout's index, plus one where it is the payout's end. */
  readonly #entries: number[] = [];
  readonly #totals = new Map<string, { paid: bigint; inProcess: bigint }>();
  /** All before it have ended: payouts end in the order in which they were accepted. */
  #firstOpen = 0;
  #journal!: Journal;
  /** The book's own time, and the clock when it was last read. */
  #timeMs: number;
  #clockMs: number;

  private constructor(private readonly options: PayoutBookOptions) {
    this.#timeMs = this.#clockMs = options.now().getTime();
  }

  static async open(options: PayoutBookOptions): Promise<{ book: PayoutBook; droppedBytes: number }> {
    const book = new PayoutBook(options);
    const { journal, droppedBytes } = await Journal.open(
      join(options.folder, 'payouts.jsonl'),
      (entry, line) => book.#apply(entry as JournalEntry, line),
      options.onFailure,
    );
    book.#journal = journal;
    return { book, droppedBytes };
  }

  accept(request: PayoutRequest): AcceptAnswer {
    const known = this.#byId.get(request.id);
    if (known !== undefined) return samePayout(known.request, request) ? { kind: 'duplicate', payout: known } : { kind: 'id_reused' };
    if (this.#payouts.length >= this.options.maxPayouts) return { kind: 'full' };
    if (!this.#journal.hasRoom) return { kind: 'busy' };
    this.#record({
      event: 'accepted',
      id: request.id,
      amount: request.amount,
      currency: request.currency,
      account_number: request.accountNumber,
      bank_code: request.bankCode,
      narration: request.narration,
      at: this.options.now().toISOString(),
    });
    return { kind: 'accepted', payout: this.#byId.get(request.id) as Payout };
  }

  find(id: string): Payout | undefined {
    this.settleDue();
    return this.#byId.get(id);
  }

  /** Entries after the given sequence, in order, `limit` at most. */
  page(after: number, limit: number): BookEntry[] {
    this.settleDue();
    return this.#entries.slice(after, after + limit).map((code, offset) => {
      const payout = this.#payouts[code >> 1] as Payout;
      const isEnd = (code & 1) === 1;
      return {
        sequence: after + offset + 1,
        event: isEnd ? (payout.status as 'PAID' | 'FAILED') : 'ACCEPTED',
        payout,
        atMs: isEnd ? payout.endedAtMs : payout.acceptedAtMs,
      };
    });
  }

  get lastSequence(): number {
    return this.#entries.length;
  }

  totals(): CurrencyTotals[] {
    this.settleDue();
    return [...this.#totals].sort(([a], [b]) => (a < b ? -1 : 1)).map(([currency, { paid, inProcess }]) => ({
      currency,
      paid_out: fromHundredths(paid),
      in_process: fromHundredths(inProcess),
    }));
  }

  /** Ends what is due, in the order of acceptance; `settleAfterMs` after acceptance, whenever that is noticed. */
  settleDue(): void {
    const nowMs = this.#advance();
    const at = new Date(this.#clockMs).toISOString();
    for (let done = 0; done < SETTLE_BATCH && this.#journal.hasRoom; done += 1) {
      const payout = this.#payouts[this.#firstOpen];
      if (payout === undefined || payout.dueAtMs > nowMs) return;
      const { id, accountNumber } = payout.request;
      const behaviour = behaviourOf(accountNumber);
      if (behaviour.ends === 'FAILED') this.#record({ event: 'failed', id, code: behaviour.code, at });
      else this.#record({ event: 'paid', id, receipt: receiptOf(this.#firstOpen + 1), name: recipientName(accountNumber), at });
    }
  }

  /** How long until the next payout is due, in ms; Infinity where nothing is open. */
  get nextDueInMs(): number {
    const payout = this.#payouts[this.#firstOpen];
    return payout === undefined ? Infinity : payout.dueAtMs - this.#advance();
  }

  /** Resolves when the journal is on the disk up to this sequence; rejects when the disk has failed. */
  safe(sequence: number): Promise<void> | undefined {
    return this.#journal.durable >= sequence ? undefined : this.#journal.whenDurable(sequence);
  }

  close(): Promise<void> {
    return this.#journal.close();
  }

  /** The book's time follows the clock, but never back: a clock that is set back would hold up the whole line by as much. */
  #advance(): number {
    const clockMs = this.options.now().getTime();
    this.#timeMs += Math.max(0, clockMs - this.#clockMs);
    this.#clockMs = clockMs;
    return this.#timeMs;
  }

  #record(entry: JournalEntry): void {
    this.#apply(entry, this.#journal.append(entry));
  }

  #apply(entry: JournalEntry, line: number): void {
    if (entry.event === 'accepted') this.#applyAccepted(entry, line);
    else this.#applyEnd(entry, line);
  }

  #applyAccepted(entry: Extract<JournalEntry, { event: 'accepted' }>, line: number): void {
    if (this.#byId.has(entry.id)) throw new Error(`journal line ${line} accepts an id a second time`);
    const { id, amount, currency, narration } = entry;
    const acceptedAtMs = Date.parse(entry.at);
    const nowMs = this.#advance();
    // From an earlier run, some of the wait is over; from one whose clock was ahead, none of it.
    const waitedMs = Math.max(0, this.#clockMs - acceptedAtMs);
    const payout: Payout = {
      request: { id, amount, currency, accountNumber: entry.account_number, bankCode: entry.bank_code, narration },
      acceptedAtMs,
      dueAtMs: nowMs - waitedMs + this.options.settleAfterMs,
      acceptedLine: line,
      status: 'PROCESSING',
      endedLine: 0,
      endedAtMs: 0,
      receipt: '',
      failureCode: '',
    };
    this.#entries.push(this.#payouts.length * 2);
    this.#payouts.push(payout);
    this.#byId.set(id, payout);
    this.#totalsOf(currency).inProcess += hundredths(amount);
  }

  #applyEnd(entry: Exclude<JournalEntry, { event: 'accepted' }>, line: number): void {
    const payout = this.#payouts[this.#firstOpen];
    if (payout?.request.id !== entry.id) throw new Error(`journal line ${line} ends a payout out of turn`);
    payout.status = entry.event === 'paid' ? 'PAID' : 'FAILED';
    payout.endedLine = line;
    payout.endedAtMs = Date.parse(entry.at);
    if (entry.event === 'paid') payout.receipt = entry.receipt;
    else payout.failureCode = entry.code;
    this.#entries.push(this.#firstOpen * 2 + 1);
    this.#firstOpen += 1;
    const totals = this.#totalsOf(payout.request.currency);
    const amount = hundredths(payout.request.amount);
    totals.inProcess -= amount;
    if (entry.event === 'paid') totals.paid += amount;
  }

  #totalsOf(currency: string): { paid: bigint; inProcess: bigint } {
    let totals = this.#totals.get(currency);
    if (totals === undefined) this.#totals.set(currency, (totals = { paid: 0n, inProcess: 0n }));
    return totals;
  }
}

function samePayout(a: PayoutRequest, b: PayoutRequest): boolean {
  return (
    hundredths(a.amount) === hundredths(b.amount) &&
    a.currency === b.currency &&
    a.accountNumber === b.accountNumber &&
    a.bankCode === b.bankCode &&
    a.narration === b.narration
  );
}
