import { fromHundredths } from '../http/payout-request.js';

/** Decimal strings. */
export interface CurrencyTotals {
  readonly currency: string;
  /** Includes money that came back later. */
  readonly paid_out: string;
  readonly came_back: string;
  /** Accepted, neither sent nor failed. */
  readonly in_process: string;
}

/** In hundredths. */
export class CurrencySums {
  readonly #sums = new Map<string, { paid: bigint; back: bigint; inProcess: bigint }>();

  accepted(currency: string, amount: bigint): void {
    this.#of(currency).inProcess += amount;
  }

  ended(currency: string, amount: bigint): void {
    this.#of(currency).inProcess -= amount;
  }

  paid(currency: string, amount: bigint): void {
    this.#of(currency).paid += amount;
  }

  cameBack(currency: string, amount: bigint): void {
    this.#of(currency).back += amount;
  }

  totals(): CurrencyTotals[] {
    return [...this.#sums]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([currency, { paid, back, inProcess }]) => ({
        currency,
        paid_out: fromHundredths(paid),
        came_back: fromHundredths(back),
        in_process: fromHundredths(inProcess),
      }));
  }

  #of(currency: string): { paid: bigint; back: bigint; inProcess: bigint } {
    let sums = this.#sums.get(currency);
    if (sums === undefined) this.#sums.set(currency, (sums = { paid: 0n, back: 0n, inProcess: 0n }));
    return sums;
  }
}
