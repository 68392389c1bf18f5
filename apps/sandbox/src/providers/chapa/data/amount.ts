/** Two decimals at most, no sign, no needless zero before the number. */
export function isAmount(text: string): boolean {
  return /^(?:0|[1-9]\d{0,14})(?:\.\d{1,2})?$/.test(text);
}

/** Whole hundredths: `12.5` is 1250. */
export function hundredths(amount: string): bigint {
  const [whole = '0', fraction = ''] = amount.split('.');
  return BigInt(whole + fraction.padEnd(2, '0'));
}

/** The inverse, always with two decimals, also below nothing. */
export function fromHundredths(value: bigint): string {
  const digits = (value < 0n ? -value : value).toString().padStart(3, '0');
  return `${value < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
