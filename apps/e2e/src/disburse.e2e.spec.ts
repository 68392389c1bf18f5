import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  dataOf,
  KES_KINDS,
  kesDestination,
  openSharedFixture,
  phoneNumber,
  FIXTURE_WITHIN_MS,
  tillNumber,
  until,
  watchStatus,
  type Answer,
  type ApiClient,
  type DestinationKind,
  type DisburseBody,
  type Fixture,
  type StatusRow,
} from '@vuka/testing';

let fixture: Fixture;
let one: ApiClient;
let two: ApiClient;

beforeAll(async () => {
  fixture = await openSharedFixture();
  ({ one, two } = fixture);
}, FIXTURE_WITHIN_MS);

afterAll(() => fixture.end(), 60_000);

const PATH = '/kes/disburse';
const END_WITHIN_MS = 60_000;

const body = (kind: DestinationKind, fields: Partial<DisburseBody> = {}): DisburseBody => ({
  amount: 100,
  ...kesDestination(kind),
  ...fields,
});
const codeOf = (answer: Answer): string => dataOf<{ transaction_code: string }>(answer).transaction_code;
const isReplay = ({ headers }: Answer): boolean => headers['idempotent-replayed'] === 'true';

async function complete(client: ApiClient, answer: Answer): Promise<StatusRow> {
  return (await watchStatus(client, codeOf(answer), 'COMPLETE', END_WITHIN_MS)).row;
}

function expectRefused(answer: Answer, status: number, code: string): string {
  expect([answer.status, answer.headers['error-code']]).toEqual([status, code]);
  expect(Object.keys(answer.body ?? {})).toEqual(['code', 'message']);
  return answer.body?.message ?? '';
}

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
const PAID_ROW = {
  id: expect.any(Number),
  transaction_code: expect.any(String),
  status: 'COMPLETE',
  amount: '500.00',
  amount_in_usd: expect.stringMatching(/^\d+\.\d\d$/),
  type: expect.any(String),
  shortcode: '',
  account_number: null,
  public_name: 'TEST 4321',
  receipt_number: expect.stringMatching(/^\S+$/),
  category: 'DISBURSEMENT',
  chain: '',
  asset: null,
  transaction_hash: null,
  message: expect.stringMatching(/./),
  currency_code: 'KES',
  is_released: true,
  mobile_network: '',
  created_at: TIME,
  bank_code: '',
  bank_name: '',
  fee: '20.00',
  service_fee: '0.00',
  rate: expect.any(String),
  quote_id: '',
  failure_code: '',
  refund: '',
  order_id: '',
  correction: '',
  updated_at: TIME,
};

describe('each kind of recipient', () => {
  it.each<[DestinationKind, Record<string, unknown>]>([
    ['mobile', { type: 'MOBILE', mobile_network: 'Safaricom' }],
    ['paybill', { type: 'PAYBILL' }],
    ['till', { type: 'BUY_GOODS' }],
    ['bank', { type: 'BANK_TRANSFER', bank_code: '01', bank_name: expect.stringMatching(/KCB/) }],
  ])(
    '%s: accepted, paid, told, and its row says who got it',
    async (kind, own) => {
      const to = kesDestination(kind, '4321');
      const answer = await one.disburse('KES', { amount: 500, fee: 20, ...to, callback_url: fixture.receiver.url() });
      expect(answer.body).toEqual({
        code: 200,
        message: expect.any(String),
        data: { status: 'PENDING', transaction_code: codeOf(answer), message: expect.any(String) },
      });
      expect(answer.headers['transaction-code']).toBe(codeOf(answer));
      const row = await complete(one, answer);
      const { shortcode = '', account_number = null } = to;
      expect(row).toEqual({ ...PAID_ROW, ...own, shortcode, account_number });
      expect(Object.keys(row).sort()).toEqual(Object.keys(PAID_ROW).sort());
      await fixture.receiver.waitForFinal(codeOf(answer), 5_000);
      expect(fixture.receiver.of(codeOf(answer)).map(({ event }) => event)).toEqual([
        'transaction.processing',
        'transaction.complete',
      ]);
      for (const path of ['/ke/status', '/v1/status', '/account/ke/transaction']) {
        expect(dataOf<StatusRow>(await one.send({ path, body: { transaction_code: codeOf(answer) } }))).toEqual(row);
      }
    },
    30_000,
  );

  it('fails where the recipient does not exist, and costs nothing', async () => {
    const codes = await Promise.all(
      KES_KINDS.map(async (kind) =>
        codeOf(await two.disburse('KES', { amount: 500, fee: 20, ...kesDestination(kind, '0000') })),
      ),
    );
    for (const code of codes) {
      const { row } = await watchStatus(two, code, 'FAILED', END_WITHIN_MS);
      expect(row).toMatchObject({
        failure_code: 'recipient_not_found',
        fee: '20.00',
        receipt_number: null,
        public_name: null,
        is_released: false,
      });
    }
  }, 30_000);
});

describe('spellings of names and numbers', () => {
  it.each<[Partial<DisburseBody>, Partial<StatusRow>]>([
    [
      { type: 'mobile', mobile_network: 'safaricom' },
      { type: 'MOBILE', mobile_network: 'Safaricom' },
    ],
    [{ type: 'MOBILE', mobile_network: 'M-Pesa' }, { mobile_network: 'Safaricom' }],
    [{ type: 'Mobile', mobile_network: 'AIRTEL' }, { mobile_network: 'Airtel' }],
  ])(
    '%j is answered %j',
    async (sent, shown) => {
      const row = await complete(one, await one.disburse('KES', body('mobile', sent)));
      expect(row).toMatchObject(shown);
    },
    20_000,
  );

  it.each(['0', '254', '+254', ''])('a phone written %s… is answered in local form', async (prefix) => {
    const local = phoneNumber();
    const answer = await one.disburse('KES', body('mobile', { shortcode: `${prefix}${local.slice(1)}` }));
    expect((await one.status(codeOf(answer)))?.shortcode).toBe(local);
  });

  it.each(['TILL', 'till', 'buy_goods', 'BUY_GOODS'])('a till is also %s', async (type) => {
    const answer = await one.disburse('KES', { amount: 100, type, shortcode: tillNumber() });
    expect(await one.status(codeOf(answer))).toMatchObject({ type: 'BUY_GOODS' });
  });

  it.each(['/KES/disburse', '/ke/disburse', '/Ke/disburse/'])('%s is the same operation', async (path) => {
    const sent = body('mobile', { reference: `path-${path.replace(/\W/g, '.')}` });
    expect((await one.send({ path, body: sent })).status).toBe(200);
    expect(isReplay(await one.disburse('KES', sent))).toBe(true);
  });
});

describe('the markup', () => {
  it('is part of the amount: held with it, and back in the wallet at COMPLETE', async () => {
    const wallet = async (): Promise<bigint> => (await two.wallets()).get('KES') ?? 0n;
    const before = await wallet();
    const answer = await two.disburse(
      'KES',
      body('bank', { amount: '1000.50', fee: '100.25', ...kesDestination('bank', '0004') }),
    );
    expect(await wallet()).toBe(before - 100_050n);
    await until(async () => dataOf<{ done: boolean }>(await two.control(codeOf(answer), 'release')).done, {
      withinMs: 60_000,
      what: 'it is released',
      everyMs: 200,
    });
    expect(await complete(two, answer)).toMatchObject({ amount: '1000.50', fee: '100.25', service_fee: '0.00' });
    expect(await wallet()).toBe(before - 90_025n);
  }, 30_000);
});

describe('what is refused', () => {
  it.each<[string, DestinationKind, Partial<DisburseBody>, string, RegExp]>([
    ['no type', 'mobile', { type: '' }, 'invalid_request', /type/],
    ['an unknown type', 'mobile', { type: 'CASH' }, 'invalid_request', /type/],
    ['no network', 'mobile', { mobile_network: '' }, 'invalid_request', /mobile_network/],
    ['another country’s network', 'mobile', { mobile_network: 'MTN' }, 'unsupported_network', /mobile_network/],
    ['no phone', 'mobile', { shortcode: '' }, 'invalid_request', /shortcode/],
    ['a phone of another country', 'mobile', { shortcode: '+256712345678' }, 'invalid_request', /shortcode/],
    ['a short phone', 'mobile', { shortcode: '071234567' }, 'invalid_request', /shortcode/],
    ['a till of four digits', 'till', { shortcode: '1234' }, 'invalid_request', /shortcode/],
    ['a till of eight digits', 'till', { shortcode: '12345678' }, 'invalid_request', /shortcode/],
    ['a paybill without an account', 'paybill', { account_number: '' }, 'invalid_request', /account_number/],
    ['a bank without its code', 'bank', { bank_code: '' }, 'invalid_request', /bank_code/],
    ['an unknown bank', 'bank', { bank_code: '9999' }, 'unknown_bank', /bank_code/],
    ['no amount', 'mobile', { amount: '' }, 'invalid_request', /amount/],
    ['cents by phone', 'mobile', { amount: '100.50' }, 'invalid_request', /amount/],
    ['cents by till', 'till', { amount: '100.50' }, 'invalid_request', /amount/],
    ['cents by paybill', 'paybill', { amount: '100.50' }, 'invalid_request', /amount/],
    ['too little', 'mobile', { amount: 19 }, 'amount_out_of_range', /^The amount field must be at least 20\b/],
    [
      'too little to a bank',
      'bank',
      { amount: '19.99' },
      'amount_out_of_range',
      /^The amount field must be at least 20\b/,
    ],
    ['nothing', 'till', { amount: 0 }, 'amount_out_of_range', /^The amount field must be at least 20\b/],
    ['too much', 'mobile', { amount: 250_001 }, 'amount_out_of_range', /amount/],
    ['all of it as markup', 'bank', { amount: 100, fee: 100 }, 'invalid_request', /fee/],
    ['more than it as markup', 'bank', { amount: 100, fee: '100.01' }, 'invalid_request', /fee/],
    ['a markup below zero', 'bank', { fee: -1 }, 'invalid_request', /fee/],
    ['a markup that is no amount', 'bank', { fee: '1e1' }, 'invalid_request', /fee/],
    [
      'less than the network takes',
      'mobile',
      { amount: 20, fee: 11 },
      'amount_out_of_range',
      /^The amount field must be at least 21\b/,
    ],
    ['a callback URL that is none', 'mobile', { callback_url: 'nonsense' }, 'invalid_callback_url', /callback_url/],
    ['a reference that is none', 'mobile', { reference: 'a b' }, 'invalid_request', /reference/],
  ])('%s: 400', async (_, kind, change, code, message) => {
    expect(expectRefused(await one.disburse('KES', body(kind, change)), 400, code)).toMatch(message);
  });

  it('names every fault in a problem document', async () => {
    const answer = await one.send({
      path: PATH,
      body: { type: 'MOBILE', amount: 5, shortcode: 'x' },
      headers: { accept: 'application/problem+json' },
    });
    expect(answer.body).toMatchObject({
      status: 400,
      errors: expect.arrayContaining([
        expect.objectContaining({ pointer: '#/amount' }),
        expect.objectContaining({ pointer: '#/shortcode' }),
      ]),
    });
  });

  it('a wallet that does not cover the amount: 402, and nothing is recorded', async () => {
    const balance = (await two.wallets()).get('KES') ?? 0n;
    const least = Number(balance / 25_000_000n);
    for (let sent = 0; sent < least; sent += 1)
      expect((await two.disburse('KES', body('bank', { amount: 250_000 }))).status).toBe(200);
    const rest = (await two.wallets()).get('KES') ?? 0n;
    const poor = body('bank', { amount: `${(rest + 2_000n) / 100n}`, reference: 'poor-1' });
    expectRefused(await two.disburse('KES', poor), 402, 'insufficient_balance');
    expect(await two.status('poor-1')).toBeNull();
  }, 30_000);

  it.each(['/xyz/disburse', '/usd/disburse'])('%s names no currency: 404, and says which there are', async (path) => {
    expect(expectRefused(await one.send({ path, body: body('mobile') }), 404, 'not_found')).toMatch(/KES/);
  });

  it('a wrong method, a checkout key, no key', async () => {
    const get = await one.send({ method: 'GET', path: PATH });
    expect([get.status, get.headers['allow']]).toEqual([405, 'POST']);
    expectRefused(
      await one.send({ path: PATH, body: body('mobile'), headers: { 'x-api-key': one.partner.checkout_key } }),
      403,
      'forbidden',
    );
    expectRefused(
      await one.send({ path: PATH, body: body('mobile'), headers: { 'x-api-key': '' } }),
      401,
      'unauthorized',
    );
  });
});

describe('one name space of references', () => {
  it('a disbursement is repeated by the same body, whatever its spelling, and a replay', async () => {
    const sent = body('mobile', { reference: 'again-1', amount: 100, fee: 0 });
    const first = await one.disburse('KES', sent);
    for (const again of [
      { ...sent, amount: '100.00' },
      { ...sent, fee: '0.00' },
      { ...sent, extra: true },
    ]) {
      const answer = await one.disburse('KES', again);
      expect([answer.status, answer.text, isReplay(answer)]).toEqual([200, first.text, true]);
    }
  });

  it.each<[string, Partial<DisburseBody>]>([
    ['amount', { amount: 101 }],
    ['fee', { fee: 1 }],
    ['recipient', { shortcode: '0700000001' }],
    ['network', { mobile_network: 'Airtel' }],
    ['URL', { callback_url: 'http://127.0.0.1:9/' }],
  ])('with another %s: 409, naming the transaction', async (what, change) => {
    const sent = body('mobile', { reference: `other-${what}` });
    expect((await one.disburse('KES', sent)).status).toBe(200);
    const answer = await one.disburse('KES', { ...sent, ...change });
    expectRefused(answer, 409, 'reference_reused');
    expect(answer.headers['transaction-code']).toBe(`other-${what}`);
  });

  it('shared by both operations: the same account, amount and reference by the other one is 409', async () => {
    const account = kesDestination('bank');
    const fields = { amount: 100, account_number: account.account_number ?? '', bank_code: '01' };
    expect((await one.disburse('KES', { ...fields, type: 'BANK_TRANSFER', reference: 'both-1' })).status).toBe(200);
    expectRefused(await one.bankTransfer('KES', { ...fields, reference: 'both-1' }), 409, 'reference_reused');
    expect((await one.bankTransfer('KES', { ...fields, reference: 'both-2' })).status).toBe(200);
    expectRefused(
      await one.disburse('KES', { ...fields, type: 'BANK_TRANSFER', reference: 'both-2' }),
      409,
      'reference_reused',
    );
    expect(
      (
        await two.bankTransfer('NGN', {
          amount: 100,
          account_number: '1234567890',
          bank_code: '044',
          reference: 'both-1',
        })
      ).status,
    ).toBe(200);
  });

  it('a hundred at once with one reference are one payout', async () => {
    const sent = body('till', { reference: 'hundred' });
    const answers = await Promise.all(Array.from({ length: 100 }, () => one.disburse('KES', sent)));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers.filter((answer) => !isReplay(answer)).length).toBe(1);
  });
});

describe('an Idempotency-Key', () => {
  const keyed = (key: string, sent: DisburseBody): Promise<Answer> =>
    one.disburse('KES', sent, { 'idempotency-key': key });

  it('gives the same answer again, and 422 to another payload', async () => {
    const sent = body('mobile');
    const first = await keyed('key-1', sent);
    const again = await keyed('"key-1"', sent);
    expect([first.status, again.status, again.text, isReplay(again)]).toEqual([200, 200, first.text, true]);
    expectRefused(await keyed('key-1', { ...sent, amount: 101 }), 422, 'idempotency_mismatch');
  });

  it('is one for each operation', async () => {
    const account = kesDestination('bank');
    const fields = { amount: 100, account_number: account.account_number ?? '', bank_code: '01' };
    const answers = [
      await keyed('key-2', { ...fields, type: 'BANK_TRANSFER' }),
      await one.bankTransfer('KES', fields, { 'idempotency-key': 'key-2' }),
    ];
    expect(answers.map((answer) => [answer.status, isReplay(answer)])).toEqual([
      [200, false],
      [200, false],
    ]);
    expect(codeOf(answers[0] as Answer)).not.toBe(codeOf(answers[1] as Answer));
  });
});

describe('seen from outside', () => {
  it('all of it is sound', async () => {
    await fixture.checker.expectSound();
  }, 240_000);
});
