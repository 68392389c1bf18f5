import { fromHundredths } from '../data/amount.js';
import type { Delivery } from '../../simulation/callback-queue.js';
import type { QuestionSigning, SigningFault } from '../behaviour/behaviour.js';
import { NUMBERS } from '../behaviour/numbers.js';
import type { Payment } from '../book/transfer.js';
import type { Context } from '../http/context.js';
import { bookView } from '../http/transfer-view.js';

/** Decimal strings. opened + toppedUp = available + reserved + paid + charges. */
export interface AccountSums {
  readonly opened: string;
  readonly toppedUp: string;
  readonly available: string;
  readonly reserved: string;
  readonly paid: string;
  readonly charges: string;
}

export const ACTIONS = ['release', 'pay', 'fail', 'cancel', 'settle'] as const;
export type Action = (typeof ACTIONS)[number];

/** What a test may see and do; Chapa has no such thing. */
export class Control {
  constructor(private readonly context: Context) {}

  book(): { readonly transfers: readonly object[]; readonly account: AccountSums } {
    return { transfers: this.context.book.all().map(bookView), account: this.account() };
  }

  account(): AccountSums {
    const { opened, toppedUp, available, reserved, paid, charges } = this.context.book.account;
    return {
      opened: fromHundredths(opened),
      toppedUp: fromHundredths(toppedUp),
      available: fromHundredths(available),
      reserved: fromHundredths(reserved),
      paid: fromHundredths(paid),
      charges: fromHundredths(charges),
    };
  }

  /** Money that went out under this reference; more than one that stands is a payment made twice. */
  payments(reference: string): readonly Payment[] {
    return this.context.book.under(reference).flatMap(({ payments }) => payments);
  }

  /** Calls that paid or tried to, with this reference, since the start. */
  submits(reference: string): number {
    return this.context.submits.get(reference) ?? 0;
  }

  webhooks(): readonly Delivery<SigningFault>[] {
    return this.context.webhooks.deliveries;
  }

  /** Questions whether to pay, and what was answered. */
  questions(): readonly Delivery<QuestionSigning>[] {
    return this.context.questions.deliveries;
  }

  numbers(): Record<string, string> {
    return Object.fromEntries(Object.entries(NUMBERS).map(([number, { sentence }]) => [number, sentence]));
  }

  /** Moves the clock, does what is due by then, and waits until questions and webhooks have been answered. */
  async moveClock(ms: number): Promise<void> {
    this.context.clock.advance(ms);
    await this.context.settle();
  }

  /** Every transfer goes on as far as it goes by itself, without the clock. */
  async settleAll(): Promise<void> {
    await this.context.settle();
    for (const transfer of this.context.book.all()) this.context.book.settleNow(transfer);
    await this.context.settle();
  }

  /** The newest transfer under the reference; false where there was nothing to do. */
  async steer(reference: string, action: Action): Promise<boolean> {
    const { book } = this.context;
    const transfer = book.under(reference).at(-1);
    if (transfer === undefined) return false;
    let isDone = true;
    if (action === 'release') isDone = book.release(transfer);
    else if (action === 'pay') book.payNow(transfer);
    else if (action === 'settle') book.settleNow(transfer);
    else isDone = book.failNow(transfer, action === 'fail' ? 'failed' : 'cancelled');
    await this.context.settle();
    return isDone;
  }

  /** Below nothing takes money out. */
  async topUp(hundredths: bigint): Promise<void> {
    this.context.book.topUp(hundredths);
    await this.context.settle();
  }

  setWebhookUrl(url: string | null): void {
    const { settings } = this.context;
    this.context.settings = { ...settings, webhooks: { ...settings.webhooks, url } };
  }

  /** null: transfers from now on are not asked about. */
  setApprovalUrl(url: string | null): void {
    const { settings } = this.context;
    this.context.settings = { ...settings, approval: { ...settings.approval, url } };
  }
}
