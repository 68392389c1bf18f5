import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ServiceUnavailableError } from '@vuka/runtime';

import {
  ask,
  expectError,
  startTestGateway,
  type Answer,
  type Ask,
  type TestGateway,
} from '../testing/gateway.spec-support.js';

const TOKEN = 'a1'.repeat(32);
const PATH = `/approvals/chapa/${TOKEN}`;
const LIMIT_BYTES = 65_536;

let gateway: TestGateway;

beforeEach(async () => {
  gateway = await startTestGateway();
  gateway.payments.callbackPaths.add(`chapa/${TOKEN}`);
});

afterEach(() => gateway.stop());

/** Without a key. */
const call = (request: Ask): Promise<Answer> =>
  ask(gateway.port, { ...request, headers: { 'x-api-key': '', ...request.headers } });

describe('a question whether to pay', () => {
  it.each([
    [true, 200, '{"approve":true}'],
    [false, 400, '{"approve":false}'],
  ])('is passed on as it was sent, and answered as payments says (approved: %s)', async (approves, status, text) => {
    gateway.payments.approves = approves;
    const body = Buffer.from([0x7b, 0x22, 0x00, 0xff, 0xfe, 0x22, 0x7d, 0x0a]);
    const answer = await call({ path: `${PATH}?a=%41`, body, headers: { 'Chapa-Signature': 'ab12' } });
    expect([answer.status, answer.text, answer.headers['content-type']]).toEqual([
      status,
      text,
      'text/plain; charset=latin1',
    ]);
    const [asked] = gateway.payments.askedToApprove;
    expect(asked).toMatchObject({
      provider: 'chapa',
      token: TOKEN,
      method: 'POST',
      path: `${PATH}?a=%41`,
      body: body.toString('base64'),
    });
    expect(asked?.headers).toContainEqual(['Chapa-Signature', 'ab12']);
  });

  it('is refused where payments is down, or does not answer in time', async () => {
    gateway.payments.before = () => Promise.reject(new ServiceUnavailableError('payments', 'down'));
    expect(expectError(await call({ path: PATH, body: '{}' }), 503, 'service_unavailable')).toMatch(/Do not pay/);
    gateway.payments.before = () => Promise.reject(new Error('a bug'));
    expectError(await call({ path: PATH, body: '{}' }), 503, 'service_unavailable');
    let release = (): void => undefined;
    gateway.payments.before = () => new Promise((resolve) => (release = resolve));
    const from = performance.now();
    const late = await call({ path: PATH, body: '{}' });
    release();
    expectError(late, 503, 'service_unavailable');
    expect(performance.now() - from).toBeLessThan(4_000);
  });

  it('at another path, by another method or of more than 64 KiB is refused, and not passed on', async () => {
    const wrong = [
      `/approvals/chapa/${'b2'.repeat(32)}`,
      `/approvals/other/${TOKEN}`,
      `/approvals/chapa/${TOKEN.toUpperCase()}`,
      `${PATH}/${'c3'.repeat(32)}`,
      '/approvals/chapa/cmd',
    ];
    for (const path of wrong) expectError(await call({ path, body: '{}' }), 404, 'not_found');
    for (const method of ['GET', 'PUT'])
      expect([(await call({ method, path: PATH })).status, method]).toEqual([405, method]);
    expectError(await call({ path: PATH, body: Buffer.alloc(LIMIT_BYTES + 1) }), 413, 'invalid_request');
    expect(gateway.payments.askedToApprove).toEqual([]);
    expect((await call({ path: PATH, body: Buffer.alloc(LIMIT_BYTES, 0x80) })).status).toBe(200);
  });

  it('is no operation of partners: /openapi.json does not name it', async () => {
    const { text } = await call({ method: 'GET', path: '/openapi.json' });
    expect(text).not.toContain('/approvals');
  });
});
