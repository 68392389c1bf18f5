const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const SYMBOLS = 10;
const MODULUS = 1n << BigInt(5 * SYMBOLS);
/** Odd, so that multiplication modulo a power of two is one-to-one. */
const MULTIPLIER = 0x1_9e37_79b9_7f4bn;

/** Prefix and ten base 32 symbols, unique per n (from 1). */
export function receiptOf(n: number, prefix: string): string {
  let mixed = (BigInt(n) * MULTIPLIER) % MODULUS;
  let text = '';
  for (let i = 0; i < SYMBOLS; i += 1) {
    text = ALPHABET.charAt(Number(mixed % 32n)) + text;
    mixed /= 32n;
  }
  return `${prefix}${text}`;
}
