import { randomBytes } from 'node:crypto';

import { describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';

import { signWebhook } from './sign-webhook.js';

const secret = `whsec_${randomBytes(32).toString('base64')}`;
const body = '{"status":"COMPLETE","transaction_code":"naïve-1","message":"Paid"}';
/** The public package checks against the real time. */
const now = new Date();

describe('signWebhook', () => {
  it('is accepted by the public Standard Webhooks package', () => {
    const headers = signWebhook([secret], '42_1', now, body);
    expect(new Webhook(secret).verify(body, { ...headers })).toEqual(JSON.parse(body));
  });

  it('matches a signature made by hand', () => {
    // From the specification's example: id.timestamp.body, key = decoded base64.
    expect(
      signWebhook(
        ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
        'msg_p5jXN8AQM9LWM0D4loKWxJek',
        new Date(1614265330_000),
        '{"test": 2432232314}',
      ),
    ).toEqual({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });

  it.each([
    ['another body', (h: Record<string, string>) => [h, body.replace('Paid', 'paid')] as const],
    ['another id', (h: Record<string, string>) => [{ ...h, 'webhook-id': '42_2' }, body] as const],
    [
      'another time',
      (h: Record<string, string>) =>
        [{ ...h, 'webhook-timestamp': String(Number(h['webhook-timestamp']) - 1) }, body] as const,
    ],
  ])('does not cover %s', (_, change) => {
    const [headers, changed] = change({ ...signWebhook([secret], '42_1', now, body) });
    expect(() => new Webhook(secret).verify(changed, headers)).toThrow();
  });

  it('refuses a secret of another shape', () => {
    expect(() => signWebhook(['sk_abc'], '42_1', now, body)).toThrow('whsec_');
  });
});
