import { createHmac } from 'node:crypto';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import type { Heard } from '../simulation/listener.spec-support.js';
import { MINUTE_MS, refOf, RunningChapa, SECRET_HASH } from './simulator.spec-support.js';

const hmac = (text: string) => createHmac('sha256', SECRET_HASH).update(text).digest('hex');

/** Which headers are right: over the bytes, over the body as JSON.stringify writes it, the constant. */
function signed({ headers, raw, body }: Heard): string[] {
  const own = headers['x-chapa-signature'];
  return [
    ...(own === hmac(raw) ? ['bytes'] : []),
    ...(own === hmac(JSON.stringify(body)) ? ['restated'] : []),
    ...(headers['chapa-signature'] === hmac(SECRET_HASH) ? ['constant'] : []),
  ];
}

describe('webhooks of Chapa', () => {
  let chapa: RunningChapa;
  beforeEach(async () => {
    chapa = await RunningChapa.start();
  });
  afterEach(() => chapa.remove());

  /** Pays to the number; what was told within an hour. */
  async function heardOf(digits: string): Promise<readonly Heard[]> {
    await chapa.pay(digits);
    // While it is queued, so that what is told then comes first.
    await chapa.control.moveClock(500);
    await chapa.control.moveClock(MINUTE_MS);
    await chapa.control.moveClock(60 * MINUTE_MS);
    return chapa.webhooks.heard;
  }

  it.each([
    ['1234', ['bytes', 'restated', 'constant']],
    ['0305', []],
    ['0306', ['constant']],
    ['0307', []],
    ['0308', ['constant']],
    ['0309', ['bytes', 'constant']],
    ['0310', ['bytes', 'constant']],
    ['0311', ['restated', 'constant']],
    ['0312', []],
    ['0313', ['constant']],
    ['0315', []],
    ['0316', ['constant']],
    ['0319', ['bytes', 'restated', 'constant']],
  ])('of %s are signed as its sentence says: %j', async (digits, expected) => {
    const heard = await heardOf(digits);
    expect(heard.map(signed)).toEqual([expected]);
  });

  it.each([
    ['1234', ['payout.success'], 'success'],
    ['0301', [], 'success'],
    ['0302', ['payout.success', 'payout.success'], 'success'],
    ['0501', ['payout.failed/cancelled'], 'failed'],
    ['0502', ['payout.failed/cancelled'], 'cancelled'],
    ['0503', ['payout.failed/cancelled'], 'failed/cancelled'],
    ['0312', ['payout.success'], 'failed'],
    ['0313', ['payout.success'], 'failed'],
    ['0314', ['payout.queued', 'payout.success'], 'success'],
    ['0315', ['payout.failed/cancelled'], 'success'],
    ['0316', ['payout.failed/cancelled'], 'success'],
    ['0318', ['payout.success'], 'queued'],
    ['0321', ['payout.failed/cancelled', 'payout.success'], 'success'],
    ['0322', ['payout.failed'], 'failed'],
    ['0107', ['payout.failed/cancelled', 'payout.success'], 'success'],
    ['0108', ['payout.success', 'payout.failed/cancelled'], 'failed'],
    ['0103', [], 'pending'],
  ])('of %s say %j, and verify %s', async (digits, events, status) => {
    const heard = await heardOf(digits);
    expect(heard.map(({ body }) => body['event'])).toEqual(events);
    for (const { body } of heard) expect(body['event']).toBe(`payout.${String(body['status'])}`);
    expect(await chapa.record(refOf(digits))).toMatchObject({ status });
  });

  it('come late, before the answer, or about something else', async () => {
    await chapa.pay('0304');
    await chapa.control.moveClock(9 * MINUTE_MS);
    expect(chapa.webhooks.of(refOf('0304'))).toEqual([]);
    await chapa.control.moveClock(2 * MINUTE_MS);
    expect(chapa.webhooks.of(refOf('0304'))).toHaveLength(1);
    await chapa.call('POST', '/v1/transfers', {
      account_name: 'Jane Doe',
      account_number: '0912340303',
      amount: '150.50',
      currency: 'ETB',
      reference: 'po-0303',
      bank_code: 855,
    });
    expect(chapa.webhooks.of('po-0303')).toMatchObject([{ body: { event: 'payout.success' } }]);
    await heardOf('0317');
    expect(chapa.webhooks.of('NOBODYKNOWS00000')).toHaveLength(1);
    await heardOf('0319');
    expect(chapa.webhooks.of(refOf('0319'))).toMatchObject([{ body: { amount: '151.50' } }]);
    await heardOf('0320');
    expect(chapa.webhooks.of(refOf('0320'))).toMatchObject([{ body: { account_number: '251912300320' } }]);
    await heardOf('0306');
    expect(chapa.webhooks.of(refOf('0306'))).toMatchObject([{ body: { amount: '1150.50' } }]);
    await heardOf('0310');
    expect(chapa.webhooks.of(refOf('0310'))[0]?.raw).toContain('failed\\/cancelled');
  });

  it('are told every ten minutes, ten times in all, until they are answered 200', async () => {
    chapa.webhooks.statuses.push(500, 201, 404);
    await chapa.pay('1234');
    await chapa.control.moveClock(1_000);
    for (let times = 1; times < 4; times += 1) await chapa.control.moveClock(10 * MINUTE_MS);
    await chapa.control.moveClock(60 * MINUTE_MS);
    expect(chapa.control.webhooks().map(({ status }) => status)).toEqual([500, 201, 404, 200]);
    chapa.webhooks.statuses.push(...Array.from({ length: 20 }, () => 500));
    await chapa.pay('4321');
    await chapa.control.moveClock(1_000);
    await chapa.control.moveClock(72 * 60 * MINUTE_MS);
    const tries = chapa.control.webhooks().filter(({ id }) => id === refOf('4321'));
    expect(tries.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect((tries.at(-1)?.atMs ?? 0) - (tries[0]?.atMs ?? 0)).toBe(90 * MINUTE_MS);
  });
});
