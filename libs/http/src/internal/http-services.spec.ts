import { describe, expect, it } from '@jest/globals';
import { type Logger, Metrics, systemClock } from '@vuka/runtime';

import { HttpServices } from './http-services.js';

const servicesAt = (urls: Record<string, string>): HttpServices =>
  new HttpServices({
    urls,
    credentials: {},
    log: {} as Logger,
    clock: systemClock,
    metrics: new Metrics('gateway'),
  });

describe('services over HTTP', () => {
  it.each([
    '',
    'payments:4001',
    'ftp://payments',
    'http://user:secret@payments:4001',
    'http://payments:4001/internal',
    'http://payments?x=1',
  ])('refuse the address %p, and do not repeat it', (url) => {
    expect(() => servicesAt({ payments: url })).toThrow(/^the internal address of payments must be http:\/\/host:port/);
  });

  it('know only the services they were given', async () => {
    const services = servicesAt({ payments: 'http://127.0.0.1:1', validation: 'http://[::1]:1/' });
    expect(services.states()).toEqual({ payments: true, validation: true });
    expect(() => services.client({ service: 'offramp', operations: {} })).toThrow(
      'the internal address of offramp is not set',
    );
    await services.close();
  });
});
