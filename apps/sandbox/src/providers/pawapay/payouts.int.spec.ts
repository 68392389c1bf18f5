import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { idOf, MINUTE_MS, payoutTo, RunningPawapay } from './simulator.spec-support.js';

describe('pawaPay payouts', () => {
  let pawapay: RunningPawapay;
  beforeEach(async () => {
    pawapay = await RunningPawapay.start({ fees: { default: { fixedHundredths: 100n, basisPoints: 100n } } });
  });
  afterEach(() => pawapay.remove());

  const walletOf = (currency: string) => pawapay.control.wallets().find((wallet) => wallet.currency === currency);

  it('are accepted, processed, paid once and called back', async () => {
    const id = idOf('plain');
    expect(await pawapay.pay('1234', id)).toMatchObject({
      status: 200,
      body: { payoutId: id, status: 'ACCEPTED', created: '2026-11-21T10:00:00Z' },
    });
    expect(await pawapay.record(id)).toMatchObject({ status: 'FOUND', data: { status: 'ACCEPTED', amount: '1500' } });
    await pawapay.control.moveClock(200);
    expect(await pawapay.record(id)).toMatchObject({ data: { status: 'PROCESSING' } });
    await pawapay.control.moveClock(800);
    const { data } = await pawapay.record(id);
    expect(data).toMatchObject({ status: 'COMPLETED', metadata: { po: '1' }, country: 'MWI' });
    expect(pawapay.heardOf(id).map(({ body }) => body)).toEqual([data]);
    expect(pawapay.control.payments(id)).toMatchObject([{ receipt: data.providerTransactionId, reversed: false }]);
  });

  it('take an id once, whatever else is asked under it', async () => {
    const id = idOf('twice');
    await pawapay.pay('1234', id);
    const again = { ...payoutTo('4321', id), amount: '99' };
    expect((await pawapay.call('POST', '/v2/payouts', again)).body).toMatchObject({
      payoutId: id,
      status: 'DUPLICATE_IGNORED',
    });
    await pawapay.control.moveClock(MINUTE_MS);
    expect((await pawapay.pay('1234', id)).body).toMatchObject({ status: 'DUPLICATE_IGNORED' });
    expect(pawapay.control.payments(id)).toHaveLength(1);
    expect(pawapay.control.submits(id)).toBe(3);
  });

  it('reserve the principal at once, give it back at failure, and charge the fee on completion', async () => {
    await pawapay.pay('1234');
    await pawapay.pay('6089');
    expect(walletOf('MWK')).toMatchObject({ balance: '99997000.00', reserved: '3000.00', paid: '0.00' });
    await pawapay.control.moveClock(MINUTE_MS);
    expect(walletOf('MWK')).toMatchObject({
      balance: '99998484.00',
      reserved: '0.00',
      paid: '1500.00',
      fees: '16.00',
    });
  });

  it('are unknown where they were never taken', async () => {
    expect(await pawapay.record(idOf('never'))).toEqual({ status: 'NOT_FOUND' });
    expect((await pawapay.pay('0411')).body).toMatchObject({ status: 'REJECTED' });
    expect(await pawapay.record(idOf('0411'))).toEqual({ status: 'NOT_FOUND' });
  });

  it('want a token', async () => {
    const url = `${pawapay.baseUrl}/v2/wallet-balances`;
    const none = await fetch(url);
    expect(none.status).toBe(401);
    expect(await none.json()).toMatchObject({ failureReason: { failureCode: 'NO_AUTHENTICATION' } });
    const wrong = await fetch(url, { headers: { authorization: 'Bearer wrong' } });
    expect(wrong.status).toBe(403);
    expect(await wrong.json()).toMatchObject({ failureReason: { failureCode: 'AUTHENTICATION_ERROR' } });
  });

  const recipient = (phoneNumber: string, provider = 'AIRTEL_MWI') => ({
    recipient: { type: 'MMO', accountDetails: { phoneNumber, provider } },
  });
  it.each([
    ['no JSON', '{"payoutId"', 400, 'INVALID_INPUT'],
    ['a list', '[]', 400, 'INVALID_INPUT'],
    ['no amount', { amount: undefined }, 400, 'MISSING_PARAMETER'],
    ['a strange member', { statementDescription: 'x' }, 400, 'UNSUPPORTED_PARAMETER'],
    ['an id of version 7', { payoutId: '0192f5e0-0000-7000-8000-000000000000' }, 400, 'INVALID_PARAMETER'],
    ['a number for an amount', { amount: 1500 }, 400, 'INVALID_PARAMETER'],
    ['a needless zero', { amount: '01500' }, 400, 'INVALID_PARAMETER'],
    ['a point without digits', { amount: '1500.' }, 400, 'INVALID_PARAMETER'],
    ['a message with signs', { customerMessage: 'Payout #1' }, 400, 'INVALID_PARAMETER'],
    ['a message of three', { customerMessage: 'abc' }, 400, 'INVALID_PARAMETER'],
    ['metadata as an object', { metadata: { po: '1' } }, 400, 'INVALID_PARAMETER'],
    ['metadata twice', { metadata: [{ po: '1' }, { po: '2' }] }, 400, 'DUPLICATE_METADATA_FIELD'],
    ['a provider of nowhere', recipient('265993456789', 'NOBODY'), 200, 'INVALID_PROVIDER'],
    ['a currency of elsewhere', { currency: 'KES' }, 200, 'INVALID_CURRENCY'],
    ['a plus', recipient('+265993456789'), 200, 'INVALID_PHONE_NUMBER'],
    ['a number of elsewhere', recipient('254703456789'), 200, 'INVALID_PHONE_NUMBER'],
    ['three decimals', { amount: '1500.555' }, 200, 'INVALID_AMOUNT'],
    ['too little', { amount: '49.99' }, 200, 'AMOUNT_OUT_OF_BOUNDS'],
    ['too much', { amount: '750000.01' }, 200, 'AMOUNT_OUT_OF_BOUNDS'],
    [
      'decimals of a provider without',
      { ...recipient('254703456789', 'MPESA_KEN'), currency: 'KES', amount: '1500.00' },
      200,
      'INVALID_AMOUNT',
    ],
  ])('refuse %s', async (_what, change, status, code) => {
    const body = typeof change === 'string' ? change : { ...payoutTo('1234'), ...change };
    const answer = await pawapay.call('POST', '/v2/payouts', body);
    expect(answer).toMatchObject({ status, body: { status: 'REJECTED', failureReason: { failureCode: code } } });
    expect(pawapay.control.book().payouts).toEqual([]);
  });

  it('are refused while the wallet has less, without touching it, and taken after a top-up', async () => {
    const wallet = { country: 'MWI', currency: 'MWK', provider: '' };
    await pawapay.control.topUp(wallet, -9_999_850_001n);
    expect((await pawapay.pay('1234')).body).toMatchObject({
      status: 'REJECTED',
      failureReason: { failureCode: 'PAWAPAY_WALLET_OUT_OF_FUNDS' },
    });
    expect(walletOf('MWK')).toMatchObject({ balance: '1499.99', reserved: '0.00' });
    await pawapay.control.topUp(wallet, 1n);
    expect((await pawapay.pay('1234')).body).toMatchObject({ status: 'ACCEPTED' });
    expect(walletOf('MWK')).toMatchObject({ balance: '0.00', reserved: '1500.00' });
  });

  it('can be cancelled while ENQUEUED and not after', async () => {
    const id = idOf('0102');
    await pawapay.pay('0102');
    await pawapay.control.moveClock(1);
    expect(await pawapay.record(id)).toMatchObject({ data: { status: 'ENQUEUED' } });
    const cancel = () => pawapay.call('POST', `/v2/payouts/fail-enqueued/${id}`);
    expect((await cancel()).body).toEqual({ payoutId: id, status: 'ACCEPTED' });
    expect(await pawapay.record(id)).toMatchObject({
      data: { status: 'FAILED', failureReason: { failureCode: 'MANUALLY_CANCELLED' } },
    });
    expect((await cancel()).body).toMatchObject({
      status: 'REJECTED',
      failureReason: { failureCode: 'INVALID_STATE' },
    });
    const unknown = await pawapay.call('POST', `/v2/payouts/fail-enqueued/${idOf('x')}`);
    expect(unknown.body).toMatchObject({ status: 'REJECTED', failureReason: { failureCode: 'NOT_FOUND' } });
  });

  it('wait while their provider is delayed, and are refused while it is closed', async () => {
    await pawapay.control.setProviderStatus('AIRTEL_MWI', 'DELAYED');
    await pawapay.pay('1234');
    await pawapay.control.moveClock(MINUTE_MS);
    expect(await pawapay.record(idOf('1234'))).toMatchObject({ data: { status: 'ENQUEUED' } });
    await pawapay.control.setProviderStatus('AIRTEL_MWI', 'OPERATIONAL');
    await pawapay.control.moveClock(MINUTE_MS);
    expect(await pawapay.record(idOf('1234'))).toMatchObject({ data: { status: 'COMPLETED' } });
    await pawapay.control.setProviderStatus('AIRTEL_MWI', 'CLOSED');
    expect((await pawapay.pay('4321')).body).toMatchObject({
      status: 'REJECTED',
      failureReason: { failureCode: 'PROVIDER_TEMPORARILY_UNAVAILABLE' },
    });
    expect((await pawapay.pay('1234')).body).toMatchObject({ status: 'DUPLICATE_IGNORED' });
  });

  it('are the same after a restart, with money and future steps', async () => {
    await pawapay.pay('0103');
    await pawapay.pay('1234');
    await pawapay.control.moveClock(MINUTE_MS);
    const before = pawapay.control.book();
    await pawapay.restart();
    expect(pawapay.control.wallets()).toEqual(before.wallets);
    expect(await pawapay.record(idOf('0103'))).toMatchObject({ data: { status: 'IN_RECONCILIATION' } });
    expect((await pawapay.pay('1234')).body).toMatchObject({ status: 'DUPLICATE_IGNORED' });
    await pawapay.control.moveClock(60 * MINUTE_MS);
    expect(await pawapay.record(idOf('0103'))).toMatchObject({ data: { status: 'COMPLETED' } });
  });
});
