import { type AddressRanges, plainAddress } from '@vuka/config';

/** So many trusted proxies are looked past at most. */
export const MOST_PROXIES = 16;
/** With the port that it came from, as some proxies write it. */
const WITH_PORT = /^(?:\[([^[\]]+)\](?::\d{1,5})?|(\d[\d.]*):\d{1,5})$/;

/**
 * The address that a request came from. That is the socket's peer, unless a proxy of ours is it: then the right-most address of X-Forwarded-For that is
 * none of them, since each writes behind what came to it whom it was called by, and everything left of that is the caller's own text. What is no address
 * ends the look at the last proxy of ours. undefined: the sender is gone.
 */
export function clientAddress(
  peer: string | undefined,
  forwardedFor: string | string[] | undefined,
  trusted: AddressRanges | null,
): string | undefined {
  if (peer === undefined || trusted === null) return peer;
  // A link-local peer comes with the name of our interface.
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
