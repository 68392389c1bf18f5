import type { LookupDestination } from '@vuka/domain';
import type { Cipher } from '@vuka/runtime';

/** What stands for a destination in memory: keyed hashes, never its number. */
export interface DestinationKeys {
  /** The same for whatever is asked of one recipient: limits count by it. */
  readonly recipient: string;
  /** The same for equal questions alone: the network named is part of it, for the providers of each know their own. */
  readonly question: string;
}

export function destinationKeys(
  cipher: Pick<Cipher, 'blindIndex'>,
  currency: string,
  destination: LookupDestination,
): DestinationKeys {
  const recipient = [currency, destination.kind, ...numbersOf(destination)];
  const network = destination.kind === 'mobile' ? destination.mobile_network : '';
  return {
    recipient: cipher.blindIndex(JSON.stringify(['recipient', ...recipient])),
    question: cipher.blindIndex(JSON.stringify(['question', ...recipient, network])),
  };
}

function numbersOf(destination: LookupDestination): readonly string[] {
  switch (destination.kind) {
    case 'bank':
      return [destination.bank_code, destination.account_number];
    case 'mobile':
      return [destination.phone];
    case 'paybill':
    case 'till':
      return [destination.shortcode];
  }
}
