import { generateKeyPairSync } from 'node:crypto';

import { RISK_NAMES } from '@vuka/config';
import type { ServiceName } from '@vuka/contracts';

import { EVENT_KEYS } from './event-keys.spec-support.js';

/** Self-signed; its key was thrown away. */
export const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBdDCCARmgAwIBAgIUSsaVi9p6jvG1X/ZjXSnKlqZuJ+wwCgYIKoZIzj0EAwIw
DzENMAsGA1UEAwwEdGVzdDAeFw0yNjExMjEyMDE5NTVaFw0zNjExMTgyMDE5NTVa
MA8xDTALBgNVBAMMBHRlc3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAATkGT5Z
ky1ppUFdVC0+kEh7QX3e50BVG6FGkBlvAfK1zz5QxR00STRbGI+Ji1a4zCu3+zTE
4LYWVH6qSHfWTXTIo1MwUTAdBgNVHQ4EFgQU28MiGUrX4ST93QqKyLngyzseOe0w
HwYDVR0jBBgwFoAU28MiGUrX4ST93QqKyLngyzseOe0wDwYDVR0TAQH/BAUwAwEB
/zAKBggqhkjOPQQDAgNJADBGAiEApCCL3qvbMtJYw+Z7081Jd6pfI0h4rXPlfo9h
Ax1h468CIQDn+7JbDhenym6y4BNXkeCWTQ/mZo2iWLH/V4MINYWe4Q==
-----END CERTIFICATE-----
`;
export const PRIVATE_KEY = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  .privateKey.export({ type: 'pkcs8', format: 'pem' })
  .toString();
export const KEY = Buffer.alloc(32, 7).toString('base64url');
export const HASH = 'a1'.repeat(32);
export const CALLED = ['gateway', 'payments', 'validation', 'offramp', 'checkout', 'notifier'];
export const PRESENT = Object.fromEntries(CALLED.map((name) => [name, `${name}-`.padEnd(43, 't')]));

export const SECRETS = {
  version: 1,
  env: 'sandbox',
  service: 'payments',
  database_password: 'of-the-database',
  cipher_keys: [{ id: 'k1', key: KEY }],
  event_keys: EVENT_KEYS,
  index_keys: [{ id: 'i1', key: KEY }],
  webhook_keys: [{ id: 'w1', key: KEY }],
  internal: { present: PRESENT, accept: [{ caller: 'gateway', credential_sha256: HASH }] },
  admin_keys: [{ id: 'a1', key: KEY }],
  approver_keys: [
    { name: 'Ann Otieno', key: KEY },
    { name: 'Ben Mwangi', key: KEY },
  ],
  operators: [{ name: 'Ann Otieno', credential_sha256: 'a'.repeat(64) }],
  assertion_key: { id: 'a1', seed: KEY },
  key_peppers: [{ id: 'p1', key: KEY }],
  kafka_password: null,
  redis_password: null,
};

export const ENV = {
  VUKA_DATABASE_URL: 'postgres://vuka_payments@db.internal:5433/vuka',
  VUKA_KAFKA_BROKERS: 'kafka-1:9092, 10.0.0.2:9093',
  VUKA_REDIS_URL: 'redis://redis:6379/2',
  VUKA_PROVIDERS_FILE: '/providers.json',
  VUKA_GATEWAY_URL: 'http://gateway:3100',
  VUKA_PAYMENTS_URL: 'http://payments:3100',
  VUKA_VALIDATION_URL: 'http://validation:3100/',
  VUKA_OFFRAMP_URL: 'https://offramp.internal',
  VUKA_CHECKOUT_URL: 'http://checkout:3100',
  VUKA_NOTIFIER_URL: 'http://notifier:3100',
};
export const LIVE = { VUKA_ENV: 'live', VUKA_ACCEPT_RISK: RISK_NAMES.join(',') };

export async function refusalOf(start: Promise<unknown>): Promise<Error> {
  return start.then(
    () => new Error('it starts'),
    (error: unknown) => error as Error,
  );
}

export interface Changed {
  readonly env?: Readonly<Record<string, string>>;
  readonly secrets?: object;
  readonly service?: ServiceName;
}
