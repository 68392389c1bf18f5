import { createHmac } from 'node:crypto';

/** The headers of Standard Webhooks 1.0 (reference: field.md section 2.4). */
export interface WebhookSignature {
  /** `<transaction id>_<sequence>`, the same on every retry: receivers deduplicate on it. */
  readonly 'webhook-id': string;
  /** Unix seconds of this attempt, not of the event: receivers refuse what is older than their tolerance. */
  readonly 'webhook-timestamp': string;
  /** `v1,<base64 of HMAC-SHA256>`. */
  readonly 'webhook-signature': string;
}

export const SECRET_PREFIX = 'whsec_';

/**
 * Signs the exact bytes that will be sent. `secret` is `whsec_` + base64; the key is what the base64 stands for.
 * Throws where the secret has another shape: that is our own data gone wrong, never a partner's fault.
 */
export function signWebhook(secret: string, webhookId: string, attemptedAt: Date, body: string): WebhookSignature {
  if (!secret.startsWith(SECRET_PREFIX)) throw new Error('a webhook secret must start with whsec_');
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
  const timestamp = String(Math.floor(attemptedAt.getTime() / 1000));
  const mac = createHmac('sha256', key).update(`${webhookId}.${timestamp}.${body}`).digest('base64');
  return { 'webhook-id': webhookId, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${mac}` };
}
