import { Injectable } from '@nestjs/common';
import { Cipher, WebhookCipher } from '@vuka/runtime';

export interface DeliveryName {
  /** Or an order's or refund's number: one series. */
  readonly transactionId: number | string;
  readonly sequence: number;
}

/** Bodies are stored sealed by notifier; URLs as gateway sealed them. Both are opened to be sent, and for the partner. */
@Injectable()
export class DeliveryVault {
  constructor(
    private readonly cipher: Cipher,
    private readonly told: WebhookCipher,
  ) {}

  sealBody(of: DeliveryName, body: string): string {
    return this.cipher.seal(body, bodyOf(of));
  }

  /** Byte for byte as it was sealed. Throws if it was sealed for another delivery. */
  openBody(of: DeliveryName, sealed: string): string {
    return this.cipher.open(sealed, bodyOf(of));
  }

  openUrl(partnerId: number, stored: string): string {
    return this.told.openUrl(partnerId, stored);
  }

  /** A recipient's name, as payments sealed it into its event. */
  openName(transactionId: number, sealed: string): string {
    return this.told.openName(transactionId, sealed);
  }
}

export function bodyOf({ transactionId, sequence }: DeliveryName): string {
  return `deliveries:${String(transactionId)}:${String(sequence)}:body`;
}
