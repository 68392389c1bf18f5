import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ManualClock } from '@vuka/runtime';

import {
  CheckoutStub,
  limitsOf,
  startTestGateway,
  stubServices,
  PaymentsStub,
  type TestGateway,
} from '../testing/gateway.spec-support.js';
import { madeUpOrder, PAGE_TOKEN } from './made-up-order.spec-support.js';

const clock = new ManualClock(new Date('2026-11-21T12:01:12Z'));
let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway({}, clock);
});

afterAll(() => gateway.stop());

beforeEach(() => {
  clock.advance(1_000);
  clock.set(new Date('2026-11-21T12:01:12Z'));
  gateway.checkout.orders.set('1/made-up', madeUpOrder());
});

const get = (path: string, init: RequestInit = {}, at = gateway): Promise<Response> =>
  fetch(`http://127.0.0.1:${String(at.port)}${path}`, init);
const PAGE = `/pay/${PAGE_TOKEN}`;

function expectPage(answer: Response, status: number): void {
  const { headers } = answer;
  expect([answer.status, headers.get('content-type')]).toEqual([status, 'text/html; charset=utf-8']);
  expect(headers.get('content-security-policy')).toBe(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  );
  expect([
    headers.get('cache-control'),
    headers.get('referrer-policy'),
    headers.get('x-content-type-options'),
    headers.get('x-robots-tag'),
  ]).toEqual(['no-store', 'no-referrer', 'nosniff', 'noindex, nofollow']);
  expect([headers.get('etag'), headers.get('set-cookie'), headers.get('access-control-allow-origin')]).toEqual([
    null,
    null,
    null,
  ]);
  expect(headers.get('request-id')).toMatch(/^[\w-]+$/);
}

describe('GET /pay/{token}', () => {
  it('is the page of the order, without a key, and never cached', async () => {
    const answer = await get(PAGE);
    expectPage(answer, 200);
    const page = await answer.text();
    expect(page).toMatch(/^<!doctype html>\n<html lang="en">/);
    for (const shown of [
      '11.596444',
      'on <strong>Base</strong>',
      'KES 1,500',
      madeUpOrder().address,
      '>5:48<',
      'Test: no real money',
    ])
      expect(page).toContain(shown);
  });

  it('answers HEAD alike, and nothing but reading', async () => {
    const head = await get(PAGE, { method: 'HEAD' });
    expectPage(head, 200);
    expect(await head.text()).toBe('');
    const post = await get(PAGE, { method: 'POST' });
    expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });

  it('is the same empty page for every unknown token, well-formed or not', async () => {
    const pages = [];
    for (const token of [
      'a-token-that-was-never-given',
      'x',
      '%3Cscript%3E',
      'x'.repeat(300),
      '..%2f..%2fetc%2fpasswd',
    ]) {
      const answer = await get(`/pay/${token}`);
      expectPage(answer, 404);
      pages.push(await answer.text());
    }
    expect(new Set(pages).size).toBe(1);
    expect(pages[0]).toContain('There is no such payment');
    expect(pages[0]).not.toContain('http-equiv');
  });

  it('names only files of ours, which a browser may keep for good', async () => {
    const files = [...(await (await get(PAGE)).text()).matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(
      ([, file = '']) => file,
    );
    expect(new Set(files).size).toBe(3);
    for (const file of files) {
      const answer = await get(file);
      expect([file, answer.status, answer.headers.get('cache-control')]).toEqual([
        file,
        200,
        'public, max-age=31536000, immutable',
      ]);
      expect([file, (await get(file.replace(/\?v=.*/, ''))).headers.get('cache-control')]).toEqual([file, 'no-cache']);
      const again = await get(file, { headers: { 'if-none-match': answer.headers.get('etag') ?? '' } });
      expect(again.status).toBe(304);
    }
  });
});

describe('GET /pay/{token}/state', () => {
  it('is the state of the order, and nothing that the page does not show', async () => {
    const answer = await get(`${PAGE}/state`);
    expect([answer.status, answer.headers.get('content-type'), answer.headers.get('cache-control')]).toEqual([
      200,
      'application/json; charset=utf-8',
      'no-store',
    ]);
    expect(await answer.json()).toEqual({
      code: 200,
      message: 'The state of the order',
      data: {
        status: 'PENDING',
        reason: '',
        phase: 'waiting',
        received_amount: '0',
        missing_amount: '11.596444',
        seconds_left: 348,
        server_time: '2026-11-21T12:01:12.000Z',
        poll_after: 3,
      },
    });
  });

  it('follows what checkout says, a second later at most', async () => {
    expect(await (await get(`${PAGE}/state`)).json()).toMatchObject({ data: { phase: 'waiting' } });
    gateway.checkout.orders.set('1/made-up', madeUpOrder({ status: 'COMPLETE', received_minor: '11596444' }));
    clock.advance(1_000);
    expect(await (await get(`${PAGE}/state`)).json()).toMatchObject({
      data: { status: 'COMPLETE', phase: 'paid', missing_amount: '0', poll_after: 0 },
    });
  });

  it.each(['a-token-that-was-never-given', 'x'])('of %s is a 404 as every other', async (token) => {
    const answer = await get(`/pay/${token}/state`);
    expect([answer.status, answer.headers.get('error-code'), await answer.json()]).toEqual([
      404,
      'not_found',
      { code: 404, message: 'There is no such order' },
    ]);
  });
});

describe('in trouble', () => {
  it('is a page that tries again while checkout is away', async () => {
    const checkout = new CheckoutStub();
    checkout.before = () => Promise.reject(new Error('it is away'));
    const away = await startTestGateway({
      checkout: stubServices(new PaymentsStub(), undefined, undefined, checkout).checkout,
    });
    try {
      const answer = await get(PAGE, {}, away);
      expectPage(answer, 503);
      expect(answer.headers.get('retry-after')).toBe('5');
      const page = await answer.text();
      expect(page).toContain('<meta http-equiv="refresh" content="5">');
      expect(page).toContain('do not send it again');
      expect((await get(`${PAGE}/state`, {}, away)).status).toBe(503);
    } finally {
      await away.stop();
    }
  });

  it('is a page that asks to wait for an address that tried too many tokens; real payers are not affected', async () => {
    let allowed = true;
    const limits = limitsOf();
    const policy = { name: 'pay-page', ratePerS: 50, burst: 500 };
    limits.countPageLook = async () => ({ policy, taken: { allowed, remaining: 0, resetS: 10, retryAfterS: 2 } });
    const limited = await startTestGateway({ limits }, clock);
    try {
      limited.checkout.orders.set('1/made-up', madeUpOrder());
      expect((await get(PAGE, {}, limited)).status).toBe(200);
      allowed = false;
      const refused = await get('/pay/a-token-that-was-never-given', {}, limited);
      expectPage(refused, 429);
      expect([refused.headers.get('retry-after'), await refused.text()]).toEqual([
        '2',
        expect.stringContaining('<meta http-equiv="refresh" content="2">'),
      ]);
      const state = await get('/pay/a-token-that-was-never-given/state', {}, limited);
      expect([state.status, state.headers.get('error-code'), state.headers.get('ratelimit-policy')]).toEqual([
        429,
        'rate_limited',
        '"pay-page";q=500;w=10',
      ]);
      expect((await get(PAGE, {}, limited)).status).toBe(200);
    } finally {
      await limited.stop();
    }
  });
});
