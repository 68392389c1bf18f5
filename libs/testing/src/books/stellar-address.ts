const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const KEY_BYTES = 32;
const ACCOUNT = 6 << 3;

/** The account and the id in an M… address (SEP-23). */
export function takeMuxedApart(address: string): { readonly account: string; readonly id: string } {
  const bytes = fromBase32(address);
  const key = bytes.subarray(1, 1 + KEY_BYTES);
  return { account: accountOf(key), id: String(bytes.readBigUInt64BE(1 + KEY_BYTES)) };
}

function accountOf(key: Uint8Array): string {
  const body = Buffer.from([ACCOUNT, ...key]);
  const checksum = Buffer.alloc(2);
  checksum.writeUInt16LE(crc16(body));
  return toBase32(Buffer.concat([body, checksum]));
}

function fromBase32(text: string): Buffer {
  const bits = [...text].map((letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, '0')).join('');
  return Buffer.from(
    Array.from({ length: Math.floor(bits.length / 8) }, (_, index) =>
      parseInt(bits.slice(8 * index, 8 * index + 8), 2),
    ),
  );
}

function toBase32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{1,5}/g) ?? []).map((five) => ALPHABET[parseInt(five.padEnd(5, '0'), 2)]).join('');
}

function crc16(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1) crc = ((crc << 1) ^ (crc & 0x8000 ? 0x1021 : 0)) & 0xffff;
  }
  return crc;
}
