import { join } from 'node:path';

import { DueQueue } from '../../book/due-queue.js';
import { Journal } from '../../book/journal.js';
import { receiptOf } from '../../book/receipt.js';
import { hundredths } from '../data/amount.js';
import type { SimulatorClock } from '../../simulation/simulator-clock.js';
import { isFinal, isUnpaid, type UnpaidStatus } from '../behaviour/behaviour.js';
import { behaviourOf } from '../behaviour/numbers.js';
import type { ChapaSettings } from '../settings.js';
import { Account } from './account.js';
import type { BookLine, MovedLine, Terms, TransferRequest } from './book-line.js';
import { Transfer } from './transfer.js';

export type AcceptAnswer =
  | { readonly kind: 'accepted'; readonly transfer: Transfer }
  | { readonly kind: 'used_before'; readonly transfer: Transfer }
  | { readonly kind: 'out_of_funds' }
  | { readonly kind: 'busy' };

export interface ChapaBookOptions {
  readonly folder: string;
  readonly clock: SimulatorClock;
  /** As it is now: whether it asks may be set while it runs. */
  readonly settings: () => ChapaSettings;
  /** Told of each status that is reached, and when it was; not of what the journal has. */
  readonly onMoved: (transfer: Transfer, atMs: number) => void;
  readonly onFailure: (error: Error) => void;
}

type Moved = Pick<MovedLine, 'to' | 'by'>;

/**
 * Every transfer that Chapa has taken and what became of it: in memory for answering, in the journal for ever. One reference may
 * stand for several. Whoever tells of a transfer outside must first await `safe` for its journal line.
 */
export class ChapaBook {
  readonly account = new Account();
  readonly #byId = new Map<string, Transfer>();
  readonly #byReference = new Map<string, Transfer[]>();
  /** One that has moved on since it was added is passed over. */
  readonly #due = new DueQueue<Transfer>();
  #isOpen = false;
  #journal!: Journal;

  private constructor(private readonly options: ChapaBookOptions) {}

  static async open(options: ChapaBookOptions): Promise<ChapaBook> {
    const book = new ChapaBook(options);
    const { journal } = await Journal.open(
      join(options.folder, 'chapa.jsonl'),
      (entry, line) => book.#apply(entry as BookLine, line),
      options.onFailure,
    );
    book.#journal = journal;
    book.#isOpen = true;
    for (const transfer of book.#byId.values()) book.#queue(transfer);
    if (journal.lines === 0)
      book.#record({ event: 'opened', amount: hundredths(options.settings().opening).toString(), at: book.#now() });
    return book;
  }

  /** Oldest first; [] where the reference is unknown. */
  under(reference: string): readonly Transfer[] {
    this.settleDue();
    return this.#byReference.get(reference) ?? [];
  }

  /** Oldest first. */
  all(): Transfer[] {
    this.settleDue();
    return [...this.#byId.values()];
  }

  accept(request: TransferRequest): AcceptAnswer {
    const [known] = this.under(request.reference);
    const { repeats, chargeHundredths, approval } = this.options.settings();
    const behaviour = behaviourOf(request.accountNumber);
    if (known !== undefined && (behaviour.repeats ?? repeats) === 'refused')
      return { kind: 'used_before', transfer: known };
    if (!this.#journal.hasRoom) return { kind: 'busy' };
    if (this.account.available < hundredths(request.amount) + chargeHundredths) return { kind: 'out_of_funds' };
    this.#record({
      event: 'accepted',
      at: this.#now(),
      request,
      charge: chargeHundredths.toString(),
      waits: approval.url !== null && behaviour.approvals?.paysAnyway !== true,
    });
    return { kind: 'accepted', transfer: this.#byReference.get(request.reference)?.at(-1) as Transfer };
  }

  /** What is approved is paid, whatever was asked for. False where it no longer waits. */
  approve(transfer: Transfer, terms: Terms): boolean {
    if (!transfer.waitsForApproval || transfer.isFinal || !this.#journal.hasRoom) return false;
    this.#record({ event: 'approved', id: transfer.id, at: this.#now(), terms });
    return true;
  }

  /** Never paid then [D: reverted]. False where it no longer waits. */
  refuse(transfer: Transfer): boolean {
    if (!transfer.waitsForApproval || transfer.isFinal || !this.#journal.hasRoom) return false;
    this.#move(transfer, { to: 'reverted', by: 'approval' }, this.options.clock.nowMs);
    return true;
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

  /** Takes all steps that wait for time alone, now. What waits for an approval stays. */
  settleNow(transfer: Transfer): void {
    while (transfer.step !== undefined && transfer.step.after !== 'released')
      this.#takeStep(transfer, this.options.clock.nowMs);
  }

  /** Takes the step that waits to be released; false where none does. */
  release(transfer: Transfer): boolean {
    if (transfer.step?.after !== 'released') return false;
    this.#takeStep(transfer, this.options.clock.nowMs);
    return true;
  }

  /** Pays now, whatever became of it: late, or again. */
  payNow(transfer: Transfer): void {
    this.#move(transfer, { to: 'success', by: 'control' }, this.options.clock.nowMs);
  }

  /** Ends it unpaid now; what was paid comes back. False where there is nothing to take back. */
  failNow(transfer: Transfer, to: UnpaidStatus): boolean {
    if (isUnpaid(transfer.status)) return false;
    this.#move(transfer, { to, by: 'control' }, this.options.clock.nowMs);
    return true;
  }

  /** Below nothing: takes money out. */
  topUp(amount: bigint): void {
    this.settleDue();
    this.#record({ event: 'topped_up', amount: amount.toString(), at: this.#now() });
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

  #takeStep(transfer: Transfer, atMs: number): void {
    const step = transfer.step;
    if (step !== undefined) this.#move(transfer, { to: step.to }, atMs);
  }

  #move(transfer: Transfer, moved: Moved, atMs: number): void {
    // The number of its own line, so that no receipt is given twice.
    const paid = moved.to === 'success' && { receipt: receiptOf(this.#journal.lines + 1, 'CH') };
    this.#record({ event: 'moved', id: transfer.id, at: new Date(atMs).toISOString(), ...moved, ...paid });
    this.options.onMoved(transfer, atMs);
  }

  #nextDue(): { readonly atMs: number; readonly what: Transfer } | undefined {
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
    switch (entry.event) {
      case 'opened':
        return this.account.open(BigInt(entry.amount));
      case 'topped_up':
        return this.account.topUp(BigInt(entry.amount));
      case 'accepted':
        return this.#applyAccepted(entry, line);
      case 'approved': {
        const transfer = this.#known(entry.id, line);
        transfer.waitsForApproval = false;
        transfer.terms = entry.terms;
        transfer.lastLine = line;
        return this.#schedule(transfer, Date.parse(entry.at));
      }
      case 'moved': {
        const transfer = this.#known(entry.id, line);
        const atMs = Date.parse(entry.at);
        applyMoney(this.account, transfer, entry, atMs);
        transfer.status = entry.to;
        transfer.lastLine = line;
        transfer.updatedAtMs = atMs;
        transfer.nextStep = entry.by === undefined ? transfer.nextStep + 1 : transfer.behaviour.course.length;
        return this.#schedule(transfer, atMs);
      }
    }
  }

  #applyAccepted(entry: BookLine & { readonly event: 'accepted' }, line: number): void {
    const { request, charge, waits, at } = entry;
    const acceptedAtMs = Date.parse(at);
    const transfer = new Transfer({ request, charge: BigInt(charge), waits, acceptedAtMs, line });
    this.#byId.set(transfer.id, transfer);
    const others = this.#byReference.get(request.reference);
    if (others === undefined) this.#byReference.set(request.reference, [transfer]);
    else others.push(transfer);
    this.account.reserve(transfer.amount + transfer.charge);
    this.#schedule(transfer, acceptedAtMs);
  }

  #known(id: string, line: number): Transfer {
    const transfer = this.#byId.get(id);
    if (transfer === undefined) throw new Error(`journal line ${line} is about an id that was never accepted`);
    return transfer;
  }

  #schedule(transfer: Transfer, fromMs: number): void {
    const after = transfer.step?.after;
    transfer.dueAtMs = typeof after === 'number' ? fromMs + after : Infinity;
    if (this.#isOpen) this.#queue(transfer);
  }

  #queue(transfer: Transfer): void {
    if (transfer.dueAtMs < Infinity) this.#due.add(transfer.dueAtMs, transfer);
  }
}

function applyMoney(account: Account, transfer: Transfer, { to, receipt = '' }: MovedLine, atMs: number): void {
  const { amount, charge, terms, standing } = transfer;
  if (!isFinal(to)) return;
  if (transfer.isReserved) account.release(amount + charge);
  transfer.isReserved = false;
  if (to === 'success') {
    account.pay(hundredths(terms.amount), charge);
    const { amount: paid, accountNumber, bankCode } = terms;
    transfer.payments.push({ receipt, atMs, amount: paid, accountNumber, bankCode, reversed: false });
  } else if (standing !== undefined) {
    standing.reversed = true;
    account.takeBack(hundredths(standing.amount), charge);
  }
}
