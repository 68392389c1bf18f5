import { randomBytes } from 'node:crypto';

import type { Cipher, Clock } from '@vuka/platform';

import { SECRET_PREFIX } from './sign-webhook.js';
import type { WebhookSecretStore } from './store/webhook-secret.store.js';

const SECRET_BYTES = 32;

/**
 * A partner's webhook secret: made on the first call, the same one ever after, however many ask at once. It leaves the
 * service only as the answer of this use case and is sealed at rest (decisions.md section 6).
 */
export class EnsureWebhookSecret {
  public constructor(
    private readonly secrets: WebhookSecretStore,
    private readonly cipher: Cipher,
    private readonly clock: Clock,
  ) {}

  /** Answers `whsec_` + base64 of 32 bytes. */
  public async run(partnerId: number): Promise<string> {
    const present = await this.secrets.find(partnerId);
    if (present !== null) return this.open(partnerId, present);
    const fresh = SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64');
    await this.secrets.insertUnlessPresent(partnerId, this.cipher.seal(fresh, sealedFor(partnerId)), this.clock.now());
    const stored = await this.secrets.find(partnerId);
    if (stored === null) throw new Error(`The webhook secret of partner ${partnerId} is gone right after it was stored`);
    return this.open(partnerId, stored);
  }

  /** Opens a stored secret without asking the database again. */
  public open(partnerId: number, sealedSecret: string): string {
    return this.cipher.open(sealedSecret, sealedFor(partnerId));
  }
}

/** Ties a sealed secret to its row: one moved to another partner's row does not open. */
function sealedFor(partnerId: number): string {
  return `notifier.webhook_secrets.sealed_secret:${partnerId}`;
}
