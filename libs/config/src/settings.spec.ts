import { resolve } from 'node:path';

import { describe, expect, it } from '@jest/globals';

import { loadSettings } from './settings.js';

describe('settings', () => {
  it('have a default each', () => {
    expect(loadSettings({})).toEqual({
      acceptedRisks: [],
      port: 3000,
      host: '127.0.0.1',
      trustedProxies: [],
      dataDir: resolve('.vuka'),
      env: 'sandbox',
      webhookAllowPrivate: true,
      logLevel: 'info',
      webhookPayloadDays: 30,
      recipientRetentionDays: null,
      mostWaitingPays: 1_000,
      checkout: {
        orderSeconds: 420,
        confirmMinutes: 45,
        mostOpenOrders: 10_000,
        mostOpenOrdersCents: 100_000_000n,
        mostOrdersADay: 20_000,
      },
      rateLimits: {
        partner: { ratePerS: 100, burst: 500 },
        lookups: { ratePerS: 5, burst: 50 },
        destination: { ratePerS: 1, burst: 60 },
        failedAuth: { ratePerS: 10, burst: 200 },
      },
      sandboxChains: ['BASE', 'CELO', 'STELLAR', 'POLYGON', 'SOLANA', 'ETHEREUM', 'BNB', 'AVALANCHE', 'ARBITRUM'],
      chains: {
        endpoints: {},
        agree: 1,
        depositXpub: null,
        stellarAccount: null,
        unapplied: 'keep',
        exposureLimitCents: 1_000_000n,
        refundWallets: {},
      },
      rates: { url: null, maxAgeMs: 60_000, spreads: new Map(), mostOpenQuotesCents: 100_000_000n },
      unknownVariables: [],
    });
  });

  it('are read from the environment; an empty variable counts as absent', () => {
    const env = {
      PORT: '0',
      HOST: '::1',
      VUKA_DATA_DIR: '/var/lib/vuka',
      VUKA_ENV: 'live',
      LOG_LEVEL: 'debug',
      WEBHOOK_ALLOW_PRIVATE: '',
    };
    expect(loadSettings(env)).toMatchObject({
      port: 0,
      host: '::1',
      dataDir: '/var/lib/vuka',
      env: 'live',
      logLevel: 'debug',
      webhookAllowPrivate: false,
    });
  });

  it.each([
    [{ PORT: '65536' }, 'PORT must be a whole number from 0 to 65535 (0 = any free port)'],
    [{ PORT: '-1' }, /^PORT must be/],
    [{ PORT: '3e3' }, /^PORT must be/],
    [{ HOST: 'a b' }, 'HOST must be an IP address or a host name'],
    [{ PUBLIC_URL: 'pay.example.com' }, /^PUBLIC_URL must be http:\/\/ or https:\/\//],
    [{ PUBLIC_URL: 'https://pay.example.com/vuka' }, /^PUBLIC_URL must be/],
    [{ PUBLIC_URL: 'https://me:secret@pay.example.com' }, /^PUBLIC_URL must be/],
    [{ PUBLIC_URL: 'ftp://pay.example.com' }, /^PUBLIC_URL must be/],
    [{ VUKA_ENV: 'live', PUBLIC_URL: 'http://pay.example.com' }, 'PUBLIC_URL must be https:// when VUKA_ENV is live'],
    [{ TRUSTED_PROXIES: 'proxy.example.com' }, /^TRUSTED_PROXIES must be 1 to 64 addresses or ranges/],
    [{ TRUSTED_PROXIES: '10.0.0.0/8,' }, /^TRUSTED_PROXIES must be/],
    [{ TRUSTED_PROXIES: '10.0.0.1/8' }, /^TRUSTED_PROXIES must be .*every bit after the prefix must be 0/],
    [{ TRUSTED_PROXIES: '192.0.2.1,0.0.0.0/0' }, /^TRUSTED_PROXIES must be .*A range of all addresses is not allowed/],
    [{ TRUSTED_PROXIES: '::/0' }, /^TRUSTED_PROXIES must be/],
    [{ VUKA_ACCEPT_RISK: 'root' }, /^VUKA_ACCEPT_RISK must be names from this list, .*runs-as-root/],
    [{ VUKA_ENV: 'live', VUKA_ACCEPT_RISK: 'runs-as-root,' }, /^VUKA_ACCEPT_RISK must be/],
    [
      { TRUSTED_PROXIES: Array.from({ length: 65 }, (_, n) => `10.0.0.${String(n)}`).join(',') },
      /^TRUSTED_PROXIES must be/,
    ],
    [{ VUKA_ENV: 'production' }, 'VUKA_ENV must be sandbox or live'],
    [{ LOG_LEVEL: 'loud' }, /^LOG_LEVEL must be/],
    [{ WEBHOOK_PAYLOAD_DAYS: '0' }, 'WEBHOOK_PAYLOAD_DAYS must be a whole number from 1 to 9999'],
    [{ WEBHOOK_PAYLOAD_DAYS: '1.5' }, /^WEBHOOK_PAYLOAD_DAYS must be/],
    [{ RECIPIENT_RETENTION_DAYS: '30' }, 'RECIPIENT_RETENTION_DAYS must be a whole number from 31 to 9999'],
    [{ WEBHOOK_ALLOW_PRIVATE: 'yes' }, 'WEBHOOK_ALLOW_PRIVATE must be true or false'],
    [
      { RATE_LIMIT_PARTNER: '100' },
      'RATE_LIMIT_PARTNER must be a rate per second and a burst, whole numbers from 1 to 9999999 (such as 100/500), or off',
    ],
    [{ RATE_LIMIT_PARTNER: '0/500' }, /^RATE_LIMIT_PARTNER must be/],
    [{ RATE_LIMIT_LOOKUPS: '5/0' }, /^RATE_LIMIT_LOOKUPS must be .*such as 5\/50/],
    [{ RATE_LIMIT_LOOKUPS: '1.5/50' }, /^RATE_LIMIT_LOOKUPS must be/],
    [{ RATE_LIMIT_DESTINATION: '60' }, /^RATE_LIMIT_DESTINATION must be .*such as 1\/60/],
    [{ RATE_LIMIT_FAILED_AUTH: '-1/200' }, /^RATE_LIMIT_FAILED_AUTH must be/],
    [{ RATE_LIMIT_FAILED_AUTH: '10/10000000' }, /^RATE_LIMIT_FAILED_AUTH must be/],
    [{ RATE_LIMIT_FAILED_AUTH: 'OFF' }, /^RATE_LIMIT_FAILED_AUTH must be/],
    [{ VUKA_CRASH_AT: 'payments.sometime' }, /^VUKA_CRASH_AT must be/],
    [{ VUKA_CRASH_AT: 'event-bus.before-cursor:0' }, /^VUKA_CRASH_AT must be/],
    [{ VUKA_TEST_WIRE_SEED: '-1' }, /^VUKA_TEST_WIRE_SEED must be/],
    [{ VUKA_TEST_WIRE_SEED: '4294967296' }, /^VUKA_TEST_WIRE_SEED must be/],
    [
      { VUKA_ENV: 'live', VUKA_CRASH_AT: 'event-bus.before-cursor' },
      'VUKA_CRASH_AT must be left out when VUKA_ENV is live: it is for tests',
    ],
    [{ CHECKOUT_ORDER_SECONDS: '0' }, 'CHECKOUT_ORDER_SECONDS must be a whole number from 1 to 86400'],
    [{ CHECKOUT_ORDER_SECONDS: '86401' }, /^CHECKOUT_ORDER_SECONDS must be/],
    [{ CHECKOUT_CONFIRM_MINUTES: '1.5' }, /^CHECKOUT_CONFIRM_MINUTES must be/],
    [{ MOST_OPEN_ORDERS: '0' }, /^MOST_OPEN_ORDERS must be/],
    [{ MOST_OPEN_ORDERS_USD: '0' }, 'MOST_OPEN_ORDERS_USD must be a whole number from 1 to 999999999'],
    [{ MOST_OPEN_QUOTES_USD: '0' }, 'MOST_OPEN_QUOTES_USD must be a whole number from 1 to 999999999'],
    [{ MOST_OPEN_ORDERS_USD: '10.50' }, /^MOST_OPEN_ORDERS_USD must be/],
    [{ MOST_ORDERS_A_DAY: '0' }, 'MOST_ORDERS_A_DAY must be a whole number from 1 to 9999999'],
    [
      { VUKA_ENV: 'live', CHECKOUT_ORDER_SECONDS: '60' },
      /^CHECKOUT_ORDER_SECONDS must be 420 or left out when VUKA_ENV is live/,
    ],
    [
      { VUKA_ENV: 'live', CHECKOUT_CONFIRM_MINUTES: '5' },
      /^CHECKOUT_CONFIRM_MINUTES must be 45 or left out when VUKA_ENV is live/,
    ],
    [{ VUKA_TEST_PARTNERS: '1' }, /^VUKA_TEST_PARTNERS must be a whole number from 2 to 999/],
    [
      { VUKA_ENV: 'live', VUKA_TEST_WIRE_SEED: '0' },
      'VUKA_TEST_WIRE_SEED must be left out when VUKA_ENV is live: it is for tests',
    ],
    [{ VUKA_TEST_REFUND_SAFE_MS: '0' }, /^VUKA_TEST_REFUND_SAFE_MS must be a whole number from 1 to 99999999/],
    [
      { VUKA_ENV: 'live', VUKA_TEST_REFUND_SAFE_MS: '4' },
      'VUKA_TEST_REFUND_SAFE_MS must be left out when VUKA_ENV is live: it is for tests',
    ],
    [
      { VUKA_ENV: 'live', VUKA_TEST_PARTNERS: '4' },
      'VUKA_TEST_PARTNERS must be left out when VUKA_ENV is live: it is for tests',
    ],
    [
      { VUKA_ENV: 'live', WEBHOOK_ALLOW_PRIVATE: 'true' },
      'WEBHOOK_ALLOW_PRIVATE must be false or left out when VUKA_ENV is live',
    ],
  ])('%o is refused by name, with the rule', (env, message) => {
    expect(() => loadSettings(env)).toThrow(
      expect.objectContaining({
        name: 'SettingsError',
        message: typeof message === 'string' ? message : expect.stringMatching(message),
      }),
    );
  });

  it('reduce the public address to its origin', () => {
    expect(loadSettings({ PUBLIC_URL: 'http://127.0.0.1:3000/' }).publicUrl).toBe('http://127.0.0.1:3000');
    expect(loadSettings({ VUKA_ENV: 'live', PUBLIC_URL: 'https://PAY.example.com' }).publicUrl).toBe(
      'https://pay.example.com',
    );
    expect(loadSettings({ VUKA_ENV: 'live' }).publicUrl).toBeUndefined();
  });

  it('take the proxies that are trusted in one spelling', () => {
    expect(
      loadSettings({ TRUSTED_PROXIES: ' 10.0.0.0/8, 192.0.2.7,2001:DB8:0::/32 ,::ffff:198.51.100.0/120' })
        .trustedProxies,
    ).toEqual(['10.0.0.0/8', '192.0.2.7/32', '2001:db8::/32', '198.51.100.0/24']);
  });

  it('take a limit of requests as rate and burst, or off', () => {
    const env = {
      RATE_LIMIT_PARTNER: '2000/9999999',
      RATE_LIMIT_LOOKUPS: 'off',
      RATE_LIMIT_DESTINATION: '7/8',
      RATE_LIMIT_FAILED_AUTH: '1/1',
    };
    expect(loadSettings(env).rateLimits).toEqual({
      partner: { ratePerS: 2_000, burst: 9_999_999 },
      lookups: null,
      destination: { ratePerS: 7, burst: 8 },
      failedAuth: { ratePerS: 1, burst: 1 },
    });
    expect(loadSettings({ RATE_LIMIT_DESTINATION: 'off' }).rateLimits.destination).toBeNull();
  });

  it('for tests are read in the sandbox', () => {
    expect(loadSettings({ VUKA_CRASH_AT: 'notifier.after-post:2', VUKA_TEST_WIRE_SEED: '0' })).toMatchObject({
      crashAt: { point: 'notifier.after-post', time: 2 },
      testEventBusSeed: 0,
      unknownVariables: [],
    });
  });

  it('of checkout are what partners are told, and for tests shorter', () => {
    expect(
      loadSettings({ VUKA_ENV: 'live', CHECKOUT_ORDER_SECONDS: '420', CHECKOUT_CONFIRM_MINUTES: '45' }).checkout,
    ).toMatchObject({ orderSeconds: 420, confirmMinutes: 45 });
    const shorter = {
      CHECKOUT_ORDER_SECONDS: '3',
      CHECKOUT_CONFIRM_MINUTES: '0',
      MOST_OPEN_ORDERS: '7',
      MOST_OPEN_ORDERS_USD: '8',
      MOST_ORDERS_A_DAY: '9',
    };
    expect(loadSettings(shorter).checkout).toEqual({
      orderSeconds: 3,
      confirmMinutes: 0,
      mostOpenOrders: 7,
      mostOpenOrdersCents: 800n,
      mostOrdersADay: 9,
    });
    expect(loadSettings({ CHECKOUT_ORDER_SECOND: '3' }).unknownVariables).toEqual(['CHECKOUT_ORDER_SECOND']);
  });

  it('name unknown variables of Vuka', () => {
    const env = {
      VUKA_DATADIR: 'x',
      RATE_LIMIT_PARTNERS: 'off',
      PATH: '/bin',
      VUKA_ENV: 'sandbox',
      RATE_LIMIT_PARTNER: 'off',
    };
    expect(loadSettings(env).unknownVariables).toEqual(['VUKA_DATADIR', 'RATE_LIMIT_PARTNERS']);
  });
});
