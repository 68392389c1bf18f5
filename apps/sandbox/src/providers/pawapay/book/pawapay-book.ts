import { join } from 'node:path';

import { DueQueue } from '../../book/due-queue.js';
import { Journal } from '../../book/journal.js';
import { receiptOf } from '../../book/receipt.js';
import type { SimulatorClock } from '../../simulation/simulator-clock.js';
import { isFinal, type Step } from '../behaviour/behaviour.js';
import { hundredths } from '../data/amount.js';
import { COUNTRIES, findProvider } from '../data/provider-table.js';
import { feeOf, type PawapaySettings } from '../settings.js';
import type { BookLine, MovedLine, PayoutRequest } from './book-line.js';
import { Payout } from './payout.js';
import { type WalletId, Wallets } from './wallets.js';

export type AcceptAnswer =
  | { readonly kind: 'accepted' | 'duplicate'; readonly payout: Payout }
  | { readonly kind: 'out_of_funds' }
  | { readonly kind: 'busy' };

export interface PawapayBookOptions {
  readonly folder: string;
  readonly clock: SimulatorClock;
  readonly settings: PawapaySettings;
  /** Told of each state that is reached, and when it was; not of what the journal has. */
  readonly onMoved: (payout: Payout, atMs: number) => void;
  readonly onFailure: (error: Error) => void;
}

type Moved = Pick<MovedLine, 'to' | 'code' | 'by'>;

/**
 * Everything pawaPay has accepted and what became of it: in memory for answering, in the journal for ever.
 * Whoever tells of a payout outside must first await `safe` for its journal line.
 */
export class PawapayBook {
  readonly wallets = new Wallets();
  readonly #byId = new Map<string, Payout>();
  /** One that has moved on since it was added is passed over. */
  readonly #due = new DueQueue<Payout>();
  #isOpen = false;
  #journal!: Journal;

  private constructor(private readonly options: PawapayBookOptions) {}

  static async open(options: PawapayBookOptions): Promise<PawapayBook> {
    const book = new PawapayBook(options);
    const { journal } = await Journal.open(
      join(options.folder, 'pawapay.jsonl'),
      (entry, line) => book.#apply(entry as BookLine, line),
      options.onFailure,
    );
    book.#journal = journal;
    book.#isOpen = true;
    for (const payout of book.#byId.values()) book.#queue(payout);
    book.#openWallets();
    return book;
  }

  find(id: string): Payout | undefined {
    this.settleDue();
    return this.#byId.get(id);
  }

  all(): Payout[] {
    this.settleDue();
    return [...this.#byId.values()];
  }

  accept(request: PayoutRequest, isDelayed: boolean): AcceptAnswer {
    const known = this.find(request.payoutId);
    if (known !== undefined) return { kind: 'duplicate', payout: known };
    if (!this.#journal.hasRoom) return { kind: 'busy' };
    const provider = findProvider(request.provider);
    const wallet = provider && this.wallets.payingFor(provider, request.currency);
    if (wallet === undefined || wallet.balance < hundredths(request.amount)) return { kind: 'out_of_funds' };
    this.#record({
      event: 'accepted',
      at: this.#now(),
      request,
      wallet: wallet.id,
      ...(isDelayed && { delayed: true as const }),
    });
    return { kind: 'accepted', payout: this.#byId.get(request.payoutId) as Payout };
  }

  /** Does what is due, each step at the time it was due. */
  settleDue(): void {
    const { nowMs } = this.options.clock;
    for (let next = this.#nextDue(); next !== undefined && next.atMs <= nowMs; next = this.#nextDue()) {
      if (!this.#journal.hasRoom) return;
      this.#due.removeFirst();
      this.#takeStep(next.what, next.atMs);
    }
  }

  /** Takes all steps that wait for time alone, now. */
  settleNow(payout: Payout): void {
    while (payout.step !== undefined && payout.step.after !== 'released')
      this.#takeStep(payout, this.options.clock.nowMs);
  }

  /** Takes the step that waits to be released; false where none does. */
  release(payout: Payout): boolean {
    if (payout.step?.after !== 'released') return false;
    this.#takeStep(payout, this.options.clock.nowMs);
    return true;
  }

  /** Cancels what is ENQUEUED, as the merchant may [D]; false where it is not. */
  cancel(payout: Payout): boolean {
    if (payout.state !== 'ENQUEUED') return false;
    this.#move(payout, { to: 'FAILED', code: 'MANUALLY_CANCELLED', by: 'control' }, this.options.clock.nowMs);
    return true;
  }

  /** Pays now, whatever became of it: late, or again. */
  payNow(payout: Payout): void {
    this.#move(payout, { to: 'COMPLETED', by: 'control' }, this.options.clock.nowMs);
  }

  /** Fails now; what was paid comes back. False where there is nothing to take back. */
  failNow(payout: Payout, code: string): boolean {
    if (payout.state === 'FAILED') return false;
    this.#move(payout, { to: 'FAILED', code, by: 'control' }, this.options.clock.nowMs);
    return true;
  }

  /** Below nothing: takes money out. */
  topUp(wallet: WalletId, amount: bigint): void {
    this.settleDue();
    this.#record({ event: 'topped_up', wallet, amount: amount.toString(), at: this.#now() });
  }

  get nextDueMs(): number {
    return this.#nextDue()?.atMs ?? Infinity;
  }

  /** Resolves when the journal is on the disk up to this line; rejects when the disk has failed. */
  safe(line = this.#journal.lines): Promise<void> | undefined {
    return this.#journal.durable >= line ? undefined : this.#journal.whenDurable(line);
  }

  close(): Promise<void> {
    return this.#journal.close();
  }

  #openWallets(): void {
    const { settings } = this.options;
    const ids = COUNTRIES.flatMap(({ country, currencies }) =>
      currencies.map((currency) => ({ country, currency, provider: '' })),
    );
    for (const wallet of [...ids, ...settings.providerWallets]) {
      if (this.wallets.find(wallet) !== undefined) continue;
      this.#record({ event: 'opened', wallet, amount: hundredths(settings.opening).toString(), at: this.#now() });
    }
  }

  #takeStep(payout: Payout, atMs: number): void {
    const step = payout.step as Step;
    this.#move(payout, { to: step.to, ...(step.to === 'FAILED' && { code: step.code }) }, atMs);
  }

  #move(payout: Payout, moved: Moved, atMs: number): void {
    // The number of its own line, so that no receipt is given twice.
    const paid = moved.to === 'COMPLETED' && {
      receipt: receiptOf(this.#journal.lines + 1, 'PP'),
      fee: feeOf(this.options.settings, payout.request.provider, payout.amount).toString(),
    };
    this.#record({
      event: 'moved',
      id: payout.request.payoutId,
      at: new Date(atMs).toISOString(),
      ...moved,
      ...paid,
    });
    this.options.onMoved(payout, atMs);
  }

  #nextDue(): { readonly atMs: number; readonly what: Payout } | undefined {
    for (let next = this.#due.first; next !== undefined; next = this.#due.first) {
      if (next.what.dueAtMs === next.atMs) return next;
      this.#due.removeFirst();
    }
    return undefined;
  }

  #now(): string {
    return this.options.clock.now().toISOString();
  }

  #record(entry: BookLine): void {
    this.#apply(entry, this.#journal.append(entry));
  }

  /** What a line makes true, the same when it is written and when it is read again. */
  #apply(entry: BookLine, line: number): void {
    const atMs = Date.parse(entry.at);
    switch (entry.event) {
      case 'opened':
        return this.wallets.at(entry.wallet).open(BigInt(entry.amount), atMs);
      case 'topped_up':
        return this.wallets.at(entry.wallet).topUp(BigInt(entry.amount), atMs);
      case 'accepted': {
        const { request, delayed = false } = entry;
        const payout = new Payout(request, this.wallets.at(entry.wallet), atMs, line, delayed);
        this.#byId.set(request.payoutId, payout);
        payout.wallet.reserve(payout.amount, request.payoutId, atMs);
        return this.#schedule(payout, atMs);
      }
      case 'moved': {
        const payout = this.#byId.get(entry.id);
        if (payout === undefined) throw new Error(`journal line ${line} is about an id that was never accepted`);
        payout.lastLine = line;
        applyMoney(payout, entry, atMs);
        payout.state = entry.to;
        payout.failureCode = entry.code ?? '';
        payout.nextStep = entry.by === 'control' ? payout.course.length : payout.nextStep + 1;
        return this.#schedule(payout, atMs);
      }
    }
  }

  #schedule(payout: Payout, fromMs: number): void {
    const after = payout.step?.after;
    payout.dueAtMs = typeof after === 'number' ? fromMs + after : Infinity;
    if (this.#isOpen) this.#queue(payout);
  }

  #queue(payout: Payout): void {
    if (payout.dueAtMs < Infinity) this.#due.add(payout.dueAtMs, payout);
  }
}

function applyMoney(payout: Payout, { to, receipt = '', fee = '0' }: MovedLine, atMs: number): void {
  const { wallet, amount, request, isReserved, standing } = payout;
  if (!isFinal(to)) return;
  payout.isReserved = false;
  if (to === 'COMPLETED') {
    if (isReserved) wallet.payReserved(amount);
    else wallet.payAnew(amount, request.payoutId, atMs);
    payout.payments.push({ receipt, atMs, reversed: false });
    wallet.charge(BigInt(fee), request.payoutId, atMs);
  } else if (isReserved) {
    wallet.returnReserved(amount, request.payoutId, atMs);
  } else if (standing !== undefined) {
    standing.reversed = true;
    wallet.returnPaid(amount, request.payoutId, atMs);
  }
}
