import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CURRENCIES, type Currency } from '@vuka/domain';

import { ask, CHECKOUT_KEY, expectError, startTestGateway, type Answer, type TestGateway } from '../gateway.spec-support.js';
import { openApiDocument } from '../openapi/document.js';

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

const set = (body: object, headers: Record<string, string> = {}): Promise<Answer> => ask(gateway.port, { path: '/v1/webhooks/endpoint', body, headers });

describe('the default webhook URL', () => {
  it('is kept byte for byte, and cleared by null', async () => {
    const url = 'https://hooks.example.com/a%2Fb?x=%41&y=1+2&&z';
    const answer = await set({ url });
    expect([answer.status, answer.body, gateway.webhooks.get(1)]).toEqual([200, { code: 200, message: 'The default webhook URL', data: { url } }, url]);
    expect([(await set({ url: null })).body, gateway.webhooks.get(1)]).toEqual([expect.objectContaining({ data: { url: null } }), null]);
    await set({ url });
    expect([(await set({ url: '' })).body, gateway.webhooks.get(1)]).toEqual([expect.objectContaining({ data: { url: null } }), null]);
  });

  it.each(['http://example.com', 'https://127.1/', 'https://u:p@example.com', 'nonsense', 'https://[::1]/', 'https://2130706433/', 'https://example.com/\n', 5, {}, `https://example.com/${'x'.repeat(2_048)}`])(
    'is none that may not be called: %j',
    async (url) => {
      gateway.webhooks.clear();
      expect(expectError(await set({ url }), 400, 'invalid_callback_url')).toMatch(/^url /);
      expect(gateway.webhooks.size).toBe(0);
    },
  );

  it('is not cleared by a request that forgot it, nor by a checkout key', async () => {
    gateway.webhooks.clear();
    expect(expectError(await set({}), 400, 'invalid_request')).toBe('url is required');
    expectError(await set({ url: null }, { 'x-api-key': CHECKOUT_KEY }), 403, 'forbidden');
    expect(gateway.webhooks.size).toBe(0);
  });

  it('says that it may be either where it could not be stored', async () => {
    const broken = await startTestGateway({ webhooks: { setDefaultUrl: () => Promise.reject(new Error('the database is away')) } });
    try {
      const answer = await ask(broken.port, { path: '/v1/webhooks/endpoint', body: { url: null } });
      expect(expectError(answer, 503, 'service_unavailable')).toContain('Send the same request again');
    } finally {
      await broken.stop();
    }
  });

  it('takes every example of the document', async () => {
    const { paths } = openApiDocument({ sandbox: true, currencies: Object.values<Currency>(CURRENCIES), today: new Date() }) as unknown as {
      paths: Record<string, { post: { requestBody: { content: { 'application/json': { examples: Record<string, { value: object }> } } } } }>;
    };
    const { examples } = paths['/v1/webhooks/endpoint']!.post.requestBody.content['application/json'];
    for (const { value } of Object.values(examples)) expect((await set(value)).body).toMatchObject({ data: value });
    expect(Object.keys(examples)).toEqual(['set', 'clear']);
  });
});
