import type { BankDestination } from '@vuka/contracts';
import type { Cipher } from '@vuka/platform';

import type { SealedDestination } from './store/move.js';

/** Account numbers lie in the database only sealed, bound to their transaction. */
export class DestinationVault {
  constructor(private readonly cipher: Cipher) {}

  seal(transactionId: number, currency: string, destination: BankDestination): SealedDestination {
    return {
      kind: destination.kind,
      bankCode: destination.bank_code,
      bankName: destination.bank_name,
      sealed: this.cipher.seal(destination.account_number, boundTo(transactionId)),
      blindIndex: this.cipher.blindIndex(`${currency}:${destination.kind}:${destination.bank_code}:${destination.account_number}`),
    };
  }

  /** Throws when the text was not sealed for this transaction. */
  accountNumber(transactionId: number, sealed: string): string {
    return this.cipher.open(sealed, boundTo(transactionId));
  }
}

function boundTo(transactionId: number): string {
  return `destinations:${transactionId}:sealed`;
}
