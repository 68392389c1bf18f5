import { describe, expect, it } from '@jest/globals';
import { SERVICE_NAMES } from '@vuka/contracts';
import { credentialHash } from '@vuka/http';

import { newSecrets, Secrets } from '../secrets.js';
import {
  addressesOf,
  instanceName,
  serviceEnvironment,
  serviceSecrets,
  type Surroundings,
} from './service-environment.js';
import { needsOf, setupCredentials } from './topology.js';

const secrets = new Secrets(newSecrets());
const around: Surroundings = {
  database: { host: '127.0.0.1', port: 5001, name: 'vuka' },
  kafka: { brokers: '127.0.0.1:5002', prefix: 'abc.' },
  redis: { url: 'redis://127.0.0.1:5003', password: 'redis-password' },
  providersFile: '/data/providers.json',
  chains: {
    endpoints: { CELO: ['http://127.0.0.1:5004'] },
    deposits: { depositXpub: 'xpub1', solanaAddressesFile: '/data/solana.json', stellarAccount: 'GA5Z' },
    refundKeysFile: '/data/refund-keys.json',
  },
  addresses: addressesOf({ gateway: 1, payments: 2, validation: 3, offramp: 4, checkout: 5, notifier: 6, admin: 7 }),
};
const place = { internalPort: 6001, secretsFile: '/data/secrets/x.json' };

const textsOf = (value: unknown): string[] =>
  typeof value === 'string'
    ? [value]
    : value !== null && typeof value === 'object'
      ? Object.values(value).flatMap(textsOf)
      : [];

describe('what a service of the stack is started with', () => {
  it('gives the gateway the addresses of the services that it calls, and its own', () => {
    const env = serviceEnvironment('gateway', around, { ...place, api: { host: '127.0.0.1', port: 3100 } });
    expect(env).toMatchObject({
      HOST: '127.0.0.1',
      PORT: '3100',
      VUKA_INTERNAL_PORT: '6001',
      VUKA_PAYMENTS_URL: 'http://127.0.0.1:2',
      VUKA_VALIDATION_URL: 'http://127.0.0.1:3',
      VUKA_OFFRAMP_URL: 'http://127.0.0.1:4',
      VUKA_CHECKOUT_URL: 'http://127.0.0.1:5',
      VUKA_NOTIFIER_URL: 'http://127.0.0.1:6',
      VUKA_DATABASE_URL: 'postgres://vuka_gateway@127.0.0.1:5001/vuka',
      VUKA_KAFKA_PREFIX: 'abc.',
    });
  });

  it('gives a database to those that keep something, and providers to those that pay, ask names or refuse what has no route', () => {
    const having = (name: string): string[] =>
      SERVICE_NAMES.filter((service) => name in serviceEnvironment(service, around, place));
    expect(having('VUKA_DATABASE_URL').sort()).toEqual([
      'admin',
      'checkout',
      'gateway',
      'notifier',
      'offramp',
      'payments',
    ]);
    expect(having('VUKA_PROVIDERS_FILE').sort()).toEqual(['gateway', 'payments', 'validation']);
  });

  it('gives only offramp the chain endpoints and the key of deposit addresses', () => {
    expect(serviceEnvironment('offramp', around, place)).toMatchObject({
      CHAIN_RPC_CELO: 'http://127.0.0.1:5004',
      DEPOSIT_XPUB: 'xpub1',
      SOLANA_ADDRESSES_FILE: '/data/solana.json',
      STELLAR_ACCOUNT: 'GA5Z',
      SANDBOX_REFUND_KEYS_FILE: '/data/refund-keys.json',
    });
    const others = SERVICE_NAMES.filter(
      (service) =>
        service !== 'offramp' &&
        /CHAIN_RPC|XPUB|REFUND/.test(JSON.stringify(serviceEnvironment(service, around, place))),
    );
    expect(others).toEqual([]);
  });

  it.each(SERVICE_NAMES)('puts nothing secret into the environment of %s', (service) => {
    const hidden = textsOf(serviceSecrets(service, secrets, 'redis-password')).filter((text) => text.length > 10);
    const env = Object.values(serviceEnvironment(service, around, place)).join('\n');
    expect(hidden.filter((text) => env.includes(text))).toEqual([]);
  });
});

describe('the secrets of a service of the stack', () => {
  const of = (service: (typeof SERVICE_NAMES)[number]) =>
    serviceSecrets(service, secrets, null) as {
      internal: { present: Record<string, string>; accept: { caller: string; credential_sha256: string }[] };
    };

  it('are known only to a caller and to the services that it calls', () => {
    const callers = (service: (typeof SERVICE_NAMES)[number]): string[] =>
      of(service).internal.accept.map(({ caller }) => caller);
    expect(Object.fromEntries(SERVICE_NAMES.map((service) => [service, callers(service)]))).toEqual({
      gateway: ['setup'],
      payments: ['gateway', 'setup'],
      validation: ['gateway'],
      offramp: ['gateway', 'checkout'],
      checkout: ['gateway'],
      notifier: ['gateway', 'setup'],
      admin: [],
    });
  });

  it('are kept by a service as hashes, one of each caller, which shows another to each service', () => {
    const shown = Object.values(of('gateway').internal.present);
    expect(Object.keys(of('gateway').internal.present)).toEqual(needsOf('gateway').calls);
    expect(new Set([...shown, ...Object.values(of('checkout').internal.present)]).size).toBe(shown.length + 1);
    expect(of('payments').internal.accept[0]).toEqual({
      caller: 'gateway',
      credential_sha256: credentialHash(of('gateway').internal.present['payments'] ?? ''),
    });
    const files = SERVICE_NAMES.map((service) => JSON.stringify(of(service).internal.accept)).join();
    expect(shown.filter((credential) => files.includes(credential))).toEqual([]);
    const setup = setupCredentials(secrets);
    expect(of('payments').internal.accept[1]?.credential_sha256).toBe(credentialHash(setup['payments'] ?? ''));
  });

  it('of one are not those of another', () => {
    expect(serviceSecrets('payments', secrets, null)).not.toHaveProperty('key_peppers');
    expect(serviceSecrets('validation', secrets, null)).not.toHaveProperty('database_password');
    expect(serviceSecrets('admin', secrets, null)).not.toHaveProperty('cipher_keys');
    expect(serviceSecrets('gateway', secrets, null)).not.toHaveProperty('providers');
    expect(serviceSecrets('offramp', secrets, null)).not.toHaveProperty('cipher_keys');
  });

  it('seal and open as the embedded profile does with the same folder', () => {
    const { cipher_keys: keys } = serviceSecrets('payments', secrets, null) as {
      cipher_keys: { id: string; key: string }[];
    };
    const [key] = secrets.cipherKeysOf('payments');
    expect(keys).toEqual([{ id: key?.id, key: key?.key.toString('base64url') }]);
  });
});

it('names instances', () => {
  expect([0, 1, 2].map((index) => instanceName('payments', index))).toEqual(['payments', 'payments-2', 'payments-3']);
});
