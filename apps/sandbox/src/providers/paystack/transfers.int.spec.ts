import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { REFUSALS } from './behaviour/refusals.js';
import {
  ALL_KINDS,
  type Body,
  HOUR_MS,
  MINUTE_MS,
  recipientOf,
  referenceOf,
  RunningPaystack,
  transferTo,
} from './simulator.spec-support.js';

const FEE = 1_000n;

describe('Paystack transfers', () => {
  let paystack: RunningPaystack;
  beforeEach(async () => {
    paystack = await RunningPaystack.start({ feesMinor: { default: FEE } });
  });
  afterEach(() => paystack.remove());

  const balanceOf = (currency: string) => paystack.control.balances().find((one) => one.currency === currency);

  it('are queued, paid once, told and verified, in each kind of recipient', async () => {
    for (const kind of ALL_KINDS) {
      const reference = referenceOf(kind);
      const answer = await paystack.pay('1234', reference, kind);
      expect(answer).toMatchObject({ status: 200, body: { message: 'Transfer has been queued' } });
      const { transfer_code: code, id, status } = answer.body.data;
      expect([kind, status]).toEqual([kind, 'pending']);
      await paystack.control.moveClock(1_000);
      const record = await paystack.record(reference);
      expect(record).toMatchObject({ status: 'success', amount: 150_000, reference, transfer_code: code });
      for (const name of [code, id])
        expect((await paystack.call('GET', `/transfer/${name}`)).body.data).toEqual(record);
      const [payment, ...more] = paystack.control.payments(reference);
      expect(more).toEqual([]);
      expect(payment).toMatchObject({ receipt: record.session.id ?? code, reversed: false });
      expect(paystack.heardOf(reference)).toMatchObject([{ body: { event: 'transfer.success' } }]);
    }
  });

  it('take a reference once, whatever else is asked under it', async () => {
    const reference = referenceOf('twice');
    await paystack.pay('1234', reference);
    const other = { ...transferTo(await paystack.recipient('4321'), reference), amount: 99 };
    expect(await paystack.call('POST', '/transfer', other)).toMatchObject({
      status: 400,
      body: { status: false, code: 'duplicate_transfer_reference' },
    });
    await paystack.control.moveClock(MINUTE_MS);
    expect((await paystack.pay('1234', reference)).status).toBe(400);
    expect(paystack.control.payments(reference)).toHaveLength(1);
    expect(paystack.control.submits(reference)).toBe(3);
  });

  it('are made a reference where none is given', async () => {
    const { reference: _reference, ...rest } = transferTo(await paystack.recipient('1234'), '');
    const { data } = (await paystack.call('POST', '/transfer', rest)).body;
    expect(await paystack.record(data.reference)).toMatchObject({ transfer_code: data.transfer_code });
  });

  it('set amount and fee aside at once, give both back at failure, and keep the fee of what is paid', async () => {
    await paystack.pay('1234');
    await paystack.pay('0501');
    expect(balanceOf('NGN')).toMatchObject({ balance: '9999698000', reserved: '302000', paid: '0' });
    await paystack.control.moveClock(MINUTE_MS);
    expect(balanceOf('NGN')).toMatchObject({ balance: '9999849000', reserved: '0', paid: '150000', fees: '1000' });
    const { data } = (await paystack.call('GET', '/balance')).body;
    expect(data).toContainEqual({ currency: 'NGN', balance: 9_999_849_000 });
  });

  it('are refused while the balance has less than amount and fee, and taken after a top-up', async () => {
    await paystack.control.topUp('NGN', -9_999_849_001n);
    expect(await paystack.pay('1234')).toMatchObject({ status: 400, body: { message: REFUSALS.no_balance.message } });
    expect(balanceOf('NGN')).toMatchObject({ balance: '150999', reserved: '0' });
    expect((await paystack.verify(referenceOf('1234'))).status).toBe(404);
    await paystack.control.topUp('NGN', 1n);
    expect((await paystack.pay('1234')).status).toBe(200);
    expect(balanceOf('NGN')).toMatchObject({ balance: '0', reserved: '151000' });
  });

  it('want the secret key', async () => {
    const ask = (headers: Record<string, string>) => fetch(`${paystack.baseUrl}/balance`, { headers });
    for (const [headers, message] of [
      [{}, 'No Authorization Header was found'],
      [{ authorization: 'wrong' }, 'Format is Authorization Bearer [secret key]'],
      [{ authorization: 'Bearer sk_live_wrong' }, 'Invalid key'],
    ] as [Record<string, string>, string][]) {
      const answer = await ask(headers);
      expect(answer.status).toBe(401);
      expect(await answer.json()).toMatchObject({ status: false, message });
    }
  });

  it.each([
    ['no JSON', '{"source"', 'invalid_params'],
    ['a list', '[]', 'invalid_params'],
    ['another source', { source: 'card' }, 'invalid_params'],
    ['no amount', { amount: undefined }, 'invalid_amount'],
    ['a string for an amount', { amount: '150000' }, 'invalid_amount'],
    ['a fraction', { amount: 1500.5 }, 'invalid_amount'],
    ['nothing', { amount: 0 }, 'invalid_amount'],
    ['no recipient', { recipient: undefined }, 'invalid_transfer_recipient'],
    ['a recipient of nobody', { recipient: 'RCP_0000000001' }, 'invalid_transfer_recipient'],
    ['another currency than the recipient has', { currency: 'KES' }, 'invalid_params'],
    ['capitals in the reference', { reference: 'PO_7F3C1A90_1_000' }, 'invalid_reference'],
    ['a dot in the reference', { reference: 'po.7f3c1a90.1.000' }, 'invalid_reference'],
    ['a reference of fifteen', { reference: 'a'.repeat(15) }, 'invalid_reference'],
    ['a reference of 51', { reference: 'a'.repeat(51) }, 'invalid_reference'],
  ])('refuse %s', async (_what, change, code) => {
    const honest = transferTo(await paystack.recipient('1234'), referenceOf('refused'));
    const body = typeof change === 'string' ? change : { ...honest, ...change };
    expect(await paystack.call('POST', '/transfer', body)).toMatchObject({
      status: 400,
      body: { status: false, code },
    });
    expect(paystack.control.book().transfers).toEqual([]);
  });

  it('to a till or a paybill say what for', async () => {
    const recipient = await paystack.recipient('1234', 'mobile_money_business');
    const { account_reference: _left, ...body } = transferTo(recipient, referenceOf('till'), 'mobile_money_business');
    expect((await paystack.call('POST', '/transfer', body)).body.code).toBe('invalid_params');
  });

  it('wait for an OTP for half an hour, and go on with it', async () => {
    const reference = referenceOf('0101');
    const { transfer_code } = (await paystack.pay('0101')).body.data;
    const finalize = (otp: string) => paystack.call('POST', '/transfer/finalize_transfer', { transfer_code, otp });
    expect((await finalize('000000')).body).toMatchObject({ status: false, message: REFUSALS.otp_wrong.message });
    await paystack.control.moveClock(29 * MINUTE_MS);
    expect((await finalize('123456')).body).toMatchObject({ status: true, data: { status: 'pending' } });
    await paystack.control.moveClock(HOUR_MS);
    expect(await paystack.record(reference)).toMatchObject({ status: 'success' });
    expect((await finalize('123456')).body.message).toBe(REFUSALS.not_in_otp.message);
    expect(paystack.control.payments(reference)).toHaveLength(1);
  });

  it('are the same after a restart, with money, recipients and future steps', async () => {
    await paystack.pay('0103');
    await paystack.pay('1234');
    await paystack.control.moveClock(MINUTE_MS);
    const [balances, recipient] = [paystack.control.balances(), await paystack.recipient('1234')];
    const record = await paystack.record(referenceOf('1234'));
    await paystack.restart();
    expect(paystack.control.balances()).toEqual(balances);
    expect(await paystack.recipient('1234')).toBe(recipient);
    expect(await paystack.record(referenceOf('1234'))).toEqual(record);
    expect((await paystack.pay('1234')).body.code).toBe('duplicate_transfer_reference');
    await paystack.control.moveClock(HOUR_MS);
    expect(await paystack.record(referenceOf('0103'))).toMatchObject({ status: 'success' });
  });

  it('are listed newest first, by page and time', async () => {
    for (const name of ['a', 'b', 'c']) {
      await paystack.pay('1234', referenceOf(name));
      await paystack.control.moveClock(HOUR_MS);
    }
    const list = async (query: string): Promise<Body> => (await paystack.call('GET', `/transfer${query}`)).body;
    const names = async (query: string) =>
      ((await list(query)).data as { reference: string }[]).map(({ reference }) => reference);
    expect(await names('')).toEqual(['c', 'b', 'a'].map(referenceOf));
    const page = await list('?perPage=2&page=2');
    expect(page.meta).toEqual({ total: 3, skipped: 2, perPage: 2, page: 2, pageCount: 2 });
    expect(page.data).toEqual([await paystack.record(referenceOf('a'))]);
    expect(await names('?from=2026-11-21T10:30:00Z&to=2026-11-21T11:30:00Z')).toEqual([referenceOf('b')]);
    expect(await names('?from=2026-11-22')).toEqual([]);
    expect(await names('?status=failed')).toEqual([]);
    expect((await list('?from=yesterday')).message).toBe("Invalid 'from' date");
    expect((await list('?to=2026-13-01')).message).toBe("Invalid 'to' date");
    expect((await list('?perPage=0')).status).toBe(false);
  });
});

describe('Paystack of an account that has it otherwise', () => {
  it.each([
    [{ duplicateAs: '404' as const }, 404, 'unknown'],
    [{ duplicateAs: '400' as const }, 400, 'duplicate_transfer_reference'],
  ])('answers a used reference by %j', async (settings, status, code) => {
    const paystack = await RunningPaystack.start(settings);
    try {
      await paystack.pay('1234');
      expect(await paystack.pay('1234')).toMatchObject({ status, body: { status: false, code } });
      expect((await paystack.pay('0022')).status).toBe(200);
      expect((await paystack.pay('0022')).status).toBe(404);
    } finally {
      await paystack.remove();
    }
  });

  it('wants an OTP for each, or takes any reference', async () => {
    const paystack = await RunningPaystack.start({ otp: true, references: 'any' });
    try {
      expect((await paystack.pay('1234', 'ACV_1')).body.data).toMatchObject({ status: 'otp', reference: 'ACV_1' });
    } finally {
      await paystack.remove();
    }
  });
});

describe('Paystack recipients and banks', () => {
  let paystack: RunningPaystack;
  beforeEach(async () => {
    paystack = await RunningPaystack.start();
  });
  afterEach(() => paystack.remove());

  it('have one code for one account, of each kind', async () => {
    const codes = new Set<string>();
    for (const kind of ALL_KINDS) {
      const made = await paystack.call('POST', '/transferrecipient', recipientOf('1234', kind));
      expect(made).toMatchObject({ status: 201, body: { data: { active: true } } });
      const again = { ...recipientOf('1234', kind), name: 'SOMEBODY ELSE' };
      const same = await paystack.call('POST', '/transferrecipient', again);
      expect(same).toMatchObject({ status: 200, body: { data: made.body.data } });
      codes.add(made.body.data.recipient_code);
    }
    expect(codes.size).toBe(ALL_KINDS.length);
  });

  it('are gone when deleted, and others when made again', async () => {
    const code = await paystack.recipient('1234');
    expect((await paystack.call('GET', `/transferrecipient/${code}`)).body.data.recipient_code).toBe(code);
    expect((await paystack.call('DELETE', `/transferrecipient/${code}`)).status).toBe(200);
    for (const method of ['GET', 'DELETE'] as const)
      expect((await paystack.call(method, `/transferrecipient/${code}`)).status).toBe(404);
    const body = transferTo(code, referenceOf('gone'));
    expect((await paystack.call('POST', '/transfer', body)).body.code).toBe('invalid_transfer_recipient');
    const next = await paystack.recipient('1234');
    expect(next).not.toBe(code);
    expect((await paystack.call('POST', '/transfer', { ...body, recipient: next })).status).toBe(200);
    expect(await paystack.control.deleteRecipient(next)).toBe(true);
    expect(await paystack.control.deleteRecipient(next)).toBe(false);
    expect((await paystack.record(referenceOf('gone'))).recipient).toMatchObject({ is_deleted: true, active: false });
  });

  it.each([
    ['no name', { name: undefined }, 'invalid_params'],
    ['no account', { account_number: undefined }, 'invalid_params'],
    ['a type of elsewhere', { type: 'basa' }, 'invalid_params'],
    ['a bank of nowhere', { bank_code: '000' }, 'invalid_params'],
    ['a short account', { account_number: '012345678' }, 'invalid_account'],
    ['an account of nobody', { account_number: '0123450601' }, 'invalid_account'],
  ])('are refused with %s', async (_what, change, code) => {
    const body = { ...recipientOf('1234'), ...change };
    expect(await paystack.call('POST', '/transferrecipient', body)).toMatchObject({
      status: 400,
      body: { status: false, code },
    });
  });

  it('of nobody fail where names are not known', async () => {
    const reference = referenceOf('nobody');
    await paystack.pay('0601', reference, 'mpesa');
    await paystack.control.moveClock(MINUTE_MS);
    expect(await paystack.record(reference)).toMatchObject({ status: 'failed' });
  });

  it('have names, where somebody has the account', async () => {
    const resolve = (account: string, bank = '044') =>
      paystack.call('GET', `/bank/resolve?account_number=${account}&bank_code=${bank}`);
    const { data } = (await resolve('0123451234')).body;
    expect(data).toMatchObject({
      account_number: '0123451234',
      account_name: expect.stringMatching(/^[A-Z]+ [A-Z]+$/),
    });
    const recipient = (await paystack.call('POST', '/transferrecipient', recipientOf('1234'))).body.data;
    expect(recipient.details.account_name).toBe(data.account_name);
    expect((await resolve('0241231234', 'MTN')).status).toBe(200);
    expect(await resolve('0123450601')).toMatchObject({ status: 422, body: { code: 'invalid_bank_code' } });
    expect(await resolve('012345123')).toMatchObject({ status: 422 });
    expect(await resolve('01234512x4')).toMatchObject({ status: 400, body: { code: 'invalid_params' } });
    expect(await resolve('0123451234', '000')).toMatchObject({
      status: 400,
      body: { message: 'Unknown bank code: 000' },
    });
    expect((await resolve('0123450602')).body.data.account_name).toBe('');
    expect((await resolve('0123450603')).status).toBe(500);
    expect((await resolve('0123450604')).status).toBe(429);
    expect(await resolve('0123450605')).toMatchObject({ status: 200, body: null });
  });

  it('have banks, by currency, type and page', async () => {
    const banks = async (query: string) =>
      (await paystack.call('GET', `/bank${query}`)).body.data as { code: string; id: number }[];
    expect((await banks('?currency=NGN')).length).toBeGreaterThan(200);
    expect((await banks('?currency=GHS&type=mobile_money')).map(({ code }) => code)).toEqual(['MTN', 'VOD', 'ATL']);
    expect(await banks('?country=kenya&type=mobile_money_business&perPage=1&page=2')).toMatchObject([
      { code: 'MPPAYBILL', currency: 'KES' },
    ]);
    const all = await banks('');
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
  });
});
