import { resolve } from 'node:path';

import { describe, expect, it } from '@jest/globals';
import { stackFolder } from '@vuka/data-folder';

import { loadStackSettings } from './stack-settings.js';

describe('the settings of a stack', () => {
  it('has a folder of its own: VUKA_STACK_DIR, else VUKA_DATA_DIR, else .vuka-stack', () => {
    expect(stackFolder({})).toBe(resolve('.vuka-stack'));
    expect(stackFolder({ VUKA_DATA_DIR: '/a' })).toBe('/a');
    expect(stackFolder({ VUKA_DATA_DIR: '/a', VUKA_STACK_DIR: '/b' })).toBe('/b');
  });

  it('by itself: one of each, a Kafka of its own, any free port, restarts', () => {
    const stack = loadStackSettings({});
    expect(stack).toMatchObject({ apiPort: null, kafka: null, instances: 1, restarts: true, serviceEnv: {} });
    expect(stack.passedOn).toEqual({ VUKA_ENV: 'sandbox' });
  });

  it('passes on what every service knows, and nothing else', () => {
    const { passedOn } = loadStackSettings({
      RATE_LIMIT_PARTNER: '7/70',
      LOG_LEVEL: 'debug',
      WEBHOOK_ALLOW_PRIVATE: 'false',
      VUKA_TEST_WIRE_SEED: '9',
      VUKA_CRASH_AT: 'payments.after-commit:2',
      VUKA_TERMS_FILE: 'terms.json',
      PORT: '0',
      HOST: '127.0.0.1',
      AWS_SECRET_ACCESS_KEY: 'x',
      VUKA_STACK_INSTANCES: '2',
      RATE_LIMIT_LOOKUPS: '',
      MOST_OPEN_ORDERS: '7',
      CHECKOUT_ORDER_SECONDS: '3',
      MOST_OPEN_ORDERS_USD: '8',
      MOST_ORDERS_A_DAY: '9',
      MOST_OPEN_QUOTES_USD: '6',
    });
    expect(passedOn).toEqual({
      VUKA_ENV: 'sandbox',
      RATE_LIMIT_PARTNER: '7/70',
      LOG_LEVEL: 'debug',
      WEBHOOK_ALLOW_PRIVATE: 'false',
      VUKA_TEST_WIRE_SEED: '9',
      VUKA_CRASH_AT: 'payments.after-commit:2',
      VUKA_TERMS_FILE: resolve('terms.json'),
      MOST_OPEN_ORDERS: '7',
      CHECKOUT_ORDER_SECONDS: '3',
      MOST_OPEN_ORDERS_USD: '8',
      MOST_ORDERS_A_DAY: '9',
      MOST_OPEN_QUOTES_USD: '6',
    });
  });

  it('reads the settings of one service', () => {
    const { serviceEnv } = loadStackSettings({
      VUKA_STACK_ENV_PAYMENTS: '{"LOG_LEVEL":"trace"}',
      VUKA_STACK_ENV_NOTIFIER: '',
    });
    expect(serviceEnv).toEqual({ payments: { LOG_LEVEL: 'trace' } });
  });

  it.each([
    [{ VUKA_ENV: 'live' }, /VUKA_ENV must be sandbox/],
    [{ PORT: '70000' }, /PORT must be/],
    [{ VUKA_STACK_KAFKA: 'kafka' }, /VUKA_STACK_KAFKA must be host:port/],
    [{ VUKA_STACK_KAFKA: 'kafka:99999' }, /VUKA_STACK_KAFKA must be host:port/],
    [{ VUKA_STACK_INSTANCES: '0' }, /VUKA_STACK_INSTANCES must be/],
    [{ VUKA_STACK_RESTART: 'sometimes' }, /VUKA_STACK_RESTART must be/],
    [{ VUKA_STACK_ENV_PAYMENTS: 'LOG_LEVEL=debug' }, /VUKA_STACK_ENV_PAYMENTS must be a JSON object/],
    [{ VUKA_STACK_ENV_PAYMENTS: '["LOG_LEVEL"]' }, /VUKA_STACK_ENV_PAYMENTS must be a JSON object/],
    [{ VUKA_STACK_ENV_PAYMENTS: '{"PORT":1}' }, /VUKA_STACK_ENV_PAYMENTS must be a JSON object/],
  ])('%j is refused by name', (env, why) => {
    expect(() => loadStackSettings(env)).toThrow(why);
  });

  it('names unknown settings of a stack', () => {
    const { settings } = loadStackSettings({
      VUKA_STACK_FOLDER: 'x',
      VUKA_STACK_ENV_PAYMENT: '{}',
      VUKA_STACK_DIR: 'y',
      VUKA_STACK_ENV_PAYMENTS: '{}',
    });
    expect([...settings.unknownVariables].sort()).toEqual(['VUKA_STACK_ENV_PAYMENT', 'VUKA_STACK_FOLDER']);
  });
});
