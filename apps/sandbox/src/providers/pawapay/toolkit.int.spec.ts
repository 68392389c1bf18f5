import { gunzipSync } from 'node:zlib';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { COUNTRIES, PROVIDERS } from './data/provider-table.js';
import { type Body, idOf, MINUTE_MS, RunningPawapay, TOKEN } from './simulator.spec-support.js';

describe('what pawaPay tells besides payouts', () => {
  let pawapay: RunningPawapay;
  beforeEach(async () => {
    pawapay = await RunningPawapay.start({
      fees: { default: { fixedHundredths: 0n, basisPoints: 100n } },
      providerWallets: [{ country: 'UGA', currency: 'UGX', provider: 'MTN_MOMO_UGA' }],
    });
  });
  afterEach(() => pawapay.remove());

  it('balances: a wallet for each country and currency, and those of single providers', async () => {
    const all = (await pawapay.call('GET', '/v2/wallet-balances')).body.balances;
    expect(all).toHaveLength(COUNTRIES.flatMap(({ currencies }) => currencies).length + 1);
    await pawapay.call('POST', '/v2/payouts', {
      payoutId: idOf('uganda'),
      amount: '500',
      currency: 'UGX',
      recipient: { type: 'MMO', accountDetails: { phoneNumber: '256783456789', provider: 'MTN_MOMO_UGA' } },
    });
    expect((await pawapay.call('GET', '/v2/wallet-balances?country=UGA')).body).toEqual({
      balances: [
        { country: 'UGA', balance: '100000000.00', currency: 'UGX', provider: '' },
        { country: 'UGA', balance: '99999500.00', currency: 'UGX', provider: 'MTN_MOMO_UGA' },
      ],
    });
  });

  it('its configuration: limits, decimals, state, and where it calls back', async () => {
    const all = (await pawapay.call('GET', '/v2/active-conf')).body as { countries: { providers: unknown[] }[] };
    expect(all.countries.flatMap((of) => of.providers)).toHaveLength(PROVIDERS.length);
    await pawapay.control.setProviderStatus('MPESA_KEN', 'DELAYED');
    const kenya = (await pawapay.call('GET', '/v2/active-conf?country=KEN&operationType=PAYOUT')).body;
    expect(kenya).toMatchObject({
      companyName: 'Simulated Merchant',
      countries: [
        {
          country: 'KEN',
          prefix: '254',
          providers: [
            {
              provider: 'MPESA_KEN',
              currencies: [
                {
                  currency: 'KES',
                  operationTypes: {
                    PAYOUT: {
                      minAmount: '10',
                      maxAmount: '250000',
                      decimalsInAmount: 'NONE',
                      status: 'DELAYED',
                      callbackUrl: pawapay.listener.url,
                    },
                  },
                },
              ],
            },
          ],
        },
      ],
    });
    const deposits = (await pawapay.call('GET', '/v2/active-conf?country=KEN&operationType=DEPOSIT')).body;
    expect(deposits.countries[0].providers[0].currencies[0].operationTypes).toEqual({});
  });

  it('which provider is in operation', async () => {
    await pawapay.control.setProviderStatus('TNM_MWI', 'CLOSED');
    expect((await pawapay.call('GET', '/v2/availability?country=MWI&operationType=PAYOUT')).body).toEqual([
      {
        country: 'MWI',
        providers: [
          { provider: 'AIRTEL_MWI', operationTypes: [{ operationType: 'PAYOUT', status: 'OPERATIONAL' }] },
          { provider: 'TNM_MWI', operationTypes: [{ operationType: 'PAYOUT', status: 'CLOSED' }] },
        ],
      },
    ]);
    expect(await pawapay.control.setProviderStatus('NOBODY', 'CLOSED')).toBe(false);
  });

  it.each([
    ['+265 993 456 789', 200, { country: 'MWI', provider: 'AIRTEL_MWI', phoneNumber: '265993456789' }],
    ['254757345678', 200, { country: 'KEN', provider: 'MPESA_KEN', phoneNumber: '254757345678' }],
    ['256 (775) 345-678', 200, { country: 'UGA', provider: 'MTN_MOMO_UGA', phoneNumber: '256775345678' }],
    ['2659934567', 400, { failureReason: { failureCode: 'INVALID_PHONE_NUMBER' } }],
    ['46733123450', 422, { failureReason: { failureCode: 'INVALID_COUNTRY' } }],
    [265993456789, 400, { failureReason: { failureCode: 'INVALID_INPUT' } }],
  ])('whose number %s is', async (phoneNumber, status, body) => {
    expect(await pawapay.call('POST', '/v2/predict-provider', { phoneNumber })).toMatchObject({ status, body });
  });

  describe('statements', () => {
    const request = (change: object = {}) => ({
      wallet: { country: 'MWI', currency: 'MWK' },
      callbackUrl: pawapay.listener.url,
      startDate: '2026-11-21T09:00:00',
      endDate: '2026-11-21T12:00:00',
      ...change,
    });
    const ask = (change?: object) => pawapay.call('POST', '/v2/statements', request(change));
    const asked = async (change?: object): Promise<string> => (await ask(change)).body.statementId as string;
    const statement = async (id: string): Promise<Body> => (await pawapay.call('GET', `/v2/statements/${id}`)).body;
    const linesOf = (csv: string) =>
      csv
        .trimEnd()
        .split('\r\n')
        .map((line) => line.split(','));

    it('are made in a while, called back, and told with a link that needs no token', async () => {
      await pawapay.pay('1234');
      await pawapay.pay('6089');
      await pawapay.control.moveClock(MINUTE_MS);
      const id = await asked();
      expect(await statement(id)).toMatchObject({ status: 'FOUND', data: { statementId: id, status: 'PROCESSING' } });
      await pawapay.control.moveClock(MINUTE_MS);
      const { data } = await statement(id);
      expect(data).toMatchObject({ status: 'COMPLETED', wallet: { country: 'MWI', currency: 'MWK' } });
      expect(pawapay.listener.heard.at(-1)?.body).toMatchObject({ statementId: id, status: 'COMPLETED' });
      const file = await fetch(data.downloadUrl);
      expect(file.headers.get('content-type')).toMatch('text/csv');
      const csv = await file.text();
      expect(csv).toHaveLength(data.fileSize);
      const [head, ...lines] = linesOf(csv);
      expect(head?.slice(0, 8).join()).toBe('Creation Date,MSISDN,Transaction ID,Amount,Currency,Country,MNO,Type');
      expect(lines.map((line) => [line[2], line[3], line[7], line[10]])).toEqual([
        ['', '100000000.00', 'TOP_UP', '100000000.00'],
        [idOf('1234'), '-1500.00', 'PAYOUT', '99998500.00'],
        [idOf('6089'), '-1500.00', 'PAYOUT', '99997000.00'],
        [idOf('1234'), '-15.00', 'FEE', '99996985.00'],
        [idOf('6089'), '1500.00', 'PAYOUT_RETURNED', '99998485.00'],
      ]);
      const [payment] = pawapay.control.payments(idOf('1234'));
      expect(lines[1]?.[8]).toBe(payment?.receipt);
      await pawapay.control.moveClock(24 * 60 * MINUTE_MS);
      expect((await fetch(data.downloadUrl)).status).toBe(403);
      expect((await fetch((await statement(id)).data.downloadUrl)).status).toBe(200);
      expect((await fetch(`${data.downloadUrl}0`)).status).toBe(403);
    });

    it('hold what happened within their time, zipped where asked for', async () => {
      await pawapay.pay('1234');
      await pawapay.control.moveClock(MINUTE_MS);
      const id = await asked({ startDate: '2026-11-21T10:00:01', endDate: '2026-11-21T10:00:02Z', compressed: true });
      await pawapay.control.moveClock(MINUTE_MS);
      const bytes = await (await fetch((await statement(id)).data.downloadUrl)).arrayBuffer();
      const [, ...lines] = linesOf(gunzipSync(bytes).toString());
      expect(lines.map((line) => line[7])).toEqual(['FEE']);
    });

    it.each([
      ['an end before its beginning', { endDate: '2026-11-21T08:00:00' }, 'INVALID_DATE_RANGE'],
      ['more than 31 days', { endDate: '2026-12-23T09:00:00' }, 'INVALID_DATE_RANGE'],
      ['a wallet of nobody', { wallet: { country: 'MWI', currency: 'KES' } }, 'WALLET_NOT_FOUND'],
      ['no callback', { callbackUrl: undefined }, 'MISSING_PARAMETER'],
      ['a callback without TLS', { callbackUrl: 'http://merchant.example/x' }, 'INVALID_CALLBACK_URL'],
      ['no time', { startDate: 'yesterday' }, 'INVALID_PARAMETER'],
      ['a strange member', { format: 'csv' }, 'UNSUPPORTED_PARAMETER'],
    ])('are refused with %s', async (_what, change, code) => {
      expect(await ask(change)).toMatchObject({
        status: 400,
        body: { status: 'REJECTED', failureReason: { failureCode: code } },
      });
    });

    it('are unknown where nobody asked for them', async () => {
      expect(await statement(idOf('none'))).toEqual({ status: 'NOT_FOUND' });
    });
  });

  describe('the control over HTTP', () => {
    const control = async (method: 'GET' | 'POST', path: string, body?: object): Promise<Body> =>
      (await pawapay.call(method, pawapay.controlUrl + path, body)).body;

    it('shows the book and moves the clock', async () => {
      await pawapay.pay('1234');
      expect(await control('POST', '/clock', { advanceMs: MINUTE_MS })).toEqual({ done: true });
      const { payouts, wallets } = await control('GET', '/book');
      expect(payouts).toMatchObject([{ payoutId: idOf('1234'), status: 'COMPLETED', submits: 1, payments: [{}] }]);
      expect(wallets).toEqual(pawapay.control.wallets());
      expect(await control('GET', `/book/${idOf('1234')}`)).toMatchObject({ payments: [{ reversed: false }] });
      expect((await control('GET', '/callbacks')).deliveries).toMatchObject([{ id: idOf('1234'), status: 200 }]);
      expect((await control('GET', '/numbers'))['0001']).toMatch('cut');
    });

    it('settles, releases, pays, fails, tops up, closes providers, rotates keys and sets the callback', async () => {
      await pawapay.pay('1234');
      await pawapay.pay('0106');
      await control('POST', '/settle');
      expect(pawapay.control.payments(idOf('1234'))).toHaveLength(1);
      expect(await control('POST', `/payouts/${idOf('0106')}/release`)).toEqual({ done: true });
      expect(await control('POST', `/payouts/${idOf('0106')}/fail`)).toEqual({ done: true });
      expect(await control('POST', `/payouts/${idOf('0106')}/pay`)).toEqual({ done: true });
      expect(pawapay.control.payments(idOf('0106'))).toMatchObject([{ reversed: true }, { reversed: false }]);
      expect(await control('POST', `/payouts/${idOf('nobody')}/pay`)).toEqual({ done: false });
      const wallet = { country: 'MWI', currency: 'MWK' };
      expect(await control('POST', '/wallets/top-up', { ...wallet, amount: '-0.50' })).toEqual({ done: true });
      expect(await control('POST', '/wallets/top-up', { ...wallet, amount: 'all' })).toEqual({ done: false });
      expect(await control('POST', '/providers/AIRTEL_MWI', { status: 'CLOSED' })).toEqual({ done: true });
      expect((await pawapay.pay('5555')).body.failureReason.failureCode).toBe('PROVIDER_TEMPORARILY_UNAVAILABLE');
      await control('POST', '/keys/rotate');
      expect((await pawapay.call('GET', '/v2/public-key/http')).body).toHaveLength(2);
      const before = pawapay.listener.heard.length;
      expect(await control('POST', '/callback-url', { url: null })).toEqual({ done: true });
      await control('POST', `/payouts/${idOf('1234')}/fail`);
      expect(pawapay.listener.heard).toHaveLength(before);
    });

    it('wants a token, and is no part of the API', async () => {
      expect((await fetch(`${pawapay.controlUrl}/book`)).status).toBe(401);
      expect((await pawapay.call('GET', '/book')).status).toBe(404);
      expect(TOKEN.length).toBeGreaterThan(15);
    });
  });
});
