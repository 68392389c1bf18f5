import type { PayoutDestination } from '@vuka/payouts';
import type { Cipher } from '@vuka/platform';

import type { SealedDestination } from './store/move.js';

/** A destination as it is read back: without its index. */
export interface StoredDestination extends Omit<SealedDestination, 'kind' | 'blindIndex'> {
  readonly kind: PayoutDestination['kind'];
}

/** What is sealed of a destination that is no bank. Of a bank it is the account number alone, as it is. */
interface SealedNumbers {
  readonly shortcode: string;
  readonly account_number?: string;
}

/** Account and phone numbers lie in the database only sealed, bound to their transaction. */
export class DestinationVault {
  constructor(private readonly cipher: Cipher) {}

  seal(transactionId: number, currency: string, destination: PayoutDestination): SealedDestination {
    const bank = destination.kind === 'bank' ? destination : undefined;
    return {
      kind: destination.kind,
      bankCode: bank?.bank_code ?? '',
      bankName: bank?.bank_name ?? '',
      mobileNetwork: destination.kind === 'mobile' ? destination.mobile_network : '',
      sealed: this.cipher.seal(numbersOf(destination), boundTo(transactionId)),
      blindIndex: this.cipher.blindIndex(`${currency}:${destination.kind}:${identityOf(destination)}`),
    };
  }

  /** The whole destination again. Throws when the text was not sealed for this transaction. */
  open(transactionId: number, stored: StoredDestination): PayoutDestination {
    const text = this.cipher.open(stored.sealed, boundTo(transactionId));
    if (stored.kind === 'bank') {
      return { kind: 'bank', account_number: text, bank_code: stored.bankCode, bank_name: stored.bankName };
    }
    const { shortcode, account_number = '' } = JSON.parse(text) as SealedNumbers;
    switch (stored.kind) {
      case 'mobile':
        return { kind: 'mobile', shortcode, mobile_network: stored.mobileNetwork };
      case 'paybill':
        return { kind: 'paybill', shortcode, account_number };
      case 'till':
        return { kind: 'till', shortcode };
    }
  }
}

function numbersOf(destination: PayoutDestination): string {
  if (destination.kind === 'bank') return destination.account_number;
  const numbers: SealedNumbers = {
    shortcode: destination.shortcode,
    ...(destination.kind === 'paybill' && { account_number: destination.account_number }),
  };
  return JSON.stringify(numbers);
}

/** What makes two destinations of a kind the same recipient. A phone number keeps its owner when it changes its network. */
function identityOf(destination: PayoutDestination): string {
  switch (destination.kind) {
    case 'bank':
      return `${destination.bank_code}:${destination.account_number}`;
    case 'paybill':
      return `${destination.shortcode}:${destination.account_number}`;
    case 'mobile':
    case 'till':
      return destination.shortcode;
  }
}

function boundTo(transactionId: number): string {
  return `destinations:${transactionId}:sealed`;
}
