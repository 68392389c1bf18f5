import type { MobileProvider } from '../data/provider-table.js';

export interface WalletId {
  readonly country: string;
  readonly currency: string;
  /** '' for the wallet of all providers of the country, as wallet-balances has it [D]. */
  readonly provider: string;
}

/** Types of a wallet's lines. pawaPay's words are not published [U]; the statement's parser has them as settings. */
export type WalletLineType = 'TOP_UP' | 'PAYOUT' | 'PAYOUT_RETURNED' | 'FEE';

export interface WalletLine {
  readonly atMs: number;
  readonly type: WalletLineType;
  /** Signed, in hundredths. */
  readonly amount: bigint;
  readonly balanceAfter: bigint;
  /** '' where the line is of no payout. */
  readonly payoutId: string;
}

/** Sums in hundredths. At any time opened + toppedUp = balance + reserved + paid + fees. */
export class Wallet {
  readonly lines: WalletLine[] = [];
  opened = 0n;
  toppedUp = 0n;
  balance = 0n;
  /** Principal of payouts under way: gone from the balance and not paid yet. */
  reserved = 0n;
  paid = 0n;
  fees = 0n;

  constructor(readonly id: WalletId) {}

  open(amount: bigint, atMs: number): void {
    this.opened += amount;
    this.#line('TOP_UP', amount, atMs);
  }

  topUp(amount: bigint, atMs: number): void {
    this.toppedUp += amount;
    this.#line('TOP_UP', amount, atMs);
  }

  /** At acceptance [D]. */
  reserve(amount: bigint, payoutId: string, atMs: number): void {
    this.reserved += amount;
    this.#line('PAYOUT', -amount, atMs, payoutId);
  }

  /** What was reserved is paid. */
  payReserved(amount: bigint): void {
    this.reserved -= amount;
    this.paid += amount;
  }

  /** Paid though nothing is reserved any more: late, or again. The balance may fall below nothing. */
  payAnew(amount: bigint, payoutId: string, atMs: number): void {
    this.paid += amount;
    this.#line('PAYOUT', -amount, atMs, payoutId);
  }

  /** At failure the principal comes back at once [D]. */
  returnReserved(amount: bigint, payoutId: string, atMs: number): void {
    this.reserved -= amount;
    this.#line('PAYOUT_RETURNED', amount, atMs, payoutId);
  }

  returnPaid(amount: bigint, payoutId: string, atMs: number): void {
    this.paid -= amount;
    this.#line('PAYOUT_RETURNED', amount, atMs, payoutId);
  }

  /** On completion [D], out of the balance. */
  charge(fee: bigint, payoutId: string, atMs: number): void {
    if (fee === 0n) return;
    this.fees += fee;
    this.#line('FEE', -fee, atMs, payoutId);
  }

  #line(type: WalletLineType, amount: bigint, atMs: number, payoutId = ''): void {
    this.balance += amount;
    this.lines.push({ atMs, type, amount, balanceAfter: this.balance, payoutId });
  }
}

export class Wallets {
  readonly #byKey = new Map<string, Wallet>();

  /** Made if missing. */
  at(id: WalletId): Wallet {
    const key = keyOf(id);
    const known = this.#byKey.get(key);
    if (known !== undefined) return known;
    const wallet = new Wallet(id);
    this.#byKey.set(key, wallet);
    return wallet;
  }

  find(id: WalletId): Wallet | undefined {
    return this.#byKey.get(keyOf(id));
  }

  /** The provider's own wallet where there is one, else the country's. */
  payingFor({ country, provider }: MobileProvider, currency: string): Wallet | undefined {
    return this.find({ country, currency, provider }) ?? this.find({ country, currency, provider: '' });
  }

  all(): Wallet[] {
    return [...this.#byKey.values()];
  }
}

function keyOf({ country, currency, provider }: WalletId): string {
  return `${country}/${currency}/${provider}`;
}
