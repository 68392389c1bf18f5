import { createHmac } from 'node:crypto';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import type { Heard } from '../simulation/listener.spec-support.js';
import { APPROVAL_SECRET, MINUTE_MS, refOf, RunningChapa } from './simulator.spec-support.js';

const hmac = (secret: string, text: string) => createHmac('sha256', secret).update(text).digest('hex');
const isSigned = ({ headers, raw }: Heard) => headers['chapa-signature'] === hmac(APPROVAL_SECRET, raw);

describe('questions of Chapa before it pays', () => {
  let chapa: RunningChapa;
  beforeEach(async () => {
    chapa = await RunningChapa.start();
  });
  afterEach(() => chapa.remove());

  it('are signed over the body, and 200 approves', async () => {
    await chapa.pay('1234');
    expect(chapa.questions.heard.map(isSigned)).toEqual([true]);
    await chapa.control.moveClock(MINUTE_MS);
    expect(chapa.paid(refOf('1234'))).toBe(1);
  });

  it.each([400, 401, 201, 500, 302])('answered %s refuse: never paid, said and told', async (status) => {
    chapa.questions.statuses.push(status);
    await chapa.pay('1234');
    expect(await chapa.record(refOf('1234'))).toMatchObject({ status: 'reverted' });
    await chapa.control.moveClock(24 * 60 * MINUTE_MS);
    expect(chapa.control.payments(refOf('1234'))).toEqual([]);
    expect(chapa.webhooks.heard.map(({ body }) => [body['event'], body['status']])).toEqual([
      ['payout.failed/cancelled', 'failed/cancelled'],
    ]);
    expect(chapa.control.account()).toMatchObject({ available: '10000000.00', reserved: '0.00' });
  });

  it('refused, are told as not paid in each webhook, whatever its number says of what is paid', async () => {
    chapa.questions.statuses.push(400);
    await chapa.pay('0321');
    await chapa.control.moveClock(2 * MINUTE_MS);
    expect(chapa.webhooks.heard.map(({ body }) => body['status'])).toEqual(['failed/cancelled', 'failed/cancelled']);
  });

  it('refuse where nobody answers', async () => {
    chapa.control.setApprovalUrl('http://127.0.0.1:1/approvals');
    await chapa.pay('1234');
    await chapa.control.moveClock(MINUTE_MS);
    expect(chapa.control.questions()).toMatchObject([{ status: null }]);
    expect(await chapa.record(refOf('1234'))).toMatchObject({ status: 'reverted' });
    expect(chapa.control.payments(refOf('1234'))).toEqual([]);
  });

  it('are not asked by an account that does not', async () => {
    chapa.control.setApprovalUrl(null);
    await chapa.pay('1234');
    await chapa.control.moveClock(MINUTE_MS);
    expect(chapa.questions.heard).toEqual([]);
    expect(chapa.paid(refOf('1234'))).toBe(1);
  });

  it('keep what is not answered unpaid, whatever the control settles', async () => {
    await chapa.pay('0602');
    await chapa.control.settleAll();
    expect(await chapa.record(refOf('0602'))).toMatchObject({ status: 'pending' });
    await chapa.control.moveClock(10 * MINUTE_MS);
    await chapa.control.moveClock(MINUTE_MS);
    expect(chapa.paid(refOf('0602'))).toBe(1);
  });

  it('never come, or too late to matter', async () => {
    await chapa.pay('0601');
    chapa.questions.statuses.push(400);
    await chapa.pay('0612');
    await chapa.control.moveClock(MINUTE_MS);
    expect(chapa.questions.heard).toEqual([]);
    await chapa.control.moveClock(10 * MINUTE_MS);
    expect(chapa.questions.heard).toHaveLength(1);
    expect([chapa.paid(refOf('0601')), chapa.paid(refOf('0612'))]).toEqual([1, 1]);
  });

  it.each([
    [[200, 400], 'success'],
    [[400, 200], 'reverted'],
  ])('twice: the first answer decides (%j)', async (statuses, end) => {
    chapa.questions.statuses.push(...statuses);
    await chapa.pay('0603');
    await chapa.control.moveClock(MINUTE_MS);
    expect(chapa.questions.heard).toHaveLength(2);
    expect(await chapa.record(refOf('0603'))).toMatchObject({ status: end });
  });

  it('come before the call that pays is answered', async () => {
    const answer = await chapa.call('POST', '/v1/transfers', {
      account_name: 'Jane Doe',
      account_number: '0912340611',
      amount: '150.50',
      currency: 'ETB',
      reference: 'po-0611',
      bank_code: 855,
    });
    expect(chapa.questions.heard).toHaveLength(1);
    expect(answer.status).toBe(200);
  });

  it.each([
    ['0604', { amount: '151.50' }, { amount: '151.50' }],
    ['0605', { account_number: '251912300605' }, { accountNumber: '0912300605' }],
    ['0608', { amount: '1150.50' }, { amount: '1150.50' }],
    ['0614', { bank: 'CBEBirr' }, { bankCode: 128 }],
    ['0615', { account_name: 'Somebody Else' }, { amount: '150.50' }],
  ])('%s asks about something else, pays that if approved and nothing if refused', async (digits, asked, paid) => {
    await chapa.pay(digits);
    await chapa.control.moveClock(MINUTE_MS);
    expect(chapa.questions.heard[0]?.body).toMatchObject(asked);
    expect(isSigned(chapa.questions.heard[0] as Heard)).toBe(digits !== '0608');
    expect(chapa.control.payments(refOf(digits))).toMatchObject([paid]);
    chapa.questions.statuses.push(400);
    await chapa.pay(digits, 'po-refused');
    await chapa.control.moveClock(MINUTE_MS);
    expect(chapa.control.payments('po-refused')).toEqual([]);
  });

  it.each([
    ['0606', [false]],
    ['0607', [false]],
    ['0609', [false, true]],
    ['0610', [true, true]],
    ['0613', [false]],
    ['0617', [true, true]],
  ])('%s are signed or not (%j), and a stranger decides nothing', async (digits, signed) => {
    await chapa.pay(digits);
    await chapa.control.moveClock(MINUTE_MS);
    expect(chapa.questions.heard.map(isSigned)).toEqual(signed);
    if (digits === '0607') expect(chapa.questions.heard[0]?.headers).not.toHaveProperty('chapa-signature');
    if (digits === '0610')
      expect(chapa.questions.heard.map(({ body }) => body['reference'])).toEqual(['NOBODYKNOWS00000', refOf('0610')]);
    if (digits === '0609' || digits === '0610') {
      chapa.questions.statuses.push(400, 200);
      await chapa.pay(digits, 'po-again');
      await chapa.control.moveClock(MINUTE_MS);
      await chapa.control.moveClock(MINUTE_MS);
      expect(chapa.paid('po-again')).toBe(1);
    }
  });

  it('0616 is approved and not paid', async () => {
    await chapa.pay('0616');
    await chapa.control.moveClock(MINUTE_MS);
    expect(await chapa.record(refOf('0616'))).toMatchObject({ status: 'failed' });
  });
});

describe('questions of an account that signs them otherwise', () => {
  it('have the constant signature', async () => {
    const chapa = await RunningChapa.start({ approval: { signs: 'secret' } });
    try {
      await chapa.pay('1234');
      expect(chapa.questions.heard[0]?.headers['chapa-signature']).toBe(hmac(APPROVAL_SECRET, APPROVAL_SECRET));
    } finally {
      await chapa.remove();
    }
  });
});
