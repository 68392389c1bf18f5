import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fullCoverage, type Coverage, type Route } from '@vuka/domain';

import {
  ask,
  expectError,
  HASH,
  PAYOUTS,
  startTestGateway,
  TRANSFER,
  type Answer,
  type TestGateway,
} from '../testing/gateway.spec-support.js';

const [MOBILE, PAYBILL, TILL, BANK] = PAYOUTS;
const SANDBOX = fullCoverage(['sandbox']);
const without = (isGone: (route: Route) => boolean): Coverage => SANDBOX.filter((route) => !isGone(route));

/** Kenya without paybills and Airtel, whole amounts to 1,600 for Safaricom; no banks but one of Nigeria; no Uganda; Congo in dollars. */
const COVERAGE = without(
  ({ currency, kind, network }) =>
    kind === 'paybill' ||
    network === 'Airtel' ||
    (currency === 'KES' && kind === 'bank') ||
    ['UGX', 'CDF'].includes(currency),
).map((route): Route => {
  const [carrier] = route.carriers;
  if (carrier === undefined) throw new Error('a route without a provider');
  if (route.network === 'Safaricom')
    return { ...route, carriers: [{ ...carrier, decimals: 0, limits: { minMinor: 100_00n, maxMinor: 1_600_00n } }] };
  return route.currency === 'NGN' ? { ...route, carriers: [{ ...carrier, banks: new Set(['058']) }] } : route;
});

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway({ coverage: COVERAGE });
});
afterAll(() => gateway.stop());

const post = (path: string, body: object): Promise<Answer> => ask(gateway.port, { path, body });
const accepted = (): number => gateway.payments.calls.length;

describe('what no configured route carries is refused at once, and payments is not asked', () => {
  it.each<[string, string, object, string, RegExp]>([
    ['a bank transfer', '/kes/bank-transfer', TRANSFER, 'unsupported_currency', /^Failed - Bad Request: bank transfers in KES are not offered$/],
    ['a bank', '/kes/disburse', BANK, 'invalid_request', /^type must be one of MOBILE, BUY_GOODS: KES is not paid to BANK_TRANSFER$/],
    ['a paybill', '/v1/pay', { ...PAYBILL, transaction_hash: HASH }, 'invalid_request', /^type must be one of/],
    ['a network', '/kes/disburse', { ...MOBILE, mobile_network: 'Airtel' }, 'unsupported_network', /^mobile_network must be one of Safaricom for KES$/],
    ['too much', '/kes/disburse', { ...MOBILE, amount: 1_601 }, 'amount_out_of_range', /^amount must be at most 1,600 KES$/],
    ['too little', '/v1/pay', { ...MOBILE, amount: 99, transaction_hash: HASH }, 'amount_out_of_range', /^The amount field must be at least 100$/],
    ['too little after the fee', '/kes/disburse', { ...MOBILE, amount: 110, fee: 11 }, 'amount_out_of_range', /^The amount field must be at least 111$/],
    ['a currency', '/ugx/disburse', { amount: 1_000, shortcode: '0772345678', mobile_network: 'MTN' }, 'unsupported_currency', /^payouts in UGX are not offered$/],
    ['francs', '/cdf/disburse', { amount: 1_000, shortcode: '0812345678', mobile_network: 'Mpesa' }, 'unsupported_currency', /^payouts in CDF are not offered$/],
    ['another bank', '/ngn/bank-transfer', { amount: 1_000, account_number: '0123456789', bank_code: '044' }, 'unknown_bank', /^Failed - Bad Request: bank_code names Access Bank/],
  ])('%s', async (_, path, body, code, message) => {
    const before = accepted();
    expect(expectError(await post(path, body), 400, code)).toMatch(message);
    expect(accepted()).toBe(before);
  }); // prettier-ignore

  it.each<[string, string, object]>([
    ['a phone', '/kes/disburse', MOBILE],
    ['a till', '/kes/disburse', TILL],
    ['dollars in Congo', '/cdf/disburse', { currency: 'USD', amount: 5, shortcode: '0812345678', mobile_network: 'Mpesa' }],
    ['the bank that is paid', '/ngn/bank-transfer', { amount: 1_000, account_number: '0123456789', bank_code: '058' }],
  ])('%s is accepted', async (_, path, body) => {
    expect((await post(path, body)).status).toBe(200);
  }); // prettier-ignore
});

describe('quotes, validation and limits', () => {
  it('give no rate for what cannot be paid', async () => {
    const quote = { chain: 'CELO', asset: 'USDC' };
    expect(expectError(await post('/v1/quote/ugx', { amount: 1_000, ...quote }), 400, 'unsupported_currency')).toBe('payouts in UGX are not offered'); // prettier-ignore
    expectError(await post('/v1/quote/cdf', { amount: 1_000, ...quote }), 400, 'unsupported_currency');
    expect((await post('/v1/quote/cdf', { currency: 'USD', amount: 5, ...quote })).status).toBe(200);
    expect((await post('/v1/quote/kes', { amount: 1_500, ...quote })).status).toBe(200);
  });

  it('ask no provider for the name of a recipient whom nobody pays', async () => {
    const phone = { type: 'MOBILE', shortcode: '0712345678' };
    expectError(await post('/v1/validation', { ...phone, mobile_network: 'Airtel' }), 400, 'unsupported_network');
    expectError(await post('/v1/validation', { type: 'PAYBILL', shortcode: '888880' }), 400, 'invalid_request');
    expectError(await post('/v1/validation/ugx', { shortcode: '0772345678', mobile_network: 'MTN' }), 400, 'unsupported_currency'); // prettier-ignore
    expectError(await post('/v1/validation/ngn', { account_number: '0123456789', bank_code: '044' }), 400, 'unknown_bank'); // prettier-ignore
    expect((await post('/v1/validation', { ...phone, mobile_network: 'Safaricom' })).status).toBe(200);
    expect((await post('/v1/validation/cdf', { shortcode: '0812345678', mobile_network: 'Mpesa' })).status).toBe(200);
  });

  it('tell what is left', async () => {
    const { data } = (await post('/v1/limits', {})).body as { data: Record<string, unknown>[] };
    expect(data.filter(({ currency }) => currency === 'KES').map(({ operation, type, mobile_network, min, max }) => [operation, type, mobile_network, min, max])).toEqual([
      ['disburse', 'MOBILE', 'Safaricom', '100.00', '1600.00'],
      ['disburse', 'BUY_GOODS', '', '20.00', '250000.00'],
      ['pay', 'MOBILE', 'Safaricom', '100.00', '1600.00'],
      ['pay', 'BUY_GOODS', '', '20.00', '250000.00'],
    ]); // prettier-ignore
    expect(data.filter(({ currency }) => currency === 'UGX')).toEqual([]);
    expect(new Set(data.filter(({ currency }) => currency === 'CDF').map(({ paid_in }) => paid_in))).toEqual(
      new Set(['USD']),
    );
  });
});

it('a request that was accepted before its route was taken out is answered as before', async () => {
  const before = await startTestGateway();
  const later = await startTestGateway({ coverage: [], payments: before.payments });
  try {
    const body = { ...MOBILE, reference: 'before-1' };
    const first = await ask(before.port, { path: '/kes/disburse', body });
    const again = await ask(later.port, { path: '/kes/disburse', body });
    expect([first.status, again.status, again.headers['idempotent-replayed']]).toEqual([200, 200, 'true']);
    expect((again.body as { data: unknown }).data).toEqual((first.body as { data: unknown }).data);
    expectError(await ask(later.port, { path: '/kes/disburse', body: { ...body, reference: 'before-2' } }), 400, 'unsupported_currency'); // prettier-ignore
  } finally {
    await before.stop();
    await later.stop();
  }
});
