import type { LookupDestination } from '@vuka/domain';
import type { Cipher } from '@vuka/runtime';

/** Keyed hashes, so that no account number is kept in memory. */
export interface DestinationKeys {
  /** Same for every question about a recipient; used for limits. */
  readonly recipient: string;
  /** Includes the network, because its providers give different answers. */
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
