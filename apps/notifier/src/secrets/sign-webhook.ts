import { createHmac } from 'node:crypto';

/** Headers of Standard Webhooks 1.0 (field.md section 2.4). */
export interface WebhookSignature {
  /** `<transaction id>_<sequence>`. The same on every retry: receivers deduplicate by it. */
  readonly 'webhook-id': string;
  /** Unix seconds of this attempt, not of the event: receivers refuse old ones. */
  readonly 'webhook-timestamp': string;
  /** `v1,<base64 of HMAC-SHA256>`; two, separated by a space, during a rotation. */
  readonly 'webhook-signature': string;
}

export const SECRET_PREFIX = 'whsec_';

/**
 * Signs the exact bytes sent, with each live secret. The key is the decoded base64 after `whsec_`. Throws on another
 * format: our data is corrupt.
 */
export function signWebhook(
  secrets: readonly string[],
  webhookId: string,
  attemptedAt: Date,
  body: string,
): WebhookSignature {
  const timestamp = String(Math.floor(attemptedAt.getTime() / 1000));
  const signed = `${webhookId}.${timestamp}.${body}`;
  const signatures = secrets.map((secret) => signatureOf(secret, signed));
  return { 'webhook-id': webhookId, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}

function signatureOf(secret: string, signed: string): string {
  if (!secret.startsWith(SECRET_PREFIX)) throw new Error('a webhook secret must start with whsec_');
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
  return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
}
