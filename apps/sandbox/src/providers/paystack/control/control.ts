import type { Delivery } from '../../simulation/callback-queue.js';
import type { SigningFault } from '../behaviour/behaviour.js';
import { NUMBERS } from '../behaviour/numbers.js';
import type { Payment } from '../book/transfer.js';
import type { Context } from '../http/context.js';
import { bookView } from '../http/views.js';

/** Minor units as decimal strings. opened + toppedUp = balance + reserved + paid + fees. */
export interface BalanceSums {
  readonly currency: string;
  readonly opened: string;
  readonly toppedUp: string;
  readonly balance: string;
  readonly reserved: string;
  readonly paid: string;
  readonly fees: string;
}

/** What a test may see and do; Paystack has no such thing. */
export class Control {
  constructor(private readonly context: Context) {}

  book(): { readonly transfers: readonly object[]; readonly balances: readonly BalanceSums[] } {
    const transfers = this.context.book.all().map((transfer) => ({
      ...bookView(transfer),
      submits: this.submits(transfer.reference),
    }));
    return { transfers, balances: this.balances() };
  }

  balances(): BalanceSums[] {
    return this.context.book.balances.all().map(({ currency, opened, toppedUp, balance, reserved, paid, fees }) => ({
      currency,
      opened: opened.toString(),
      toppedUp: toppedUp.toString(),
      balance: balance.toString(),
      reserved: reserved.toString(),
      paid: paid.toString(),
      fees: fees.toString(),
    }));
  }

  /** Money that went out under this reference; more than one that stands is a payment made twice. */
  payments(reference: string): readonly Payment[] {
    return this.context.book.find(reference)?.payments ?? [];
  }

  /** Calls that paid or tried to, with this reference, since the start. */
  submits(reference: string): number {
    return this.context.submits.get(reference) ?? 0;
  }

  deliveries(): readonly Delivery<SigningFault>[] {
    return this.context.webhooks.deliveries;
  }

  numbers(): Record<string, string> {
    return Object.fromEntries(Object.entries(NUMBERS).map(([number, { sentence }]) => [number, sentence]));
  }

  /** Moves the clock, does what is due by then, and waits until approvals and webhooks have been answered. */
  async moveClock(ms: number): Promise<void> {
    this.context.clock.advance(ms);
    await this.context.settle();
  }

  /** Every transfer goes on as far as it goes by itself, without the clock. */
  async settleAll(): Promise<void> {
    await this.context.approvals.decided();
    for (const transfer of this.context.book.all()) this.context.book.settleNow(transfer);
    await this.context.settle();
  }

  /** False where there was nothing to do. */
  steer(reference: string, action: Action): Promise<boolean> {
    const { book } = this.context;
    return this.#done(() => {
      const transfer = book.find(reference);
      if (transfer === undefined) return false;
      if (action === 'release') return book.release(transfer);
      if (action === 'pay') return book.force(transfer, 'success');
      if (action === 'fail') return book.force(transfer, 'failed');
      if (action === 'reverse') return book.force(transfer, 'reversed');
      book.settleNow(transfer);
      return true;
    });
  }

  /** Below nothing takes money out; false where there is no such balance. */
  topUp(currency: string, minor: bigint): Promise<boolean> {
    return this.#done(() => {
      if (this.context.book.balances.find(currency) === undefined) return false;
      this.context.book.topUp(currency, minor);
      return true;
    });
  }

  /** Somebody deleted it at the dashboard; false where it is not there. */
  deleteRecipient(code: string): Promise<boolean> {
    return this.#done(() => this.context.book.deleteRecipient(code));
  }

  setWebhookUrl(url: string | null): void {
    const { settings } = this.context;
    this.context.settings = { ...settings, webhooks: { ...settings.webhooks, url } };
  }

  setApprovalUrl(url: string | null): void {
    const { settings } = this.context;
    this.context.settings = { ...settings, approval: { ...settings.approval, url } };
  }

  async #done(act: () => boolean): Promise<boolean> {
    const isDone = act();
    await this.context.settle();
    return isDone;
  }
}

export const ACTIONS = ['release', 'pay', 'fail', 'reverse', 'settle'] as const;
export type Action = (typeof ACTIONS)[number];
