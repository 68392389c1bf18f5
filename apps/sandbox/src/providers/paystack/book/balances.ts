/** One currency's money, in minor units. At any time opened + toppedUp = balance + reserved + paid + fees. */
export class Balance {
  opened = 0n;
  toppedUp = 0n;
  balance = 0n;
  /** Amounts and fees of transfers under way: gone from the balance and not paid yet. */
  reserved = 0n;
  paid = 0n;
  fees = 0n;

  constructor(readonly currency: string) {}

  open(amount: bigint): void {
    this.opened += amount;
    this.balance += amount;
  }

  topUp(amount: bigint): void {
    this.toppedUp += amount;
    this.balance += amount;
  }

  /** At acceptance, the fee included: their check of the balance counts both [D]. */
  reserve(amount: bigint, fee: bigint): void {
    this.balance -= amount + fee;
    this.reserved += amount + fee;
  }

  payReserved(amount: bigint, fee: bigint): void {
    this.reserved -= amount + fee;
    this.paid += amount;
    this.fees += fee;
  }

  /** Paid though nothing is reserved any more: late, or again. The balance may fall below nothing. */
  payAnew(amount: bigint, fee: bigint): void {
    this.balance -= amount + fee;
    this.paid += amount;
    this.fees += fee;
  }

  returnReserved(amount: bigint, fee: bigint): void {
    this.reserved -= amount + fee;
    this.balance += amount + fee;
  }

  /** The amount is returned [D]; whether the fee is too is not published, so that it stays [U]. */
  returnPaid(amount: bigint): void {
    this.paid -= amount;
    this.balance += amount;
  }
}

export class Balances {
  readonly #byCurrency = new Map<string, Balance>();

  /** Made if missing. */
  at(currency: string): Balance {
    let balance = this.#byCurrency.get(currency);
    if (balance === undefined) this.#byCurrency.set(currency, (balance = new Balance(currency)));
    return balance;
  }

  find(currency: string): Balance | undefined {
    return this.#byCurrency.get(currency);
  }

  all(): Balance[] {
    return [...this.#byCurrency.values()];
  }
}
