import { join } from 'node:path';

import { type CurrencyTotals, CurrencySums } from './currency-sums.js';
import { DueQueue } from './due-queue.js';
import { Journal } from './journal.js';
import type { AcceptedLine, JournalLine, OutcomeLine } from './journal-line.js';
import { Payout, type Payment, type Run } from './payout.js';
import { type PayoutRequest, samePayout, type TopUpRequest } from '../http/payout-request.js';
import { numberOf } from './recipient.js';
import { receiptOf } from './receipt.js';
import type { ProviderProfile } from './provider-profile.js';
import { behaviourOf } from './sandbox-numbers.js';

export interface BookEntry {
  readonly event: 'ACCEPTED' | 'PAID' | 'FAILED' | 'REVERSED';
  readonly payout: Payout;
  readonly atMs: number;
  /** Receipt of PAID and REVERSED, code of FAILED. */
  readonly detail: string;
  /** Journal line; entries have numbers of their own. */
  readonly line: number;
}

export type AcceptAnswer =
  | { readonly kind: 'accepted'; readonly payout: Payout; readonly line: number; readonly atMs: number }
  | { readonly kind: 'duplicate'; readonly payout: Payout }
  | { readonly kind: 'id_reused' | 'full' | 'busy' | 'no_float' };

export type ControlAnswer =
  { readonly kind: 'done'; readonly line: number } | { readonly kind: 'nothing' | 'not_found' | 'busy' };

export interface PayoutBookOptions {
  readonly folder: string;
  readonly profile: ProviderProfile;
  /** Counts acceptances. */
  readonly maxPayouts: number;
  readonly now: () => Date;
  readonly onFailure: (error: Error) => void;
}

/** Steps per batch, so that answers are not delayed. */
const SETTLE_BATCH = 2_000;

const NOTHING = { kind: 'nothing' } as const;

/** All payouts, in memory and in the journal. Before you report a payout or entry, await `safe` for its line. */
export class PayoutBook {
  readonly #byId = new Map<string, Payout>();
  readonly #entries: BookEntry[] = [];
  readonly #sums = new CurrencySums();
  /** Orders with float. */
  readonly #toppedUp = new Set<string>();
  /** Entries may be stale and are then skipped. */
  readonly #due = new DueQueue<{ readonly payout: Payout; readonly run: Run }>();
  #accepted = 0;
  /** The journal has been read. */
  #isOpen = false;
  #journal!: Journal;
  /** The book's time, and the clock at its last reading. */
  #timeMs: number;
  #clockMs: number;

  private constructor(private readonly options: PayoutBookOptions) {
    this.#timeMs = this.#clockMs = options.now().getTime();
  }

  static async open(options: PayoutBookOptions): Promise<{ book: PayoutBook; droppedBytes: number }> {
    const book = new PayoutBook(options);
    const { journal, droppedBytes } = await Journal.open(
      join(options.folder, 'payouts.jsonl'),
      (entry, line) => book.#apply(entry as JournalLine, line),
      options.onFailure,
    );
    book.#journal = journal;
    book.#takeUp();
    return { book, droppedBytes };
  }

  accept(request: PayoutRequest): AcceptAnswer {
    const { profile, maxPayouts } = this.options;
    const known = this.#byId.get(request.id);
    if (known !== undefined && !samePayout(known.request, request)) return { kind: 'id_reused' };
    if (known !== undefined && profile.dedupes) return { kind: 'duplicate', payout: known };
    if (this.#accepted >= maxPayouts) return { kind: 'full' };
    if (!this.#journal.hasRoom) return { kind: 'busy' };
    if (!this.#hasFloatFor(request)) return { kind: 'no_float' };
    const { id, amount, currency, recipient, narration, order } = request;
    const at = this.options.now();
    const line = this.#record(
      known === undefined
        ? {
            event: 'accepted',
            id,
            amount,
            currency,
            recipient,
            narration,
            ...(order !== '' && { order }),
            at: at.toISOString(),
          }
        : { event: 'accepted_again', id, at: at.toISOString() },
    );
    return { kind: 'accepted', payout: this.#byId.get(id) as Payout, line, atMs: at.getTime() };
  }

  find(id: string): Payout | undefined {
    this.settleDue();
    return this.#byId.get(id);
  }

  release(id: string): ControlAnswer {
    return this.#steer(id, (payout) => {
      const waiting = payout.runs.filter((run) => payout.stepOf(run)?.after === 'released');
      return waiting.map((run) => this.#takeStep(payout, run)).at(-1) ?? null;
    });
  }

  /** Also ends a payout that is in process. */
  payNow(id: string): ControlAnswer {
    return this.#steer(id, (payout) => this.#pay(payout, { by: 'control' }));
  }

  /** Reverses the last standing payment. */
  reverseLast(id: string): ControlAnswer {
    return this.#steer(id, (payout) => this.#reverse(payout, payout.standing(), { by: 'control' }));
  }

  /** Nothing to do if no float is needed, or it is there. */
  topUp(request: TopUpRequest): ControlAnswer {
    if (this.#hasFloatFor(request)) return NOTHING;
    if (!this.#journal.hasRoom) return { kind: 'busy' };
    return { kind: 'done', line: this.#record({ event: 'topped_up', order: request.order, at: this.#clock() }) };
  }

  /** Entry n is the n-th of the book. */
  page(after: number, limit: number): readonly BookEntry[] {
    this.settleDue();
    return this.#entries.slice(after, after + limit);
  }

  get lastSequence(): number {
    return this.#entries.length;
  }

  get lastLine(): number {
    return this.#journal.lines;
  }

  totals(): CurrencyTotals[] {
    this.settleDue();
    return this.#sums.totals();
  }

  /** In order of time; each step counts from the one before. */
  settleDue(): void {
    const nowMs = this.#advance();
    for (let taken = 0; taken < SETTLE_BATCH && this.#journal.hasRoom; taken += 1) {
      const next = this.#nextDue();
      if (next === undefined || next.atMs > nowMs) return;
      this.#due.removeFirst();
      this.#takeStep(next.what.payout, next.what.run);
    }
  }

  /** ms; Infinity: nothing is due. */
  get nextDueInMs(): number {
    const next = this.#nextDue();
    return next === undefined ? Infinity : next.atMs - this.#advance();
  }

  /** Resolves when this line is on disk; rejects if the disk failed. */
  safe(line: number): Promise<void> | undefined {
    return this.#journal.durable >= line ? undefined : this.#journal.whenDurable(line);
  }

  close(): Promise<void> {
    return this.#journal.close();
  }

  #takeUp(): void {
    this.#isOpen = true;
    for (const payout of this.#byId.values()) {
      for (const run of payout.runs) if (run.dueAtMs < Infinity) this.#due.add(run.dueAtMs, { payout, run });
    }
  }

  #hasFloatFor({ order, recipient }: TopUpRequest): boolean {
    return behaviourOf(numberOf(recipient), this.options.profile.id).needsFloat !== true || this.#toppedUp.has(order);
  }

  #steer(id: string, act: (payout: Payout) => number | null): ControlAnswer {
    const payout = this.find(id);
    if (payout === undefined) return { kind: 'not_found' };
    if (!this.#journal.hasRoom) return { kind: 'busy' };
    const line = act(payout);
    return line === null ? NOTHING : { kind: 'done', line };
  }

  /** null: nothing was left to do. */
  #takeStep(payout: Payout, run: Run): number | null {
    const step = payout.stepOf(run);
    if (step === undefined) return null;
    const of = { ...(run.no > 0 && { run: run.no }), ...(run.nextStep > 0 && { step: run.nextStep }) };
    if (step.does === 'pay') return this.#pay(payout, of);
    if (step.does === 'fail')
      return this.#record({ event: 'failed', id: payout.request.id, code: step.code, at: this.#clock(), ...of });
    const line = this.#reverse(payout, payout.standing(run.receipt), of);
    // The control has already reversed it. A replay of the journal finds the same.
    if (line === null) this.#stepDone(payout, run.no, run.nextStep, this.#timeMs);
    return line;
  }

  #pay(payout: Payout, of: Pick<OutcomeLine, 'run' | 'step' | 'by'>): number {
    // From its line number, so that receipts are unique.
    const receipt = receiptOf(this.#journal.lines + 1, this.options.profile.receiptPrefix);
    const { name } = payout;
    return this.#record({
      event: 'paid',
      id: payout.request.id,
      receipt,
      ...(name !== null && { name }),
      at: this.#clock(),
      ...of,
    });
  }

  #reverse(payout: Payout, payment: Payment | undefined, of: Pick<OutcomeLine, 'run' | 'step' | 'by'>): number | null {
    if (payment === undefined) return null;
    return this.#record({
      event: 'reversed',
      id: payout.request.id,
      receipt: payment.receipt,
      at: this.#clock(),
      ...of,
    });
  }

  #nextDue(): { readonly atMs: number; readonly what: { readonly payout: Payout; readonly run: Run } } | undefined {
    for (let next = this.#due.first; next !== undefined; next = this.#due.first) {
      const { payout, run } = next.what;
      if (run.dueAtMs === next.atMs && payout.runs.includes(run)) return next;
      this.#due.removeFirst();
    }
    return undefined;
  }

  /** Never goes back, as that would delay every step. */
  #advance(): number {
    const clockMs = this.options.now().getTime();
    this.#timeMs += Math.max(0, clockMs - this.#clockMs);
    this.#clockMs = clockMs;
    return this.#timeMs;
  }

  #clock(): string {
    return this.options.now().toISOString();
  }

  #record(entry: JournalLine): number {
    const line = this.#journal.append(entry);
    this.#apply(entry, line);
    return line;
  }

  /** Must give the same result on write and on replay. */
  #apply(entry: JournalLine, line: number): void {
    if (entry.event === 'topped_up') {
      this.#toppedUp.add(entry.order);
      return;
    }
    // Subtract the wait before a restart; nothing if the earlier clock was ahead.
    const atMs = this.#advance() - Math.max(0, this.#clockMs - Date.parse(entry.at));
    if (entry.event === 'accepted') return this.#applyAccepted(this.#newPayout(entry, line), entry.at, line, atMs);
    const payout = this.#byId.get(entry.id);
    if (payout === undefined) throw new Error(`journal line ${line} is about an id that was never accepted`);
    payout.lastLine = line;
    if (entry.event === 'accepted_again') return this.#applyAccepted(payout, entry.at, line, atMs);
    return this.#applyOutcome(payout, entry, line, atMs);
  }

  #newPayout(entry: AcceptedLine, line: number): Payout {
    if (this.#byId.has(entry.id)) throw new Error(`journal line ${line} accepts an id a second time`);
    const payout = Payout.from(entry, line, this.options.profile.id);
    this.#byId.set(entry.id, payout);
    return payout;
  }

  #applyAccepted(payout: Payout, at: string, line: number, atMs: number): void {
    const run: Run = { no: payout.timesAccepted, nextStep: 0, dueAtMs: Infinity, receipt: '' };
    payout.timesAccepted += 1;
    this.#accepted += 1;
    payout.runs = [...payout.runs, run];
    this.#sums.accepted(payout.request.currency, payout.bookedHundredths);
    this.#entries.push({ event: 'ACCEPTED', payout, atMs: Date.parse(at), detail: '', line });
    this.#schedule(payout, run, atMs);
  }

  #applyOutcome(payout: Payout, entry: OutcomeLine, line: number, atMs: number): void {
    const { currency } = payout.request;
    const amount = payout.bookedHundredths;
    if (entry.by === 'control') {
      if (payout.status === 'PROCESSING') this.#giveUpSteps(payout);
    } else {
      const run = this.#stepDone(payout, entry.run ?? 0, entry.step ?? 0, atMs);
      if (entry.event === 'paid') run.receipt = entry.receipt;
    }
    const atClock = Date.parse(entry.at);
    if (entry.event === 'failed') {
      payout.failureCode = entry.code;
      this.#entries.push({ event: 'FAILED', payout, atMs: atClock, detail: entry.code, line });
    } else if (entry.event === 'paid') {
      payout.payments.push({ receipt: entry.receipt, reversed: false });
      this.#sums.paid(currency, amount);
      this.#entries.push({ event: 'PAID', payout, atMs: atClock, detail: entry.receipt, line });
    } else {
      const payment = payout.payments.find(({ receipt, reversed }) => receipt === entry.receipt && !reversed);
      if (payment === undefined) throw new Error(`journal line ${line} takes back a payment that does not stand`);
      payment.reversed = true;
      this.#sums.cameBack(currency, amount);
      this.#entries.push({ event: 'REVERSED', payout, atMs: atClock, detail: entry.receipt, line });
    }
  }

  #giveUpSteps(payout: Payout): void {
    for (const { nextStep } of payout.runs) {
      if (nextStep === 0) this.#sums.ended(payout.request.currency, payout.bookedHundredths);
    }
    payout.runs = [];
  }

  /** The first step ends "in process". */
  #stepDone(payout: Payout, runNo: number, step: number, atMs: number): Run {
    const run = payout.runs.find(({ no }) => no === runNo);
    if (run === undefined || run.nextStep !== step) throw new Error('the journal has a step of a payout out of turn');
    if (step === 0) this.#sums.ended(payout.request.currency, payout.bookedHundredths);
    run.nextStep += 1;
    if (payout.stepOf(run) === undefined) payout.runs = payout.runs.filter((other) => other !== run);
    else this.#schedule(payout, run, atMs);
    return run;
  }

  #schedule(payout: Payout, run: Run, fromMs: number): void {
    const after = payout.stepOf(run)?.after;
    run.dueAtMs = typeof after === 'number' ? fromMs + after : Infinity;
    // During replay most steps are done already; the rest is queued at the end.
    if (run.dueAtMs < Infinity && this.#isOpen) this.#due.add(run.dueAtMs, { payout, run });
  }
}
