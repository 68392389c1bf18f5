import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { HOSTILE_URLS, PUBLIC_ADDRESS } from '@vuka/testing';

import {
  ask,
  expectError,
  startTestGateway,
  TRANSFER,
  type Answer,
  type TestGateway,
} from '../testing/gateway.spec-support.js';

/** Live policy: no private addresses, only two ports. */
let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway();
});

afterAll(() => gateway.stop());

const told = HOSTILE_URLS.filter(({ isToldByText }) => isToldByText).map(
  (row) => [row.family, JSON.stringify(row.url).slice(0, 100), row.url] as const,
);
const transfer = (url: string): Promise<Answer> =>
  ask(gateway.port, { path: '/kes/bank-transfer', body: { ...TRANSFER, callback_url: url } });
const setDefault = (url: string): Promise<Answer> =>
  ask(gateway.port, { path: '/v1/webhooks/endpoint', body: { url } });
const isRefusedBefore = (url: string): boolean => url.includes('\u0000') || url.length > 10_000;

describe('a URL that no webhook may go to', () => {
  // These texts are refused before the URL rule.
  const others = told.filter(([, , url]) => isRefusedBefore(url));
  const urls = told.filter(([, , url]) => url !== '' && !isRefusedBefore(url));

  it.each(urls)('is no callback_url and no default, %s: %s', async (_family, _text, url) => {
    expectError(await transfer(url), 400, 'invalid_callback_url');
    expectError(await setDefault(url), 400, 'invalid_callback_url');
    expect(gateway.payments.calls).toEqual([]);
    expect([...gateway.webhooks]).toEqual([]);
  });

  it.each(others)('starts no payout, %s: %s', async (_family, _text, url) => {
    expect([400, 413]).toContain((await transfer(url)).status);
    expect([400, 413]).toContain((await setDefault(url)).status);
    expect(gateway.payments.calls).toEqual([]);
    expect([...gateway.webhooks]).toEqual([]);
  });
});

it('a public one is taken byte for byte', async () => {
  const url = `https://${PUBLIC_ADDRESS}:8443/hook?x=%41&y='"`;
  expect((await transfer(url)).status).toBe(200);
  expect(gateway.payments.calls).toMatchObject([{ callback_url: url }]);
  expect((await setDefault(url)).status).toBe(200);
  expect([...gateway.webhooks.values()]).toEqual([url]);
});
