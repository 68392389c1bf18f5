import { Inject, Injectable } from '@nestjs/common';
import { fail, ok, type Result } from '@vuka/domain';
import { recordAuditEntry, type AuditEntry, type Transaction } from '@vuka/persistence';
import { Cipher, type Clock } from '@vuka/runtime';
import { CLOCK } from '@vuka/service-host';

import { freshSecret, sealedFor } from './ensure-webhook-secret.js';
import { type StoredSecrets, WebhookSecretStore } from './webhook-secret.store.js';

const HOUR_MS = 3_600_000;

export interface Rotation extends Pick<AuditEntry, 'by' | 'reason'> {
  readonly partnerId: number;
  /** Both secrets sign for this time; 0: the old one ends now. */
  readonly overlapHours: number;
  /** If two are live, ends the older one now. */
  readonly force: boolean;
}

export interface RotatedSecret {
  /** Shown only here. */
  readonly secret: string;
  /** null: the old one no longer signs. */
  readonly previousUntil: Date | null;
}

@Injectable()
export class RotateWebhookSecret {
  constructor(
    private readonly secrets: WebhookSecretStore,
    private readonly cipher: Cipher,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Creates a missing secret. Errors: request_in_progress (two are live, and neither may end now). */
  public run(rotation: Rotation): Promise<Result<RotatedSecret>> {
    const { partnerId, overlapHours, force, by, reason } = rotation;
    return this.secrets.inTransaction(async (tx): Promise<Result<RotatedSecret>> => {
      const now = this.clock.now();
      const secret = freshSecret();
      const previous = await this.store(tx, rotation, secret, now);
      if (!previous.ok) return previous;
      const details = { overlap_hours: overlapHours, forced: force, previous_until: previous.value };
      await recordAuditEntry(tx, {
        by,
        reason,
        act: 'webhook_secret.rotated',
        partnerId,
        subject: `webhook secret of partner ${partnerId}`,
        details,
        at: now,
      });
      return ok({ secret, previousUntil: previous.value });
    });
  }

  /** Returns when the old secret ends. */
  private async store(
    tx: Transaction,
    { partnerId, overlapHours, force }: Rotation,
    secret: string,
    now: Date,
  ): Promise<Result<Date | null>> {
    const sealed = this.cipher.seal(secret, sealedFor(partnerId));
    if (await this.secrets.insertFirst(partnerId, sealed, now, tx)) return ok(null);
    const stored = await this.secrets.lock(tx, partnerId);
    if (stored === undefined) throw new Error(`The webhook secret of partner ${partnerId} is gone`);
    if (isLive(stored.previous, now) && overlapHours > 0 && !force) return stillTwo(stored.previous.until);
    const until = overlapHours === 0 ? null : new Date(now.getTime() + overlapHours * HOUR_MS);
    await this.secrets.put(tx, {
      partnerId,
      sealed,
      previous: until === null ? null : { sealed: stored.sealed, until },
    });
    return ok(until);
  }
}

function isLive(previous: StoredSecrets['previous'], now: Date): previous is NonNullable<StoredSecrets['previous']> {
  return previous !== null && previous.until > now;
}

function stillTwo(until: Date): Result<never> {
  const message = `Two secrets are valid until ${until.toISOString()}. A third one would end the first at once. Wait until then, give an overlap of 0, or use --force`;
  return fail({ code: 'request_in_progress', message });
}
