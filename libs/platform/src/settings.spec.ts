import { describe, expect, it } from '@jest/globals';
import { resolve } from 'node:path';

import { loadSettings } from './settings.js';

describe('settings', () => {
  it('have a default each', () => {
    expect(loadSettings({})).toEqual({
      port: 3000,
      host: '127.0.0.1',
      dataDir: resolve('.vuka'),
      env: 'sandbox',
      webhookAllowPrivate: true,
      logLevel: 'info',
      unknownVariables: [],
    });
  });

  it('are read from the environment; an empty variable counts as absent', () => {
    const env = { PORT: '0', HOST: '::1', VUKA_DATA_DIR: '/var/lib/vuka', VUKA_ENV: 'live', LOG_LEVEL: 'debug', WEBHOOK_ALLOW_PRIVATE: '' };
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
    [{ VUKA_ENV: 'production' }, 'VUKA_ENV must be sandbox or live'],
    [{ LOG_LEVEL: 'loud' }, /^LOG_LEVEL must be/],
    [{ WEBHOOK_ALLOW_PRIVATE: 'yes' }, 'WEBHOOK_ALLOW_PRIVATE must be true or false'],
    [{ VUKA_CRASH_AT: 'payments.sometime' }, /^VUKA_CRASH_AT must be/],
    [{ VUKA_CRASH_AT: 'wire.before-cursor:0' }, /^VUKA_CRASH_AT must be/],
    [{ VUKA_TEST_WIRE_SEED: '-1' }, /^VUKA_TEST_WIRE_SEED must be/],
    [{ VUKA_TEST_WIRE_SEED: '4294967296' }, /^VUKA_TEST_WIRE_SEED must be/],
    [{ VUKA_ENV: 'live', VUKA_CRASH_AT: 'wire.before-cursor' }, 'VUKA_CRASH_AT must be absent when VUKA_ENV is live: it is for tests'],
    [{ VUKA_ENV: 'live', VUKA_TEST_WIRE_SEED: '0' }, 'VUKA_TEST_WIRE_SEED must be absent when VUKA_ENV is live: it is for tests'],
    [{ VUKA_ENV: 'live', WEBHOOK_ALLOW_PRIVATE: 'true' }, 'WEBHOOK_ALLOW_PRIVATE must be false or absent when VUKA_ENV is live'],
  ])('%o is refused by name, with the rule', (env, message) => {
    expect(() => loadSettings(env)).toThrow(expect.objectContaining({ name: 'SettingsError', message: typeof message === 'string' ? message : expect.stringMatching(message) }));
  });

  it('for tests are read in the sandbox', () => {
    expect(loadSettings({ VUKA_CRASH_AT: 'notifier.after-post:2', VUKA_TEST_WIRE_SEED: '0' })).toMatchObject({
      crashAt: { point: 'notifier.after-post', time: 2 },
      testWireSeed: 0,
      unknownVariables: [],
    });
  });

  it('name the VUKA_ variables that nothing reads', () => {
    expect(loadSettings({ VUKA_DATADIR: 'x', PATH: '/bin', VUKA_ENV: 'sandbox' }).unknownVariables).toEqual(['VUKA_DATADIR']);
  });
});
