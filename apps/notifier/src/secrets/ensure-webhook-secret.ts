import { randomBytes } from 'node:crypto';

import { Inject, Injectable } from '@nestjs/common';
import { Cipher, type Clock } from '@vuka/runtime';
import { CLOCK } from '@vuka/service-host';

import { SECRET_PREFIX } from './sign-webhook.js';
import { WebhookSecretStore } from './webhook-secret.store.js';

const SECRET_BYTES = 32;

/** What a claim knows of its partner's secrets. */
export interface SealedSecrets {
  readonly partnerId: number;
  /** Null for a partner whose secret nobody has asked for yet. */
  readonly sealedSecret: string | null;
  /** The one before a rotation, while its time lasts. */
  readonly sealedPrevious: string | null;
}

/**
 * A partner's webhook secret: made on the first call, the same one until it is rotated, however many ask at once. It leaves the
 * service only as the answer of this use case, or of its rotation, and is sealed at rest (decisions.md section 6).
 */
@Injectable()
export class EnsureWebhookSecret {
  constructor(
    private readonly secrets: WebhookSecretStore,
    private readonly cipher: Cipher,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Answers `whsec_` + base64 of 32 bytes. */
  public async run(partnerId: number): Promise<string> {
    const present = await this.secrets.find(partnerId);
    if (present !== null) return this.open(partnerId, present);
    await this.secrets.insertFirst(partnerId, this.cipher.seal(freshSecret(), sealedFor(partnerId)), this.clock.now());
    const stored = await this.secrets.find(partnerId);
    if (stored === null)
      throw new Error(`The webhook secret of partner ${partnerId} is gone right after it was stored`);
    return this.open(partnerId, stored);
  }

  /** Those to sign with, the current one first: two during a rotation. */
  public async forSigning({ partnerId, sealedSecret, sealedPrevious }: SealedSecrets): Promise<readonly string[]> {
    const current = sealedSecret === null ? await this.run(partnerId) : this.open(partnerId, sealedSecret);
    return sealedPrevious === null ? [current] : [current, this.open(partnerId, sealedPrevious)];
  }

  private open(partnerId: number, sealedSecret: string): string {
    return this.cipher.open(sealedSecret, sealedFor(partnerId));
  }
}

export function freshSecret(): string {
  return SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

/** Ties a sealed secret to its partner, whichever column it is in: one moved to another partner's row does not open. */
export function sealedFor(partnerId: number): string {
  return `notifier.webhook_secrets.sealed_secret:${partnerId}`;
}
