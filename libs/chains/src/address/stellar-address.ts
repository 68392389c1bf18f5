import { fail, ok, type Result } from '@vuka/domain';

/** Muxed address (M…): SEP-23. */
export interface StellarParts {
  readonly account: string;
  /** null for G…. */
  readonly id: bigint | null;
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const FORM = /^(G[A-Z2-7]{55}|M[A-Z2-7]{68})$/;
/** StrKey version bytes. */
const ACCOUNT_VERSION = 6 << 3;
const MUXED_VERSION = 12 << 3;
const SEED_VERSION = 18 << 3;
const KEY_BYTES = 32;
const ID_BYTES = 8;
const MOST_IDS = 2n ** 64n;

/** G… or M…. The error is the broken rule. */
export function readStellarAddress(text: string): Result<StellarParts, string> {
  const bytes = FORM.test(text) ? bytesOf(text) : undefined;
  const isKnown = bytes?.[0] === (text.startsWith('M') ? MUXED_VERSION : ACCOUNT_VERSION);
  if (bytes === undefined || !isKnown || textOf(bytes.subarray(0, -2)) !== text)
    return fail('must be a Stellar address, G and 55 letters and digits or M and 68, without a typing error');
  const key = bytes.subarray(1, 1 + KEY_BYTES);
  const account = accountAddress(key);
  return ok({ account, id: bytes[0] === MUXED_VERSION ? bytes.readBigUInt64BE(1 + KEY_BYTES) : null });
}

/** G…, from a 32-byte ed25519 public key. */
export function accountAddress(key: Uint8Array): string {
  if (key.length !== KEY_BYTES) throw new RangeError('an ed25519 public key has 32 bytes');
  return textOf(Buffer.concat([Buffer.of(ACCOUNT_VERSION), key]));
}

/** S…, a secret, from a 32-byte private key. */
export function secretSeed(seed: Uint8Array): string {
  if (seed.length !== KEY_BYTES) throw new RangeError('an ed25519 private key has 32 bytes');
  return textOf(Buffer.concat([Buffer.of(SEED_VERSION), seed]));
}

/** M…; `id` from 0 to 2^64 - 1. */
export function muxedAddress(account: string, id: bigint): string {
  const read = readStellarAddress(account);
  if (!read.ok || read.value.id !== null) throw new RangeError('a muxed address is made of an account, G…');
  if (id < 0n || id >= MOST_IDS) throw new RangeError('the id of a muxed address is a whole number of 64 bits');
  const number = Buffer.alloc(ID_BYTES);
  number.writeBigUInt64BE(id);
  return textOf(Buffer.concat([Buffer.of(MUXED_VERSION), bytesOf(account).subarray(1, 1 + KEY_BYTES), number]));
}

/** StrKey (SEP-23): base32 of payload and CRC, no padding. */
function textOf(payload: Uint8Array): string {
  const bytes = Buffer.concat([payload, checksumOf(payload)]);
  let text = '';
  let bits = 0;
  let held = 0;
  for (const byte of bytes) {
    held = (held << 8) | byte;
    for (bits += 8; bits >= 5; bits -= 5) text += ALPHABET[(held >> (bits - 5)) & 31] ?? '';
    held &= (1 << bits) - 1;
  }
  return bits === 0 ? text : text + (ALPHABET[(held << (5 - bits)) & 31] ?? '');
}

/** Drops spare bits; callers encode again and compare. */
function bytesOf(text: string): Buffer {
  const bytes: number[] = [];
  let bits = 0;
  let held = 0;
  for (const letter of text) {
    held = ((held << 5) | ALPHABET.indexOf(letter)) & 0xfff;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((held >> bits) & 0xff);
  }
  return Buffer.from(bytes);
}

/** CRC16-XModem, little-endian. */
function checksumOf(payload: Uint8Array): Buffer {
  let crc = 0;
  for (const byte of payload) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1) crc = ((crc << 1) ^ ((crc & 0x8000) === 0 ? 0 : 0x1021)) & 0xffff;
  }
  return Buffer.of(crc & 0xff, crc >> 8);
}
