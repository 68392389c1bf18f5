/** Sums in hundredths. At any time opened + toppedUp = available + reserved + paid + charges. */
export class Account {
  opened = 0n;
  toppedUp = 0n;
  available = 0n;
  /** Principal and charge of transfers under way: gone from what is available and not paid yet. */
  reserved = 0n;
  paid = 0n;
  charges = 0n;

  open(amount: bigint): void {
    this.opened += amount;
    this.available += amount;
  }

  topUp(amount: bigint): void {
    this.toppedUp += amount;
    this.available += amount;
  }

  /** When it is taken. Whether Chapa takes it then or later is unconfirmed [U]. */
  reserve(sum: bigint): void {
    this.available -= sum;
    this.reserved += sum;
  }

  release(sum: bigint): void {
    this.reserved -= sum;
    this.available += sum;
  }

  /** What is available may fall below nothing: paid late, or more than was asked for. */
  pay(amount: bigint, charge: bigint): void {
    this.available -= amount + charge;
    this.paid += amount;
    this.charges += charge;
  }

  takeBack(amount: bigint, charge: bigint): void {
    this.pay(-amount, -charge);
  }
}
