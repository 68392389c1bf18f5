import { join } from 'node:path';

import { DueQueue } from '../../book/due-queue.js';
import { Journal } from '../../book/journal.js';
import type { SimulatorClock } from '../../simulation/simulator-clock.js';
import { isUnpaid, type Step, type TransferStatus } from '../behaviour/behaviour.js';
import { CURRENCIES } from '../data/channel-table.js';
import { feeOf, type PaystackSettings } from '../settings.js';
import { Balances } from './balances.js';
import type { BookLine, MovedLine, RecipientRequest, TransferRequest } from './book-line.js';
import { Recipient, Recipients } from './recipients.js';
import { type Accepted, Transfer } from './transfer.js';

export type AcceptAnswer =
  | { readonly kind: 'accepted' | 'duplicate'; readonly transfer: Transfer }
  | { readonly kind: 'no_balance' }
  | { readonly kind: 'busy' };

export interface Starts {
  readonly status: TransferStatus;
  readonly awaitsApproval: boolean;
}

export interface PaystackBookOptions {
  readonly folder: string;
  readonly clock: SimulatorClock;
  readonly settings: PaystackSettings;
  /** Told of each status that is reached, and when it was; not of what the journal has. */
  readonly onMoved: (transfer: Transfer, atMs: number) => void;
  readonly onFailure: (error: Error) => void;
}

type Moved = Pick<MovedLine, 'to' | 'failure' | 'by'>;

/**
 * Everything Paystack has accepted and what became of it: in memory for answering, in the journal for ever.
 * Whoever tells of it outside must first await `safe` for its journal line.
 */
export class PaystackBook {
  readonly balances = new Balances();
  readonly recipients = new Recipients();
  readonly #byReference = new Map<string, Transfer>();
  /** By id and by code. */
  readonly #byName = new Map<string, Transfer>();
  /** One that has moved on since it was added is passed over. */
  readonly #due = new DueQueue<Transfer>();
  #isOpen = false;
  #journal!: Journal;

  private constructor(private readonly options: PaystackBookOptions) {}

  static async open(options: PaystackBookOptions): Promise<PaystackBook> {
    const book = new PaystackBook(options);
    const { journal } = await Journal.open(
      join(options.folder, 'paystack.jsonl'),
      (entry, line) => book.#apply(entry as BookLine, line),
      options.onFailure,
    );
    book.#journal = journal;
    book.#isOpen = true;
    for (const transfer of book.#byReference.values()) book.#queue(transfer);
    const amount = options.settings.openingMinor.toString();
    for (const currency of CURRENCIES)
      if (book.balances.find(currency) === undefined)
        book.#record({ event: 'opened', currency, amount, at: book.#now() });
    return book;
  }

  find(reference: string): Transfer | undefined {
    this.settleDue();
    return this.#byReference.get(reference);
  }

  /** By id or TRF_… code. */
  findNamed(name: string): Transfer | undefined {
    this.settleDue();
    return this.#byName.get(name);
  }

  all(): Transfer[] {
    this.settleDue();
    return [...this.#byReference.values()];
  }

  get hasRoom(): boolean {
    return this.#journal.hasRoom;
  }

  /** The recipient of this account, made if there is none. */
  recipientFor(request: RecipientRequest): { readonly recipient: Recipient; readonly isNew: boolean } {
    const known = this.recipients.ofAccount(request);
    if (known !== undefined) return { recipient: known, isNew: false };
    this.#record({ event: 'recipient', at: this.#now(), request });
    return { recipient: this.recipients.ofAccount(request) as Recipient, isNew: true };
  }

  /** False where there is none. */
  deleteRecipient(code: string): boolean {
    if (this.recipients.find(code)?.isDeleted !== false) return false;
    this.#record({ event: 'recipient_deleted', at: this.#now(), code });
    return true;
  }

  accept(request: TransferRequest, starts: Starts): AcceptAnswer {
    const known = this.find(request.reference);
    if (known !== undefined) return { kind: 'duplicate', transfer: known };
    if (!this.#journal.hasRoom) return { kind: 'busy' };
    const fee = feeOf(this.options.settings, request.currency);
    const balance = this.balances.find(request.currency);
    if (balance === undefined || balance.balance < BigInt(request.amount) + fee) return { kind: 'no_balance' };
    this.#record({
      event: 'accepted',
      at: this.#now(),
      request,
      fee: fee.toString(),
      starts: starts.status,
      ...(starts.awaitsApproval && { awaitsApproval: true as const }),
    });
    return { kind: 'accepted', transfer: this.#byReference.get(request.reference) as Transfer };
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

  /** The OTP has come; false where none was waited for. */
  finalize(transfer: Transfer): boolean {
    if (transfer.status !== 'otp') return false;
    this.#move(transfer, { to: 'pending', by: 'otp' }, this.options.clock.nowMs);
    return true;
  }

  /** What the merchant's server said; false where it was not asked for. */
  decide(transfer: Transfer, to: 'pending' | 'rejected' | 'blocked'): boolean {
    if (!transfer.awaitsApproval) return false;
    this.#move(transfer, { to, by: 'approval' }, this.options.clock.nowMs);
    return true;
  }

  /** Goes there now, whatever became of it: paid late or again, failed or reversed. False where nothing would change. */
  force(transfer: Transfer, to: 'success' | 'failed' | 'reversed'): boolean {
    if (to !== 'success' && transfer.status === to) return false;
    this.#move(transfer, { to, by: 'control' }, this.options.clock.nowMs);
    return true;
  }

  /** Minor units; below nothing: takes money out. */
  topUp(currency: string, amount: bigint): void {
    this.settleDue();
    this.#record({ event: 'topped_up', currency, amount: amount.toString(), at: this.#now() });
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
    const { to, failure } = transfer.step as Step;
    const by = transfer.status === 'otp' && { by: 'otp_expired' as const };
    this.#move(transfer, { to, ...(failure !== undefined && { failure }), ...by }, atMs);
  }

  #move(transfer: Transfer, moved: Moved, atMs: number): void {
    this.#record({ event: 'moved', reference: transfer.reference, at: new Date(atMs).toISOString(), ...moved });
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
    const atMs = Date.parse(entry.at);
    switch (entry.event) {
      case 'opened':
        return this.balances.at(entry.currency).open(BigInt(entry.amount));
      case 'topped_up':
        return this.balances.at(entry.currency).topUp(BigInt(entry.amount));
      case 'recipient':
        return this.recipients.add(new Recipient(entry.request, line, atMs));
      case 'recipient_deleted':
        this.#recipient(entry.code, line).isDeleted = true;
        return undefined;
      case 'accepted': {
        const { request, starts, awaitsApproval = false } = entry;
        const balance = this.balances.at(request.currency);
        const recipient = this.#recipient(request.recipient, line);
        return this.#add({ request, starts, awaitsApproval, balance, recipient, fee: BigInt(entry.fee), atMs, line });
      }
      case 'moved': {
        const transfer = this.#byReference.get(entry.reference);
        if (transfer === undefined)
          throw new Error(`journal line ${line} is about a reference that was never accepted`);
        transfer.lastLine = line;
        applyMove(transfer, entry, atMs);
        return this.#schedule(transfer, atMs);
      }
    }
  }

  #recipient(code: string, line: number): Recipient {
    const recipient = this.recipients.find(code);
    if (recipient === undefined) throw new Error(`journal line ${line} is about a recipient that was never made`);
    return recipient;
  }

  #add(accepted: Accepted): void {
    const transfer = new Transfer(accepted);
    this.#byReference.set(transfer.reference, transfer);
    for (const name of [transfer.code, String(transfer.id)]) this.#byName.set(name, transfer);
    accepted.balance.reserve(transfer.amount, accepted.fee);
    this.#schedule(transfer, accepted.atMs);
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

function applyMove(transfer: Transfer, { to, by, failure = '' }: MovedLine, atMs: number): void {
  applyMoney(transfer, to, atMs);
  transfer.status = to;
  transfer.failure = failure;
  transfer.updatedAtMs = atMs;
  transfer.awaitsApproval = false;
  if (by === undefined) transfer.nextStep += 1;
  else if (to !== 'pending') transfer.dropCourse();
}

function applyMoney(transfer: Transfer, to: TransferStatus, atMs: number): void {
  const { amount, isReserved, standing } = transfer;
  const { balance, fee, recipient } = transfer.accepted;
  if (to === 'success') {
    transfer.isReserved = false;
    if (isReserved) balance.payReserved(amount, fee);
    else balance.payAnew(amount, fee);
    transfer.paidAtMs = atMs;
    // The number of its own line, so that no session is given twice.
    if (recipient.channel.session !== null) transfer.sessionId = sessionIdOf(transfer.lastLine, atMs);
    transfer.payments.push({ receipt: transfer.sessionId ?? transfer.code, atMs, reversed: false });
  } else if (isUnpaid(to)) {
    transfer.isReserved = false;
    if (isReserved) balance.returnReserved(amount, fee);
    else if (standing !== undefined) {
      standing.reversed = true;
      balance.returnPaid(amount);
    }
  }
}

/** Thirty digits: an institution, the time, a number [K]. */
export function sessionIdOf(line: number, atMs: number): string {
  const time = new Date(atMs).toISOString().replace(/\D/g, '').slice(2, 14);
  return `110006${time}${String(line).padStart(12, '0')}`;
}
