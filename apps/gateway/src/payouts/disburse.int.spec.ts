import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CURRENCIES, requestShapes, termsDigest, type Currency } from '@vuka/domain';
import { ServiceUnavailableError } from '@vuka/runtime';

import {
  ask,
  CHECKOUT_KEY,
  expectError,
  PAYOUTS,
  startTestGateway,
  type Answer,
  type Ask,
  type TestGateway,
} from '../testing/gateway.spec-support.js';

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway();
});

afterAll(() => gateway.stop());

const [MOBILE, PAYBILL, TILL, BANK] = PAYOUTS;
const call = (request: Partial<Ask>): Promise<Answer> => ask(gateway.port, { path: '/kes/disburse', ...request });
const disburse = (body: object): Promise<Answer> => call({ body });

describe('disburse', () => {
  it.each(PAYOUTS)('accepts $type, and answers the acceptance record', async (payout) => {
    const answer = await disburse(payout);
    expect(answer.status).toBe(200);
    const body = answer.body as { code: number; data: Record<string, string> };
    expect(Object.keys(body)).toEqual(['code', 'message', 'data']);
    expect(Object.keys(body.data)).toEqual(['status', 'transaction_code', 'message']);
    expect(body.data['status']).toBe('PENDING');
    expect(body.data['transaction_code']).toMatch(/^[0-9a-f-]{36}$/);
    expect(answer.headers['transaction-code']).toBe(body.data['transaction_code']);
  });

  it('hands payments what the rules made of the request', async () => {
    const callback_url = 'https://hooks.example.com/a%2Fb?x=%41';
    const body = {
      type: 'mobile',
      amount: '100.00',
      fee: 5,
      shortcode: '+254712345678',
      mobile_network: 'M-Pesa',
      account_name: 'Mary',
      reference: 'pay-1',
      callback_url,
      transaction_hash: '0x1',
      chain: 'CELO',
      more: { any: [1] },
    };
    expect((await disburse(body)).status).toBe(200);
    expect(gateway.payments.calls.at(-1)).toMatchObject({
      operation: 'disburse',
      partner_id: 1,
      transaction_code: 'pay-1',
      currency: 'KES',
      amount_minor: '10000',
      fee_minor: '500',
      callback_url,
      terms: termsDigest(CURRENCIES),
      key_id: 'vk_test_consumer_p1',
      routes: expect.stringMatching(/^[0-9a-f]{64}$/),
      destination: { kind: 'mobile', phone: '+254712345678', mobile_network: 'Safaricom' },
    });
    await disburse({ ...BANK, bank_code: '522522' });
    expect(gateway.payments.calls.at(-1)).toMatchObject({
      fee_minor: '0',
      destination: { kind: 'bank', bank_code: '01', bank_name: 'KCB Bank Kenya' },
    });
  });

  it('finds it again as the row of its kind', async () => {
    const rowOf = async (payout: object, reference: string): Promise<unknown> => {
      await disburse({ ...payout, reference });
      return ((await call({ path: '/kes/status', body: { transaction_code: reference } })).body as { data: unknown })
        .data;
    };
    const none = { bank_code: '', bank_name: '', mobile_network: '' };
    expect(await rowOf(MOBILE, 'row-1')).toMatchObject({
      ...none,
      type: 'MOBILE',
      shortcode: '0712345678',
      account_number: null,
      mobile_network: 'Safaricom',
    });
    expect(await rowOf(PAYBILL, 'row-2')).toMatchObject({
      ...none,
      type: 'PAYBILL',
      shortcode: '888880',
      account_number: 'INV-0042',
    });
    expect(await rowOf(TILL, 'row-3')).toMatchObject({
      ...none,
      type: 'BUY_GOODS',
      shortcode: '54321',
      account_number: null,
    });
    expect(await rowOf(BANK, 'row-4')).toMatchObject({
      type: 'BANK_TRANSFER',
      shortcode: '',
      account_number: '0123456789',
      bank_code: '01',
    });
  });

  it.each(['/KES/disburse', '/ke/disburse', '/kes/disburse/', '/Ke/disburse?x=1'])('is at %s too', async (path) => {
    expect((await call({ path, body: TILL })).status).toBe(200);
  });

  it('refuses in the words of the operation, without those of a bank transfer', async () => {
    expect(expectError(await disburse({ ...MOBILE, amount: 19 }), 400, 'amount_out_of_range')).toBe(
      'The amount field must be at least 20',
    );
    expect(expectError(await disburse({ ...MOBILE, amount: 250_001 }), 400, 'amount_out_of_range')).toBe(
      'amount must be at most 250,000 KES',
    );
    expect(expectError(await disburse({ ...MOBILE, mobile_network: 'MTN' }), 400, 'unsupported_network')).toBe(
      'mobile_network must be one of Safaricom, Airtel',
    );
    expect(expectError(await disburse({ ...BANK, bank_code: '99999' }), 400, 'unknown_bank')).toMatch(/^bank_code /);
    expect(
      expectError(await disburse({ ...TILL, callback_url: 'https://127.1/' }), 400, 'invalid_callback_url'),
    ).toMatch(/^callback_url /);
    expect(expectError(await call({}), 400, 'invalid_request')).toBe('type is required');
    const problem = await call({
      body: { ...MOBILE, amount: 1, shortcode: 'x' },
      headers: { accept: 'application/problem+json' },
    });
    expect(problem.body).toMatchObject({ status: 400, errors: [{ pointer: '#/amount' }, { pointer: '#/shortcode' }] });
  });

  it.each(Object.values<Currency>(CURRENCIES))(
    'is offered in $code, to every kind of recipient and from every wallet that pays it',
    async (currency) => {
      for (const { kind, paidIn, example } of requestShapes('disburse', currency)) {
        expect((await call({ path: `/${currency.country}/disburse`, body: example })).status).toBe(200);
        expect(gateway.payments.calls.at(-1)).toMatchObject({ currency: paidIn, destination: { kind } });
      }
    },
  );

  it('answers wrong methods, currencies and keys as every operation does', async () => {
    const wrong = await call({ method: 'GET' });
    expectError(wrong, 405, 'invalid_request');
    expect(wrong.headers['allow']).toBe('POST');
    expectError(await call({ path: '/xxx/disburse', body: MOBILE }), 404, 'not_found');
    expectError(await call({ body: MOBILE, headers: { 'x-api-key': 'none' } }), 401, 'unauthorized');
    expectError(await call({ body: MOBILE, headers: { 'x-api-key': CHECKOUT_KEY } }), 403, 'forbidden');
    expectError(await call({ body: '{}', headers: { 'content-type': 'text/plain' } }), 415, 'invalid_request');
  });

  it('shares references with bank transfer: one name, one transaction', async () => {
    const body = { ...BANK, reference: 'shared-1' };
    const first = await disburse(body);
    const again = await disburse({ ...body, amount: '1500.00', unknown: 1 });
    expect([again.text, again.headers['idempotent-replayed']]).toEqual([first.text, 'true']);
    const { type: _, ...transfer } = body;
    const other = await call({ path: '/kes/bank-transfer', body: transfer });
    expect(expectError(other, 409, 'reference_reused')).toContain('shared-1');
    expect(other.headers['transaction-code']).toBe('shared-1');
    expectError(await disburse({ ...body, fee: 1 }), 409, 'reference_reused');
  });

  it('takes nothing without the money, and leaves a lost answer open', async () => {
    const saved = gateway.payments.balanceMinor;
    gateway.payments.balanceMinor = 0n;
    const poor = await disburse(MOBILE);
    gateway.payments.balanceMinor = saved;
    expectError(poor, 402, 'insufficient_balance');
    expect(poor.headers['transaction-code']).toBeUndefined();
    gateway.payments.before = () => Promise.reject(new ServiceUnavailableError('payments', 'down'));
    const open = await disburse({ ...MOBILE, reference: 'open-2' });
    gateway.payments.before = () => Promise.resolve();
    expect(expectError(open, 503, 'service_unavailable')).toContain('POST /kes/status with transaction_code open-2');
    expect(open.headers['transaction-code']).toBe('open-2');
  });
});
