import { currencyOfPhone, findCurrency, localPhone } from '@vuka/domain';
import type { PayoutDestination } from '@vuka/payouts';
import type { Cipher } from '@vuka/platform';

import type { SealedDestination } from './store/move.js';

/** A destination as it is read back: without its index. */
export interface StoredDestination extends Omit<SealedDestination, 'kind' | 'blindIndex'> {
  readonly kind: PayoutDestination['kind'];
}

/** What is sealed of a destination that is no bank. Of a bank it is the account number alone, as it is. */
interface SealedNumbers {
  /** Of a mobile wallet, in E.164. */
  readonly phone?: string;
  /** Of a till or paybill; in rows of the first builds also a phone, in local form. */
  readonly shortcode?: string;
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
      blindIndex: this.cipher.blindIndex(identityOf(currency, destination)),
    };
  }

  /** The whole destination of a transaction in `currency` again. Throws when the text was not sealed for this transaction. */
  open(transactionId: number, currency: string, stored: StoredDestination): PayoutDestination {
    const text = this.cipher.open(stored.sealed, boundTo(transactionId));
    if (stored.kind === 'bank') {
      return { kind: 'bank', account_number: text, bank_code: stored.bankCode, bank_name: stored.bankName };
    }
    const { phone, shortcode = '', account_number = '' } = JSON.parse(text) as SealedNumbers;
    switch (stored.kind) {
      case 'mobile':
        return { kind: 'mobile', phone: phone ?? phoneOf(shortcode, currency), mobile_network: stored.mobileNetwork };
      case 'paybill':
        return { kind: 'paybill', shortcode, account_number };
      case 'till':
        return { kind: 'till', shortcode };
    }
  }
}

function numbersOf(destination: PayoutDestination): string {
  if (destination.kind === 'bank') return destination.account_number;
  const { kind } = destination;
  const numbers: SealedNumbers = {
    ...(kind === 'mobile' ? { phone: destination.phone } : { shortcode: destination.shortcode }),
    ...(kind === 'paybill' && { account_number: destination.account_number }),
  };
  return JSON.stringify(numbers);
}

/**
 * Of a phone in local form, in E.164. Nothing is judged: it was when it was accepted, by the number plan of that day, and must
 * be readable whatever the plan says today.
 */
function phoneOf(local: string, currencyCode: string): string {
  const currency = findCurrency(currencyCode);
  if (currency === undefined || !local.startsWith('0')) throw new Error(`a sealed phone is none of ${currencyCode}`);
  return `+${currency.phone_code}${local.slice(1)}`;
}

/**
 * What makes two destinations the same recipient, in whatever currency it is paid. A phone number keeps its owner when it
 * changes its network.
 */
function identityOf(currency: string, destination: PayoutDestination): string {
  switch (destination.kind) {
    case 'bank':
      return `${currency}:bank:${destination.bank_code}:${destination.account_number}`;
    case 'paybill':
      return `${currency}:paybill:${destination.shortcode}:${destination.account_number}`;
    case 'mobile':
      return `${currencyOfPhone(destination.phone).code}:mobile:${localPhone(destination.phone)}`;
    case 'till':
      return `${currency}:till:${destination.shortcode}`;
  }
}

function boundTo(transactionId: number): string {
  return `destinations:${transactionId}:sealed`;
}
