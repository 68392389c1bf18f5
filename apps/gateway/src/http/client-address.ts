import { type AddressRanges, plainAddress } from '@vuka/config';

export const MOST_PROXIES = 16;
/** Some proxies add the port. */
const WITH_PORT = /^(?:\[([^[\]]+)\](?::\d{1,5})?|(\d[\d.]*):\d{1,5})$/;

/**
 * The socket's peer. If that is a trusted proxy: the right-most untrusted address of X-Forwarded-For, because each
 * proxy appends its peer and the caller controls the rest. An invalid address stops at the last trusted proxy.
 * undefined: the sender is gone.
 */
export function clientAddress(
  peer: string | undefined,
  forwardedFor: string | string[] | undefined,
  trusted: AddressRanges | null,
): string | undefined {
  if (peer === undefined || trusted === null) return peer;
  // A link-local peer has our interface's name.
  let last = plainAddress(peer.split('%', 1)[0] ?? '') ?? peer;
  const header = Array.isArray(forwardedFor) ? forwardedFor.join(',') : (forwardedFor ?? '');
  let end = header.length;
  for (let proxies = 0; proxies < MOST_PROXIES && trusted.has(last) && end > 0; proxies += 1) {
    const start = header.lastIndexOf(',', end - 1) + 1;
    const address = addressIn(header.slice(start, end));
    if (address === null) break;
    last = address;
    end = start - 1;
  }
  return last;
}

function addressIn(part: string): string | null {
  const text = part.trim();
  const [, bracketed, dotted] = WITH_PORT.exec(text) ?? [];
  return plainAddress(bracketed ?? dotted ?? text);
}
