import { createHmac } from 'node:crypto';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import type { Heard } from '../simulation/listener.spec-support.js';
import {
  type Body,
  HOUR_MS,
  isSigned,
  MINUTE_MS,
  referenceOf,
  RunningPaystack,
  SECRET,
} from './simulator.spec-support.js';

describe('webhooks of Paystack', () => {
  let paystack: RunningPaystack;
  beforeEach(async () => {
    paystack = await RunningPaystack.start();
  });
  afterEach(() => paystack.remove());

  /** Pays to the number; what was told within an hour. */
  async function heardOf(digits: string): Promise<Heard[]> {
    const before = paystack.listener.heard.length;
    await paystack.pay(digits);
    await paystack.control.moveClock(MINUTE_MS);
    await paystack.control.moveClock(HOUR_MS);
    return paystack.listener.heard.slice(before);
  }
  const dataOf = (heard: Heard | undefined): Body => heard?.body['data'];

  it('are signed over the raw body and say what the record says', async () => {
    const [heard, ...more] = await heardOf('1234');
    expect(more).toEqual([]);
    expect([isSigned(heard as Heard), isSigned(heard as Heard, 'sk_live_another-key')]).toEqual([true, false]);
    const { session, amount, status, transfer_code, recipient } = await paystack.record(referenceOf('1234'));
    expect(heard?.body['event']).toBe('transfer.success');
    expect(dataOf(heard)).toMatchObject({ session, amount, status, transfer_code });
    expect(dataOf(heard).recipient.details).toEqual(recipient.details);
    expect(dataOf(heard).integration).toMatchObject({ is_live: true });
  });

  it.each(['0305', '0306', '0307', '0308', '0311', '0312'])(
    'of %s are not signed as they should be',
    async (digits) => {
      const heard = await heardOf(digits);
      expect(heard.map((one) => isSigned(one))).toEqual([false]);
    },
  );

  it('of 0306 were changed after signing, those of 0308 are signed otherwise', async () => {
    const [altered] = await heardOf('0306');
    expect(dataOf(altered).amount).toBe(150_100);
    const original = (altered as Heard).raw.replace('"amount":150100', '"amount":150000');
    expect(altered?.headers['x-paystack-signature']).toBe(createHmac('sha512', SECRET).update(original).digest('hex'));
    const [shorter] = await heardOf('0308');
    expect(shorter?.headers['x-paystack-signature']).toHaveLength(64);
    const [unsigned] = await heardOf('0307');
    expect(unsigned?.headers).not.toHaveProperty('x-paystack-signature');
  });

  it.each([
    ['0301', []],
    ['0302', ['success', 'success']],
    ['0311', ['success']],
    ['0312', ['failed']],
    ['0314', ['success']],
    ['0107', ['failed', 'success']],
    ['0108', ['success', 'reversed']],
    ['0112', ['reversed']],
    ['0105', []],
    ['0109', []],
    ['0110', []],
    ['0111', []],
    ['0501', ['failed']],
  ])('of %s say %j', async (digits, said) => {
    const heard = await heardOf(digits);
    expect(heard.map((one) => String(dataOf(one).status))).toEqual(said);
    expect(heard.map(({ body }) => body['event'])).toEqual(said.map((status) => `transfer.${status}`));
  });

  it('come late, or before the answer', async () => {
    await paystack.pay('0304');
    await paystack.control.moveClock(9 * MINUTE_MS);
    expect(paystack.heardOf(referenceOf('0304'))).toEqual([]);
    await paystack.control.moveClock(2 * MINUTE_MS);
    expect(paystack.heardOf(referenceOf('0304'))).toHaveLength(1);
    const answer = await paystack.pay('0303');
    expect(paystack.heardOf(referenceOf('0303'))).toMatchObject([{ body: { event: 'transfer.success' } }]);
    expect(answer.body.data.status).toBe('pending');
  });

  it('say another reference, amount or event, and are signed', async () => {
    const [stranger, own] = await heardOf('0313');
    expect(dataOf(stranger).reference).toBe('another-reference-0001');
    expect(dataOf(own).reference).toBe(referenceOf('0313'));
    const [dearer] = await heardOf('0315');
    expect(dataOf(dearer).amount).toBe(150_100);
    const [strange] = await heardOf('0316');
    expect(strange?.body['event']).toBe('transfer.something_new');
    for (const heard of [stranger, own, dearer, strange]) expect(isSigned(heard as Heard)).toBe(true);
  });

  it('spell times in both ways', async () => {
    const [camel] = await heardOf('0309');
    const [snake] = await heardOf('0310');
    expect(dataOf(camel)).toMatchObject({ createdAt: expect.any(String), fee_charged: 0, gateway_response: null });
    expect(dataOf(camel)).not.toHaveProperty('created_at');
    expect(dataOf(snake)).toMatchObject({
      created_at: expect.any(String),
      recipient: { created_at: expect.any(String) },
    });
    expect(dataOf(snake)).not.toHaveProperty('createdAt');
  });

  it('are tried again until they are answered 200: every three minutes, then hourly, for 72 hours', async () => {
    paystack.listener.statuses.push(500, 204, 302);
    await paystack.pay('1234');
    await paystack.control.moveClock(1_000);
    await paystack.control.moveClock(10 * MINUTE_MS);
    const tries = () => paystack.control.deliveries().map(({ status }) => status);
    expect(tries()).toEqual([500, 204, 302, 200]);
    paystack.listener.statuses.push(...Array.from({ length: 100 }, () => 500));
    await paystack.pay('4321');
    await paystack.control.moveClock(80 * HOUR_MS);
    const times = paystack.control.deliveries().flatMap(({ id, atMs }) => (id === referenceOf('4321') ? [atMs] : []));
    const after = times.map((atMs) => atMs - (times[0] ?? 0));
    expect(after.slice(0, 6)).toEqual([0, 3, 6, 9, 69, 129].map((minutes) => minutes * MINUTE_MS));
    expect(after.at(-1)).toBeLessThanOrEqual(72 * HOUR_MS);
    expect(after.at(-1)).toBeGreaterThan(71 * HOUR_MS);
  });
});

describe('the approval of transfers', () => {
  let paystack: RunningPaystack;
  const start = async (form: 'nested' | 'flat', signed: boolean): Promise<void> => {
    paystack = await RunningPaystack.start({ approval: { form, signed }, webhooks: { url: null } });
    paystack.control.setApprovalUrl(paystack.listener.url);
  };
  afterEach(() => paystack.remove());

  it.each([
    [200, 'success', 1],
    [400, 'rejected', 0],
    [401, 'blocked', 0],
    [500, 'blocked', 0],
  ])('answered %s makes them %s', async (status, end, times) => {
    await start('nested', false);
    paystack.listener.statuses.push(status);
    const answer = await paystack.pay('1234');
    expect(answer.body.data.status).toBe('received');
    await paystack.control.moveClock(0);
    await paystack.control.moveClock(MINUTE_MS);
    expect(await paystack.record(referenceOf('1234'))).toMatchObject({ status: end });
    expect(paystack.standing(referenceOf('1234'))).toBe(times);
    expect(paystack.listener.heard).toHaveLength(1);
    expect(paystack.listener.heard[0]?.headers).not.toHaveProperty('x-paystack-signature');
  });

  it('is asked for with reference and amount, nested or flat, signed or not', async () => {
    await start('nested', true);
    await paystack.pay('1234');
    await paystack.control.moveClock(0);
    const [nested] = paystack.listener.heard;
    const asked = { reference: referenceOf('1234'), amount: 150_000 };
    expect(nested?.body).toMatchObject({ data: { transfers: [asked], details: { body: asked } } });
    expect(isSigned(nested as Heard)).toBe(true);
    await paystack.remove();
    await start('flat', false);
    await paystack.pay('1234');
    await paystack.control.moveClock(0);
    expect(paystack.listener.heard[0]?.body).toMatchObject(asked);
  });

  it('blocks them where nobody answers', async () => {
    await start('nested', false);
    await paystack.listener.stop();
    await paystack.pay('1234');
    await paystack.control.moveClock(0);
    expect(await paystack.record(referenceOf('1234'))).toMatchObject({ status: 'blocked' });
    const { balance } = paystack.control.balances().find(({ currency }) => currency === 'NGN') ?? {};
    expect(balance).toBe('10000000000');
  });
});

describe('the control over HTTP', () => {
  let paystack: RunningPaystack;
  beforeEach(async () => {
    paystack = await RunningPaystack.start();
  });
  afterEach(() => paystack.remove());

  const control = async (method: 'GET' | 'POST' | 'DELETE', path: string, body?: object): Promise<Body> =>
    (await paystack.call(method, paystack.controlUrl + path, body)).body;

  it('shows the book and moves the clock', async () => {
    await paystack.pay('1234');
    expect(await control('POST', '/clock', { advanceMs: MINUTE_MS })).toEqual({ done: true });
    expect(await control('POST', '/clock', { advanceMs: -1 })).toEqual({ done: false });
    const { transfers, balances } = await control('GET', '/book');
    expect(transfers).toMatchObject([
      { reference: referenceOf('1234'), status: 'success', submits: 1, payments: [{}] },
    ]);
    expect(balances).toEqual(paystack.control.balances());
    expect(await control('GET', `/book/${referenceOf('1234')}`)).toMatchObject({ payments: [{ reversed: false }] });
    expect((await control('GET', '/webhooks')).deliveries).toMatchObject([{ id: referenceOf('1234'), status: 200 }]);
    expect((await control('GET', '/numbers'))['0001']).toMatch('cut');
  });

  it('settles, releases, pays, fails, reverses, tops up, deletes recipients and sets the URLs', async () => {
    await paystack.pay('1234');
    await paystack.pay('0106');
    await control('POST', '/settle');
    expect(paystack.control.payments(referenceOf('1234'))).toHaveLength(1);
    const steer = (action: string) => control('POST', `/transfers/${referenceOf('0106')}/${action}`);
    for (const action of ['release', 'fail', 'pay', 'reverse']) expect(await steer(action)).toEqual({ done: true });
    expect(await steer('reverse')).toEqual({ done: false });
    expect(await steer('burn')).toEqual({ done: false });
    expect(paystack.control.payments(referenceOf('0106'))).toMatchObject([{ reversed: true }, { reversed: true }]);
    expect(await control('POST', '/transfers/nobody/pay')).toEqual({ done: false });
    expect(await control('POST', '/balances/NGN/top-up', { minor: '-50' })).toEqual({ done: true });
    expect(await control('POST', '/balances/NGN/top-up', { minor: 'all' })).toEqual({ done: false });
    expect(await control('POST', '/balances/XXX/top-up', { minor: '50' })).toEqual({ done: false });
    const code = await paystack.recipient('1234');
    expect(await control('DELETE', `/recipients/${code}`)).toEqual({ done: true });
    const before = paystack.listener.heard.length;
    expect(await control('POST', '/webhook-url', { url: null })).toEqual({ done: true });
    expect(await control('POST', '/approval-url', { url: 'nowhere' })).toEqual({ done: false });
    await control('POST', `/transfers/${referenceOf('1234')}/fail`);
    expect(paystack.listener.heard).toHaveLength(before);
    expect(await control('POST', '/approval-url', { url: paystack.listener.url })).toEqual({ done: true });
    await paystack.pay('5555');
    await paystack.control.moveClock(0);
    expect(paystack.listener.heard).toHaveLength(before + 1);
  });

  it('wants a token, and is no part of the API', async () => {
    expect((await fetch(`${paystack.controlUrl}/book`)).status).toBe(401);
    expect((await paystack.call('GET', '/book')).status).toBe(404);
  });
});
