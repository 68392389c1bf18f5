import { randomBytes } from 'node:crypto';

import { Inject, Injectable } from '@nestjs/common';
import { Cipher, type Clock } from '@vuka/runtime';
import { CLOCK } from '@vuka/service-host';

import { DeliveryVault } from './delivery-vault.js';
import { SECRET_PREFIX } from './sign-webhook.js';
import { WebhookSecretStore } from './webhook-secret.store.js';

const SECRET_BYTES = 32;

export interface SealedDelivery {
  readonly partnerId: number;
  readonly transactionId: string;
  readonly sequence: number;
  readonly callbackUrl: string;
  readonly body: string;
  /** null: no secret made yet. */
  readonly sealedSecret: string | null;
  /** Before a rotation, while both sign. */
  readonly sealedPrevious: string | null;
}

export interface OpenedDelivery {
  readonly secrets: readonly string[];
  readonly url: string;
  readonly body: string;
}

/**
 * Created at the first call, even if parallel; the same until rotated. It leaves the service only here or by
 * rotation, and is sealed at rest (decisions.md section 6).
 */
@Injectable()
export class EnsureWebhookSecret {
  constructor(
    private readonly secrets: WebhookSecretStore,
    private readonly cipher: Cipher,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly vault: DeliveryVault,
  ) {}

  /** Returns `whsec_` + base64 of 32 bytes. */
  public async run(partnerId: number): Promise<string> {
    const present = await this.secrets.find(partnerId);
    if (present !== null) return this.open(partnerId, present);
    await this.secrets.insertFirst(partnerId, this.cipher.seal(freshSecret(), sealedFor(partnerId)), this.clock.now());
    const stored = await this.secrets.find(partnerId);
    if (stored === null)
      throw new Error(`The webhook secret of partner ${partnerId} is gone right after it was stored`);
    return this.open(partnerId, stored);
  }

  /** Secrets: current first; two during a rotation. */
  public async forSending(delivery: SealedDelivery): Promise<OpenedDelivery> {
    const { partnerId, sealedSecret, sealedPrevious } = delivery;
    const current = sealedSecret === null ? await this.run(partnerId) : this.open(partnerId, sealedSecret);
    return {
      secrets: sealedPrevious === null ? [current] : [current, this.open(partnerId, sealedPrevious)],
      url: this.vault.openUrl(partnerId, delivery.callbackUrl),
      body: this.vault.openBody(delivery, delivery.body),
    };
  }

  private open(partnerId: number, sealedSecret: string): string {
    return this.cipher.open(sealedSecret, sealedFor(partnerId));
  }
}

export function freshSecret(): string {
  return SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

/** Binds a sealed secret to its partner: in another partner's row it does not open. */
export function sealedFor(partnerId: number): string {
  return `notifier.webhook_secrets.sealed_secret:${partnerId}`;
}
