import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ServiceUnavailableError } from '@vuka/runtime';

import {
  ask,
  CHECKOUT_KEY,
  expectError,
  OTHER_CONSUMER_KEY,
  startTestGateway,
  stubServices,
  TRANSFER,
  type Answer,
  type TestGateway,
} from '../testing/gateway.spec-support.js';

let gateway: TestGateway;
let live: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway();
  live = await startTestGateway({ settings: { env: 'live' } });
  for (const each of [gateway, live])
    await ask(each.port, { path: '/kes/bank-transfer', body: { ...TRANSFER, reference: 'held:1' } });
});

afterAll(() => Promise.all([gateway.stop(), live.stop()]));

const ACTIONS = ['release', 'top-up', 'pay', 'reverse'];
const control = (
  action: string,
  code = 'held:1',
  headers: Record<string, string> = {},
  body?: string | object,
): Promise<Answer> =>
  ask(gateway.port, { path: `/sandbox/payouts/${code}/${action}`, headers, ...(body === undefined ? {} : { body }) });

describe('the sandbox control of payouts', () => {
  it.each([
    ['release', 'release'],
    ['top-up', 'top_up'],
    ['pay', 'pay'],
    ['reverse', 'reverse'],
    ['release/', 'release'],
  ])('%s is handed on as %s', async (path, action) => {
    const answer = await control(path);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      code: 200,
      message: 'Done by the sandbox rail',
      data: { transaction_code: 'held:1', status: 'PROCESSING', done: true },
    });
    expect(gateway.payments.controlled.at(-1)).toBe(`${action} held:1`);
  });

  it('takes an empty body, {} and fields it does not know, and no other body', async () => {
    for (const body of [{}, { amount: 5 }, '']) expect((await control('release', 'held:1', {}, body)).status).toBe(200);
    const type = { 'content-type': 'application/json' };
    for (const body of ['[]', '"x"', '{', 'null'])
      expectError(await control('release', 'held:1', type, body), 400, 'invalid_request');
  });

  it('finds only the caller’s own transactions', async () => {
    const codes = ['no-such', 'held%3A2', 'a%20b', '%00', 'x'.repeat(101), 'x'.repeat(9_000)];
    const messages = await Promise.all(
      codes.map(async (code) => expectError(await control('release', code), 404, 'not_found')),
    );
    messages.push(
      expectError(await control('release', 'held:1', { 'x-api-key': OTHER_CONSUMER_KEY }), 404, 'not_found'),
    );
    expect(new Set(messages)).toEqual(new Set(['No such transaction']));
    expect((await control('release', 'held%3A1')).status).toBe(200);
  });

  it('asks for a consumer key, and for POST', async () => {
    expectError(await control('release', 'held:1', { 'x-api-key': '' }), 401, 'unauthorized');
    expectError(await control('release', 'held:1', { 'x-api-key': CHECKOUT_KEY }), 403, 'forbidden');
    const got = await ask(gateway.port, { method: 'GET', path: '/sandbox/payouts/held:1/release' });
    expectError(got, 405, 'invalid_request');
    expect(got.headers['allow']).toBe('POST');
    expectError(await control('destroy'), 404, 'not_found');
  });

  it('does not claim that nothing happened when no answer came', async () => {
    const silent = await startTestGateway({
      payments: {
        ...stubServices(gateway.payments).payments,
        controlSandboxPayout: () => Promise.reject(new ServiceUnavailableError('payments', 'down')),
      },
    });
    const answer = await ask(silent.port, { path: '/sandbox/payouts/held:1/pay' });
    await silent.stop();
    expect(expectError(answer, 503, 'service_unavailable')).toMatch(/may have acted or not/);
  });

  it.each(ACTIONS)('has no trace of %s in live', async (action) => {
    const path = `/sandbox/payouts/held:1/${action}`;
    const nowhere = await ask(live.port, { path: '/sandbox/payouts/held:1/nothing' });
    const message = expectError(nowhere, 404, 'not_found');
    for (const method of ['POST', 'GET', 'PUT', 'OPTIONS', 'DELETE']) {
      for (const headers of [{}, { 'x-api-key': '' }, { 'x-api-key': CHECKOUT_KEY }]) {
        const answer = await ask(live.port, { method, path, headers });
        expect(expectError(answer, 404, 'not_found')).toBe(message);
        expect(answer.headers['allow']).toBeUndefined();
      }
    }
    expect(live.payments.controlled).toEqual([]);
    expect((await ask(live.port, { path: '/kes/status', body: { transaction_code: 'held:1' } })).status).toBe(200);
  });
});
