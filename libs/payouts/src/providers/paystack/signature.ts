import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

import type { ProviderCallback } from '../../payout-provider.js';

const HEADER = 'x-paystack-signature';
const HEX = /^[0-9a-f]{128}$/i;

/** '' where it is signed, else why not. [D] hex HMAC-SHA512 of the body's bytes, with the secret key. */
export function faultOfSignature({ headers, body }: ProviderCallback, credential: string): string {
  // Payments hands on each header as a list.
  const shown = Object.entries(headers).flatMap(([name, value]) =>
    name.toLowerCase() === HEADER ? (value ?? []) : [],
  );
  const [only] = shown;
  if (shown.length !== 1 || only === undefined) return `not one ${HEADER}`;
  if (!HEX.test(only)) return `${HEADER} is not 128 hexadecimal digits`;
  const expected = createHmac('sha512', credential).update(body).digest('hex');
  return isSame(only.toLowerCase(), expected) ? '' : `${HEADER} is not of this body and our key`;
}

/** Its time tells nothing of how much is right. */
function isSame(one: string, other: string): boolean {
  return timingSafeEqual(createHash('sha256').update(one).digest(), createHash('sha256').update(other).digest());
}
