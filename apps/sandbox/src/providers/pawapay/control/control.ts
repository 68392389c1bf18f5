import type { Delivery } from '../../simulation/callback-queue.js';
import type { SigningFault } from '../behaviour/behaviour.js';
import { NUMBERS } from '../behaviour/numbers.js';
import type { Payment } from '../book/payout.js';
import type { WalletId } from '../book/wallets.js';
import { findProvider } from '../data/provider-table.js';
import { fromHundredths } from '../data/amount.js';
import type { Context, ProviderStatus } from '../http/context.js';
import { bookView } from '../http/payout-view.js';

/** Decimal strings. opened + toppedUp = balance + reserved + paid + fees. */
export interface WalletSums extends WalletId {
  readonly opened: string;
  readonly toppedUp: string;
  readonly balance: string;
  readonly reserved: string;
  readonly paid: string;
  readonly fees: string;
}

/** What a test may see and do; pawaPay has no such thing. */
export class Control {
  constructor(private readonly context: Context) {}

  book(): { readonly payouts: readonly object[]; readonly wallets: readonly WalletSums[] } {
    const payouts = this.context.book.all().map((payout) => ({
      ...bookView(payout),
      submits: this.submits(payout.request.payoutId),
    }));
    return { payouts, wallets: this.wallets() };
  }

  wallets(): WalletSums[] {
    return this.context.book.wallets.all().map((wallet) => ({
      ...wallet.id,
      opened: fromHundredths(wallet.opened),
      toppedUp: fromHundredths(wallet.toppedUp),
      balance: fromHundredths(wallet.balance),
      reserved: fromHundredths(wallet.reserved),
      paid: fromHundredths(wallet.paid),
      fees: fromHundredths(wallet.fees),
    }));
  }

  /** Money that went out under this id; more than one that stands is a payment made twice. */
  payments(payoutId: string): readonly Payment[] {
    return this.context.book.find(payoutId)?.payments ?? [];
  }

  /** Calls that paid or tried to, with this id, since the start. */
  submits(payoutId: string): number {
    return this.context.submits.get(payoutId) ?? 0;
  }

  deliveries(): readonly Delivery<SigningFault>[] {
    return this.context.callbacks.deliveries;
  }

  numbers(): Record<string, string> {
    return Object.fromEntries(Object.entries(NUMBERS).map(([number, { sentence }]) => [number, sentence]));
  }

  /** Moves the clock, does what is due by then, and waits until callbacks have been answered. */
  async moveClock(ms: number): Promise<void> {
    this.context.clock.advance(ms);
    await this.context.settle();
  }

  /** Every payout goes on as far as it goes by itself, without the clock. */
  async settleAll(): Promise<void> {
    for (const payout of this.context.book.all()) this.context.book.settleNow(payout);
    await this.context.settle();
  }

  /** false where there was nothing to do. */
  steer(payoutId: string, action: Action): Promise<boolean> {
    const { book } = this.context;
    return this.#done(() => {
      const payout = book.find(payoutId);
      if (payout === undefined) return false;
      if (action === 'release') return book.release(payout);
      if (action === 'fail') return book.failNow(payout, 'UNSPECIFIED_FAILURE');
      if (action === 'pay') book.payNow(payout);
      else book.settleNow(payout);
      return true;
    });
  }

  /** Below nothing takes money out; false where there is no such wallet. */
  topUp(wallet: WalletId, hundredths: bigint): Promise<boolean> {
    return this.#done(() => {
      if (this.context.book.wallets.find(wallet) === undefined) return false;
      this.context.book.topUp(wallet, hundredths);
      return true;
    });
  }

  /** Back in operation, what is ENQUEUED at the provider goes on. */
  setProviderStatus(provider: string, status: ProviderStatus): Promise<boolean> {
    return this.#done(() => {
      if (findProvider(provider) === undefined) return false;
      this.context.providerStatus.set(provider, status);
      if (status !== 'OPERATIONAL') return true;
      for (const payout of this.context.book.all())
        if (payout.request.provider === provider && payout.state === 'ENQUEUED') this.context.book.release(payout);
      return true;
    });
  }

  async rotateKeys(): Promise<void> {
    this.context.keys.rotate();
    await this.context.keys.saved();
  }

  setCallbackUrl(url: string | null): void {
    const { settings } = this.context;
    this.context.settings = { ...settings, callbacks: { ...settings.callbacks, url } };
  }

  async #done(act: () => boolean): Promise<boolean> {
    const isDone = act();
    await this.context.settle();
    return isDone;
  }
}

export const ACTIONS = ['release', 'pay', 'fail', 'settle'] as const;
export type Action = (typeof ACTIONS)[number];
