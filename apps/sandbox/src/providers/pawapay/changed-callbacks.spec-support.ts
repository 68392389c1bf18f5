import type { ProviderCallback } from '@vuka/payouts';

type Change = (callback: ProviderCallback, at: number, bit: number) => ProviderCallback;

/** One bit of one byte. */
function flipped(bytes: Uint8Array, at: number, bit: number): Buffer {
  const copy = Buffer.from(bytes);
  const index = at % copy.length;
  copy[index] = (copy[index] ?? 0) ^ (1 << bit);
  return copy;
}

const COVERED = ['signature-date', 'content-digest', 'content-type', 'signature-input'];
const headerChange =
  (name: string, write: (text: string, at: number, bit: number) => string | undefined): Change =>
  (callback, at, bit) => ({
    ...callback,
    headers: { ...callback.headers, [name]: write(String(callback.headers[name]), at, bit) },
  });

/** Each takes something from what is signed, or from the signature. */
export const CHANGES: readonly Change[] = [
  (callback, at, bit) => ({ ...callback, body: flipped(callback.body, at, bit) }),
  (callback) => ({ ...callback, method: 'PUT' }),
  (callback) => ({ ...callback, host: 'other.example.com' }),
  (callback, at) => ({ ...callback, path: `${callback.path}${at}` }),
  ...[...COVERED, 'signature'].map((name) => headerChange(name, () => undefined)),
  ...COVERED.map((name) => headerChange(name, swapped)),
  // By its bytes: a last digit of base64 may stand for nothing.
  headerChange('signature', (text, at, bit) => {
    const bytes = Buffer.from(text.replace(/^sig-pp=:|:$/g, ''), 'base64');
    return `sig-pp=:${flipped(bytes, at, bit).toString('base64')}:`;
  }),
];

/** One letter or digit for the next one. */
function swapped(text: string, at: number): string {
  const places = [...text.matchAll(/[0-9A-Ya-y]/g)].map(({ index }) => index);
  const place = places[at % places.length] ?? 0;
  return text.slice(0, place) + String.fromCharCode(text.charCodeAt(place) + 1) + text.slice(place + 1);
}
