import { createHmac } from 'node:crypto';

/** The headers of Standard Webhooks 1.0 (reference: field.md section 2.4). */
export interface WebhookSignature {
  /** `<transaction id>_<sequence>`, the same on every retry: receivers deduplicate on it. */
  readonly 'webhook-id': string;
  /** Unix seconds of this attempt, not of the event: receivers refuse what is older than their tolerance. */
  readonly 'webhook-timestamp': string;
  /** `v1,<base64 of HMAC-SHA256>`, and another behind a space during a rotation: one of them is of the secret that the receiver has. */
  readonly 'webhook-signature': string;
}

export const SECRET_PREFIX = 'whsec_';

/**
 * Signs the exact bytes that will be sent, with each of the secrets that are live. A secret is `whsec_` + base64; the key is what the base64 stands
 * for. Throws where one has another shape: that is our own data gone wrong, never a partner's fault.
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
