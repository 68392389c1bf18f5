import type { Callback, Message } from '../../simulation/callback-queue.js';
import type { SimulatorClock } from '../../simulation/simulator-clock.js';
import type { SigningFault } from '../behaviour/behaviour.js';
import type { CallbackSettings } from '../settings.js';
import type { KeyRing } from './key-ring.js';
import { CONTENT_TYPE, digestOf, signedHeaders } from './signature.js';

export interface Signer {
  readonly settings: () => CallbackSettings;
  readonly keys: KeyRing;
  readonly clock: SimulatorClock;
}

const VALID_SECONDS = 60;

/** A callback as pawaPay signs it, or with the fault that it is to have. */
export function signedMessage(
  { settings, keys, clock }: Signer,
  { url, signing }: Callback<SigningFault>,
  body: string,
  attempt: number,
): Message {
  const { signed, encoding, digest } = settings();
  const plain = { 'content-type': CONTENT_TYPE };
  if (signing === 'unsigned' || !signed) return { headers: plain, body };
  if (signing === 'rotated' && attempt === 1) keys.rotate();
  const headers = {
    ...plain,
    ...signedHeaders({
      url: new URL(url),
      body,
      atMs: clock.nowMs - (signing === 'expired' ? 24 * 60 * 60 * 1_000 : 0),
      key: signing === 'forged' ? keys.forged : keys.current,
      encoding: signing === 'raw' || signing === 'der' ? signing : encoding,
      digest: signing === 'sha256' ? 'sha-256' : digest,
      validSeconds: VALID_SECONDS,
    }),
  };
  if (signing !== 'altered_body' && signing !== 'altered_digest') return { headers, body };
  const altered = alter(body);
  return {
    headers: signing === 'altered_body' ? headers : { ...headers, 'content-digest': digestOf(altered, digest) },
    body: altered,
  };
}

/** The same with another amount. */
function alter(body: string): string {
  const { amount, ...rest } = JSON.parse(body) as Record<string, unknown>;
  return JSON.stringify({ ...rest, amount: `1${String(amount)}` });
}
