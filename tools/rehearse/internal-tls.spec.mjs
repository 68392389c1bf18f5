import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';

import { operation } from '../../libs/contracts/dist/index.js';
import { credentialHash, HttpServices, newCallContext, startInternalServer } from '../../libs/http/dist/index.js';
import { createLogger, Metrics, systemClock } from '../../libs/runtime/dist/index.js';

import { makeAuthority } from './certificates.mjs';

const HOST = '127.0.0.1';
const CREDENTIAL = 'what-the-gateway-shows-to-the-ledger';
const log = createLogger('test', { level: 'silent' });
const find = operation(z.object({ id: z.int() }), z.object({ found: z.boolean() }), {
  summary: 'Of a test',
  errors: {},
  callers: ['gateway'],
  idempotent: true,
});
const ledgerApi = { service: 'ledger', operations: { find } };

let ours;
let strangers;
const started = [];

async function serve({ authority = ours, hosts = [HOST], ...tls } = {}) {
  const server = await startInternalServer({
    service: 'ledger',
    host: HOST,
    port: 0,
    tls: await authority.issue('ledger', hosts),
    api: ledgerApi,
    handlers: { find: async ({ id }) => ({ ok: true, value: { found: id === 7 } }) },
    accept: [{ caller: 'gateway', credentialSha256: credentialHash(CREDENTIAL) }],
    health: async () => ({ ready: true, services: { ledger: 'ready' } }),
    metrics: new Metrics('ledger'),
    log,
    clock: systemClock,
    ...tls,
  });
  started.push(() => server.stop());
  return server.baseUrl;
}

function callAt(url, ca) {
  const services = new HttpServices({
    urls: { ledger: url },
    credentials: { ledger: CREDENTIAL },
    ca,
    log,
    clock: systemClock,
    metrics: new Metrics('gateway'),
  });
  started.push(() => services.close());
  const call = services.client(ledgerApi).find({ id: 7 }, newCallContext({ budgetMs: 2_000 }));
  return { call, checks: () => services.checks() };
}

/** Nothing was sent: not the credential either. */
const refusedAs = (code) =>
  expect.objectContaining({
    name: 'ServiceUnavailableError',
    sent: false,
    message: expect.stringContaining(`no connection (${code})`),
  });

beforeAll(async () => {
  [ours, strangers] = await Promise.all([makeAuthority('Ours'), makeAuthority('A stranger')]);
});

afterAll(async () => {
  for (const stop of started.reverse()) await stop();
});

describe('internal calls over TLS', () => {
  it('are answered where the certificate is of our authority and of that host', async () => {
    const url = await serve();
    expect(url).toMatch(/^https:/);
    const { call, checks } = callAt(url, ours.pem);
    expect(await call).toEqual({ ok: true, value: { found: true } });
    expect(await checks()).toEqual({ ledger: true });
  });

  it.each([
    ['of another authority', { of: 'strangers' }, 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
    ['of another host', { hosts: ['payments.internal'] }, 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ])('are not made where the certificate is %s', async (_, { of, ...options }, code) => {
    const url = await serve({ ...options, ...(of !== undefined && { authority: strangers }) });
    await expect(callAt(url, ours.pem).call).rejects.toEqual(refusedAs(code));
  });

  it('are not made by whoever has not been given the authority', async () => {
    await expect(callAt(await serve(), undefined).call).rejects.toEqual(refusedAs('UNABLE_TO_VERIFY_LEAF_SIGNATURE'));
  });

  it('are never answered in the clear by a server with a certificate', async () => {
    const url = (await serve()).replace('https:', 'http:');
    await expect(callAt(url, ours.pem).call).rejects.toMatchObject({ name: 'ServiceUnavailableError' });
  });
});
