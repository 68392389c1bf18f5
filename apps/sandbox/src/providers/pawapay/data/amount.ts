/** pawaPay's own rule [D]: 1 to 23 characters, no sign, no needless zero before the number, digits after a point. */
const AMOUNT = /^(?:0|[1-9]\d*)(?:\.\d+)?$/;
const MAX_LENGTH = 23;

export function isAmount(text: string): boolean {
  return text.length <= MAX_LENGTH && AMOUNT.test(text);
}

/** Digits after the point; none without a point. */
export function decimalsOf(amount: string): number {
  return amount.split('.')[1]?.length ?? 0;
}

/** Whole hundredths of an amount with two decimals at most: `12.5` is 1250. The book counts every currency in hundredths. */
export function hundredths(amount: string): bigint {
  const [whole = '0', fraction = ''] = amount.split('.');
  return BigInt(whole + fraction.padEnd(2, '0'));
}

/** The inverse, always with two decimals, also below nothing. */
export function fromHundredths(value: bigint): string {
  const digits = (value < 0n ? -value : value).toString().padStart(3, '0');
  return `${value < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
