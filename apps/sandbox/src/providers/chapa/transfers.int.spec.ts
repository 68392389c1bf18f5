import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import type { Bank } from './data/bank-table.js';
import { type Body, MINUTE_MS, refOf, RunningChapa, transferTo } from './simulator.spec-support.js';

interface Row {
  readonly reference: string;
  readonly status: string;
}

describe('transfers of Chapa', () => {
  let chapa: RunningChapa;
  beforeEach(async () => {
    chapa = await RunningChapa.start({ chargeHundredths: 500n });
  });
  afterEach(() => chapa.remove());

  it('are taken, asked about, queued, paid once and told', async () => {
    const reference = refOf('plain');
    expect(await chapa.pay('1234', reference)).toEqual({
      status: 200,
      body: { message: 'Transfer Queued Successfully', status: 'success', data: reference },
    });
    expect(chapa.questions.heard.map(({ body }) => body)).toEqual([
      {
        amount: '150.50',
        reference,
        bank: 'telebirr',
        account_name: 'Jane Doe',
        account_number: '251912341234',
      },
    ]);
    expect(await chapa.record(reference)).toMatchObject({ status: 'pending', amount: 150.5, tx_ref: reference });
    await chapa.control.moveClock(200);
    expect(await chapa.record(reference)).toMatchObject({ status: 'queued' });
    await chapa.control.moveClock(800);
    const [payment] = chapa.control.payments(reference);
    expect(await chapa.record(reference)).toMatchObject({
      status: 'success',
      charge: 5,
      cross_party_reference: payment?.receipt,
      created_at: '2026-11-21T10:00:00.000000Z',
      updated_at: '2026-11-21T10:00:01.000000Z',
    });
    expect(payment).toMatchObject({ amount: '150.50', accountNumber: '0912341234', bankCode: 855, reversed: false });
    expect(chapa.webhooks.heard.map(({ body }) => body)).toMatchObject([
      { event: 'payout.success', type: 'Payout', reference, bank_reference: payment?.receipt, charge: '5.00' },
    ]);
    expect(chapa.control.payments(reference)).toHaveLength(1);
  });

  it('set principal and charge aside at once, and give both back when unpaid', async () => {
    await chapa.pay('1234');
    await chapa.pay('0501');
    expect(chapa.control.account()).toMatchObject({ available: '9999689.00', reserved: '311.00', paid: '0.00' });
    expect((await chapa.call('GET', '/v1/balances')).body).toEqual({
      message: 'Balances fetched',
      status: 'success',
      data: [{ currency: 'ETB', available_balance: 9_999_689, ledger_balance: 10_000_000 }],
    });
    await chapa.control.moveClock(MINUTE_MS);
    expect(chapa.control.account()).toMatchObject({
      available: '9999844.50',
      reserved: '0.00',
      paid: '150.50',
      charges: '5.00',
    });
  });

  it('are unknown where they were never taken', async () => {
    const unknown = {
      status: 404,
      body: { message: 'Invalid transaction or Transaction not found', status: 'failed', data: null },
    };
    expect(await chapa.verify('never')).toEqual(unknown);
    await chapa.pay('0401');
    expect(await chapa.verify(refOf('0401'))).toEqual(unknown);
  });

  it('want a key', async () => {
    for (const path of ['/v1/banks', '/v1/transfers', '/v1/balances', '/v1/transfers/verify/x']) {
      expect(await chapa.call('GET', path, undefined, '')).toEqual({
        status: 401,
        body: { message: 'Authorization required', status: 'failed', data: null },
      });
      expect((await chapa.call('GET', path, undefined, 'CHASECK-wrong')).status).toBe(401);
    }
  });

  it.each([
    ['no JSON', '{"reference"', 400, expect.anything()],
    ['a list', '[]', 400, { amount: ['validation.required'] }],
    ['no amount', { amount: undefined }, 400, { amount: ['validation.required'] }],
    ['no name', { account_name: '' }, 400, { account_name: ['validation.required'] }],
    ['a number for an amount', { amount: 150.5 }, 400, { amount: ['validation.string'] }],
    ['three decimals', { amount: '150.555' }, 400, { amount: ['validation.numeric'] }],
    ['nothing', { amount: '0' }, 400, { amount: ['validation.numeric'] }],
    ['an empty reference', { reference: '' }, 400, { reference: ['validation.required'] }],
    ['another currency', { currency: 'USD' }, 400, expect.stringMatching(/^Invalid currency, USD/)],
    ['a bank of nowhere', { bank_code: 1 }, 401, expect.stringMatching(/^The Bank Code is incorrect/)],
    ['a code as text', { bank_code: '855' }, 401, expect.stringMatching(/^The Bank Code is incorrect/)],
    [
      'a number with the country',
      { account_number: '251912341234' },
      400,
      'The account number is not valid for telebirr',
    ],
    [
      'too few digits',
      { account_number: '091234123', bank_code: 128 },
      400,
      'The account number is not valid for CBEBirr',
    ],
    ['no local number', { account_number: '9912341234' }, 400, 'The account number is not valid for telebirr'],
  ])('are refused with %s', async (_what, change, status, message) => {
    const body = typeof change === 'string' ? change : { ...transferTo('1234'), ...change };
    const answer = await chapa.call('POST', '/v1/transfers', body);
    expect(answer).toEqual({ status, body: { message, status: 'failed', data: null } });
    expect(chapa.control.book().transfers).toEqual([]);
  });

  it('go under a reference of Chapa where none is given', async () => {
    const answer = await chapa.call('POST', '/v1/transfers', { ...transferTo('1234'), reference: undefined });
    expect(answer.body.data).toMatch(/^CH/);
    expect(await chapa.record(answer.body.data)).toMatchObject({ status: 'pending' });
  });

  it('are refused while the balance has less, without touching it, and taken after a top-up', async () => {
    await chapa.control.topUp(-999_984_451n);
    expect(chapa.control.account()).toMatchObject({ available: '155.49' });
    expect(await chapa.pay('1234')).toMatchObject({ status: 400, body: { message: 'Insufficient Balance' } });
    expect(chapa.control.account()).toMatchObject({ available: '155.49', reserved: '0.00' });
    await chapa.control.topUp(1n);
    expect((await chapa.pay('1234')).status).toBe(200);
    expect(chapa.control.account()).toMatchObject({ available: '0.00', reserved: '155.50' });
  });

  it('are listed newest first, ten on a page', async () => {
    for (let n = 1; n <= 12; n += 1) await chapa.pay(n === 1 ? '0502' : '1234', `po-${n}`);
    await chapa.control.moveClock(MINUTE_MS);
    const { body } = await chapa.call('GET', '/v1/transfers');
    expect(body.meta).toMatchObject({
      current_page: 1,
      last_page: 2,
      per_page: 10,
      to: 10,
      total: 12,
      prev_page_url: null,
    });
    expect(body.data[0]).toMatchObject({ reference: 'po-12', status: 'success', amount: 150.5 });
    const next = (await chapa.call('GET', body.meta.next_page_url)).body;
    expect(next.meta).toMatchObject({ current_page: 2, to: 12, next_page_url: null });
    expect((next.data as Row[]).map((row) => [row.reference, row.status])).toEqual([
      ['po-2', 'success'],
      ['po-1', 'failed/cancelled'],
    ]);
  });

  it('tell their banks, wallets among them', async () => {
    const { body } = await chapa.call('GET', '/v1/banks');
    expect(body.message).toBe('Banks retrieved');
    const wallets = (body.data as Bank[]).filter((bank) => bank.is_mobilemoney === 1);
    expect(wallets.map((bank) => [bank.id, bank.slug])).toEqual([
      [128, 'cbebirr'],
      [266, 'mpesa'],
      [855, 'telebirr'],
      [893, 'coopay_ebirr'],
    ]);
  });

  it('are the same after a restart, with money, questions and future steps', async () => {
    await chapa.pay('0113');
    await chapa.pay('1234');
    await chapa.pay('0602');
    await chapa.control.moveClock(MINUTE_MS);
    const before = chapa.control.book();
    await chapa.restart();
    expect(chapa.control.book()).toEqual(before);
    expect(await chapa.record(refOf('0113'))).toMatchObject({ status: 'queued' });
    expect((await chapa.pay('1234')).body.message).toMatch(/used before/);
    await chapa.control.moveClock(30 * MINUTE_MS);
    await chapa.control.moveClock(MINUTE_MS);
    expect(await chapa.record(refOf('0113'))).toMatchObject({ status: 'success' });
    expect(await chapa.record(refOf('0602'))).toMatchObject({ status: 'success' });
  });

  it('are shown and led over HTTP', async () => {
    const control = async (method: 'GET' | 'POST', path: string, body?: object): Promise<Body> =>
      (await chapa.call(method, chapa.controlUrl + path, body)).body;
    await chapa.pay('0102');
    expect(await control('POST', '/clock', { advanceMs: MINUTE_MS })).toEqual({ done: true });
    expect(await control('POST', `/transfers/${refOf('0102')}/release`)).toEqual({ done: true });
    expect(await control('POST', `/transfers/${refOf('0102')}/release`)).toEqual({ done: false });
    expect(await control('POST', `/transfers/${refOf('0102')}/other`)).toEqual({ done: false });
    expect(await control('GET', `/book/${refOf('0102')}`)).toMatchObject({
      payments: [{ reversed: false }],
      submits: 1,
    });
    expect(await control('POST', `/transfers/${refOf('0102')}/fail`)).toEqual({ done: true });
    expect(await control('GET', `/book/${refOf('0102')}`)).toMatchObject({ payments: [{ reversed: true }] });
    expect(await control('POST', '/top-up', { amount: '-5.00' })).toEqual({ done: true });
    expect((await control('GET', '/book')).account).toMatchObject({ toppedUp: '-5.00' });
    expect(await control('POST', '/approval-url', { url: null })).toEqual({ done: true });
    await chapa.pay('1234');
    expect((await control('GET', '/questions')).deliveries).toHaveLength(1);
    expect(await control('POST', '/settle')).toEqual({ done: true });
    expect(chapa.paid(refOf('1234'))).toBe(1);
    expect((await control('GET', '/webhooks')).deliveries.length).toBeGreaterThan(1);
    expect((await control('GET', '/numbers'))['0103']).toBe('Pending for ever.');
    expect((await chapa.call('GET', `${chapa.controlUrl}/book`, undefined, 'CHASECK-wrong')).status).toBe(401);
  });
});
