import { Inject, Injectable } from '@nestjs/common';
import { currencyOfPhone, localPhone, encodeMinor } from '@vuka/domain';
import type { PayoutDestination } from '@vuka/payouts';
import { Cipher, WebhookCipher } from '@vuka/runtime';

import type { SealedDestination, TransactionDetails } from '../commit/index.js';
import { RecipientKeys, type StoredRecipientKey } from './recipient-keys.js';

export interface StoredDestination extends Omit<SealedDestination, 'kind' | 'blindIndex' | 'keyId'> {
  readonly kind: PayoutDestination['kind'];
  /** null: erased. */
  readonly key: StoredRecipientKey | null;
}

export interface SealedFor {
  readonly transactionId: number;
  readonly partnerId: number;
  readonly currency: string;
}

/** JSON. Of a bank only the account number is sealed, as plain text. */
interface SealedNumbers {
  /** E.164. */
  readonly phone?: string;
  readonly shortcode?: string;
  readonly account_number?: string;
}

/** Numbers and names are stored only sealed, bound to their transaction. */
@Injectable()
export class DestinationVault {
  constructor(
    @Inject(RecipientKeys) private readonly keys: Pick<RecipientKeys, 'current' | 'open'>,
    private readonly cipher: Cipher,
    private readonly told: WebhookCipher,
  ) {}

  /** With the key of its partner and month. */
  async seal(of: SealedFor, destination: PayoutDestination): Promise<SealedDestination> {
    const { id: keyId, cipher } = await this.keys.current(of.partnerId);
    const bank = destination.kind === 'bank' ? destination : undefined;
    return {
      kind: destination.kind,
      bankCode: bank?.bank_code ?? '',
      bankName: bank?.bank_name ?? '',
      mobileNetwork: destination.kind === 'mobile' ? destination.mobile_network : '',
      keyId,
      sealed: cipher.seal(numbersOf(destination), boundTo(of.transactionId)),
      blindIndex: this.cipher.blindIndex(identityOf(of.currency, destination)),
    };
  }

  /** As the provider told it; notifier opens the same text. */
  sealName(transactionId: number, name: string | null): string | null {
    return name === null ? null : this.told.sealName(transactionId, name);
  }

  openName(transactionId: number, sealed: string | null): string | null {
    return sealed === null ? null : this.told.openName(transactionId, sealed);
  }

  /**
   * Our id at the provider, derived from the payment and its attempt. After a database restore or a repeated
   * request it is the same, so a deduplicating provider does not pay twice. No other payment or deployment has it.
   */
  providerReference(details: TransactionDetails, stored: StoredDestination, attemptNo: number): string {
    const { id, partnerId, transactionCode, operation, amount, fee } = details;
    const { currency } = amount;
    const recipient = identityOf(currency, this.open(id, currency, stored));
    const facts = [
      // A constant of the derivation: another word gives payments that were made already another id.
      'rail reference',
      partnerId,
      transactionCode,
      operation,
      currency,
      encodeMinor(amount),
      encodeMinor(fee, currency),
      recipient,
      attemptNo,
    ];
    return uuidOf(Buffer.from(this.cipher.blindIndex(JSON.stringify(facts)), 'base64url'));
  }

  /** Throws if the text was not sealed for this transaction, or was erased: only what has ended is. */
  open(transactionId: number, currency: string, stored: StoredDestination): PayoutDestination {
    if (stored.key === null) throw new Error(`the recipient of transaction ${String(transactionId)} was erased`);
    const text = this.keys.open(stored.key).open(stored.sealed, boundTo(transactionId));
    if (stored.kind === 'bank') {
      return { kind: 'bank', account_number: text, bank_code: stored.bankCode, bank_name: stored.bankName };
    }
    const { phone = '', shortcode = '', account_number = '' } = JSON.parse(text) as SealedNumbers;
    switch (stored.kind) {
      case 'mobile':
        return { kind: 'mobile', phone, mobile_network: stored.mobileNetwork };
      case 'paybill':
        return { kind: 'paybill', shortcode, account_number };
      case 'till':
        return { kind: 'till', shortcode };
    }
  }
}

/** RFC 9562, version 8. */
function uuidOf(digest: Buffer): string {
  const bytes = Buffer.from(digest.subarray(0, 16));
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
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

/** Equal for the same recipient. A phone number keeps its owner across networks and payment currencies. */
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
