/** A whole number as Paystack's JSON has amounts. Throws where JSON would round it. */
export function jsonInteger(value: bigint): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw new Error('a number is too large for JSON');
  return number;
}
