import { createHash } from 'node:crypto';

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const KEY_BYTES = 32;

export const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
const ACCOUNTS_PROGRAM = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL';

export function fromBase58(text: string): Buffer {
  let value = 0n;
  for (const letter of text) value = value * 58n + BigInt(ALPHABET.indexOf(letter));
  return Buffer.from(value.toString(16).padStart(2 * KEY_BYTES, '0'), 'hex');
}

export function toBase58(bytes: Uint8Array): string {
  let value = BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
  let text = '';
  for (; value > 0n; value /= 58n) text = `${ALPHABET[Number(value % 58n)] ?? ''}${text}`;
  const zeros = bytes.findIndex((byte) => byte !== 0);
  return '1'.repeat(zeros === -1 ? bytes.length : zeros) + text;
}

/** The owner's associated token account for a mint of the first token program (a program derived address). */
export function tokenAccountOf(owner: string, mint: string): string {
  const seeds = [owner, TOKEN_PROGRAM, mint].map(fromBase58);
  for (let bump = 255; bump >= 0; bump -= 1) {
    const hash = createHash('sha256')
      .update(
        Buffer.concat([
          ...seeds,
          Buffer.from([bump]),
          fromBase58(ACCOUNTS_PROGRAM),
          Buffer.from('ProgramDerivedAddress'),
        ]),
      )
      .digest();
    if (!isOnCurve(hash)) return toBase58(hash);
  }
  throw new Error(`no account follows from ${owner}`);
}

const P = 2n ** 255n - 19n;
const D = mod(-121665n * power(121666n, P - 2n));

function isOnCurve(bytes: Uint8Array): boolean {
  const y = BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`) & (2n ** 255n - 1n);
  const square = mod(y * y);
  const x2 = mod((square - 1n) * power(mod(D * square + 1n), P - 2n));
  return x2 === 0n || power(x2, (P - 1n) / 2n) === 1n;
}

function mod(value: bigint): bigint {
  return ((value % P) + P) % P;
}

function power(base: bigint, exponent: bigint): bigint {
  let [result, factor] = [1n, mod(base)];
  for (let left = exponent; left > 0n; left >>= 1n) {
    if (left & 1n) result = mod(result * factor);
    factor = mod(factor * factor);
  }
  return result;
}
