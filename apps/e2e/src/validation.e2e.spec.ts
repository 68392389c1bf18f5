import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  dataOf,
  openSharedFixture,
  FIXTURE_WITHIN_MS,
  until,
  type Answer,
  type ApiClient,
  type Fixture,
} from '@vuka/testing';

let fixture: Fixture;
let one: ApiClient;
let two: ApiClient;

beforeAll(async () => {
  fixture = await openSharedFixture();
  ({ one, two } = fixture);
}, FIXTURE_WITHIN_MS);

afterAll(() => fixture.end(), 60_000);

type Fields = Readonly<Record<string, unknown>>;

interface Way {
  readonly what: string;
  readonly currency: string;
  readonly of: (sandboxNumber: string) => Fields;
  readonly answers: Fields;
}

let serial = 0;
const fresh = (): string => String((serial += 1)).padStart(4, '0');
const phone = (currency: string, prefix: string, mobile_network: string, more: Fields = {}): Way => ({
  what: mobile_network,
  currency,
  of: (sandboxNumber) => ({
    ...more,
    shortcode: `${prefix}${fresh().slice(prefix.length - 2)}${sandboxNumber}`,
    mobile_network,
  }),
  answers: { mobile_network },
});

const SAFARICOM = phone('kes', '0712', 'Safaricom', { type: 'MOBILE' });
/** Tills and paybills have at most seven digits. */
const business = (type: string): Way => ({
  what: type,
  currency: 'kes',
  of: (sandboxNumber) => ({ type, shortcode: `${100 + Number(fresh())}${sandboxNumber}` }),
  answers: { mobile_network: '' },
});

const NIGERIAN: Way = {
  what: 'bank account',
  currency: 'ngn',
  of: (sandboxNumber) => ({ account_number: `01${fresh()}${sandboxNumber}`, bank_code: '044' }),
  answers: { bank_code: '044', bank_name: 'Access Bank' },
};
const MALAWIAN: Way = {
  what: 'bank account',
  currency: 'mwk',
  of: (sandboxNumber) => ({
    type: 'BANK_TRANSFER',
    account_number: `10${fresh()}${sandboxNumber}`,
    bank_code: '',
    bank_name: '',
  }),
  answers: {},
};

const PHONES: readonly Way[] = [
  SAFARICOM,
  phone('kes', '0733', 'Airtel', { type: 'MOBILE' }),
  phone('ugx', '0772', 'MTN'),
  phone('ugx', '0702', 'Airtel'),
  phone('ghs', '0244', 'MTN'),
  phone('ghs', '0264', 'AirtelTigo'),
  phone('ghs', '0204', 'Telecel'),
  phone('mwk', '0991', 'Airtel Money', { type: 'MOBILE' }),
  phone('mwk', '0881', 'TNM Mpamba', { type: 'MOBILE' }),
  phone('cdf', '0991', 'Airtel Money'),
  phone('cdf', '0812', 'Mpesa'),
  phone('etb', '0911', 'Telebirr'),
  phone('etb', '0912', 'Cbe Birr'),
  phone('etb', '0711', 'MPESA'),
];
const BUSINESSES: readonly Way[] = [business('BUY_GOODS'), business('PAYBILL')];
/** Without the bank, which comes from the list. */
const ACCOUNTS: readonly Way[] = [NIGERIAN, MALAWIAN];

const validate = (currency: string, body: Fields, client: ApiClient = one): Promise<Answer> =>
  client.send({ path: `/v1/validation/${currency}`, body });

async function ask(
  way: Way,
  sandboxNumber: string,
  more: Fields = {},
): Promise<{ readonly sent: Fields; readonly answer: Answer; readonly own: Fields }> {
  let sent = { ...way.of(sandboxNumber), ...more };
  let own = way.answers;
  if (sent['bank_code'] === '') {
    const [bank] = dataOf<{ name: string; code: string }[]>(await one.send({ path: `/v1/banks/${way.currency}` }));
    own = { bank_code: bank?.code, bank_name: bank?.name };
    sent = { ...sent, ...own };
  }
  return { sent, own, answer: await validate(way.currency, sent) };
}

function expectRefused(answer: Answer, status: number, code: string): string {
  expect([answer.status, answer.headers['error-code']]).toEqual([status, code]);
  expect(Object.keys(answer.body ?? {})).toEqual(['code', 'message']);
  return answer.body?.message ?? '';
}

const named = (ways: readonly Way[]): [string, Way][] => ways.map((way) => [`${way.currency} ${way.what}`, way]);
const KNOWN = { status: 'COMPLETE', verified: true };
const GONE = { status: 'FAILED', verified: false };
const UNTOLD = { status: 'COMPLETE', verified: false };

describe('a name, by what its number ends in', () => {
  it.each(named([...PHONES, ...BUSINESSES]))('%s', async (_, way) => {
    for (const [number, told, public_name] of [
      ['4321', KNOWN, 'TEST 4321'],
      ['0000', GONE, ''],
      ['0006', UNTOLD, ''],
    ] as const) {
      const { sent, own, answer } = await ask(way, number);
      expect([answer.status, answer.body?.code]).toEqual([200, 200]);
      expect(answer.body?.message).toMatch(/\S/);
      expect(dataOf(answer)).toEqual({ ...told, shortcode: sent['shortcode'], public_name, ...own });
    }
  });

  it.each(named(ACCOUNTS))('%s', async (_, way) => {
    for (const [number, told, account_name] of [
      ['4321', KNOWN, 'TEST 4321'],
      ['0000', GONE, ''],
      ['0006', UNTOLD, ''],
    ] as const) {
      const { sent, own, answer } = await ask(way, number);
      expect(answer.status).toBe(200);
      expect(dataOf(answer)).toEqual({ ...told, account_name, account_number: sent['account_number'], ...own });
    }
  });

  it.each(named([SAFARICOM, ...BUSINESSES, ...ACCOUNTS]))(
    '%s: a provider that does not answer is 503 in time, and no guess',
    async (_, way) => {
      const from = performance.now();
      const { answer } = await ask(way, '0011', { account_name: 'TEST 0011' });
      expect(performance.now() - from).toBeLessThan(2_500);
      expect(expectRefused(answer, 503, 'service_unavailable')).toMatch(/Nothing is known/);
      expect(answer.text).not.toMatch(/TEST/);
    },
  );

  it('while one lookup waits for a silent provider, others are answered', async () => {
    const silent = Promise.all(Array.from({ length: 20 }, () => ask(SAFARICOM, '0011')));
    const { answer } = await ask(SAFARICOM, '1234');
    expect(dataOf(answer)).toMatchObject({ public_name: 'TEST 1234' });
    expect((await one.send({ path: '/account/detail' })).status).toBe(200);
    for (const { answer: late } of await silent) expectRefused(late, 503, 'service_unavailable');
  });
});

describe('a name that is expected', () => {
  it.each([
    ['TEST 4321', 'exact'],
    ['4321,  tést', 'exact'],
    ['Test Somebody', 'partial'],
    ['Mary Wanjiku', 'none'],
  ])('%j is %s', async (account_name, name_match) => {
    for (const way of [SAFARICOM, ...BUSINESSES, ...ACCOUNTS]) {
      const { answer } = await ask(way, '4321', { account_name });
      expect(dataOf(answer)).toMatchObject({ ...KNOWN, name_match });
    }
  });

  it.each(['0000', '0006'])('is not compared if no name is known: %s', async (number) => {
    expect(dataOf((await ask(SAFARICOM, number, { account_name: 'TEST 4321' })).answer)).toMatchObject({
      verified: false,
      public_name: '',
      name_match: 'none',
    });
  });

  it.each(['', null])('is not asked for by %j', async (account_name) => {
    expect(dataOf((await ask(SAFARICOM, '4321', { account_name })).answer)).not.toHaveProperty('name_match');
  });
});

describe('as partners spell it', () => {
  it.each<[string, Fields, Fields]>([
    [
      '',
      { type: 'mobile', shortcode: '712994321', mobile_network: 'M-Pesa' },
      { shortcode: '0712994321', mobile_network: 'Safaricom' },
    ],
    ['/', { type: 'Till', shortcode: '994321' }, { shortcode: '994321', mobile_network: '' }],
    [
      '/Ke',
      { type: 'MOBILE', shortcode: '+254733994321', mobile_network: 'AIRTEL' },
      { shortcode: '0733994321', mobile_network: 'Airtel' },
    ],
    [
      '/gh/',
      { type: 'MOBILE', shortcode: '233204994321', mobile_network: 'Vodafone' },
      { shortcode: '0204994321', mobile_network: 'Telecel' },
    ],
    [
      '/UGX',
      { shortcode: '0772994321', mobile_network: 'MTN MoMo', account_name: null },
      { shortcode: '0772994321', mobile_network: 'MTN' },
    ],
  ])('/v1/validation%s %j', async (path, body, canonical) => {
    expect(dataOf(await one.send({ path: `/v1/validation${path}`, body }))).toEqual({
      ...KNOWN,
      public_name: 'TEST 4321',
      ...canonical,
    });
  });

  it('a bank by another code of its, and the name where it is its own', async () => {
    const account_number = '0199994321';
    const told = { ...KNOWN, account_name: 'TEST 4321', account_number, ...NIGERIAN.answers };
    for (const bank of [
      { bank_code: '000014' },
      { bank_code: '044', bank_name: 'access bank' },
      { bank_code: '044', bank_name: 'Whatever' },
    ]) {
      expect(dataOf(await validate('ng', { account_number, ...bank }))).toEqual(told);
    }
  });

  it('a number from another network is asked for, with a hint in words', async () => {
    const answer = await validate('kes', { type: 'MOBILE', shortcode: '0712884321', mobile_network: 'Airtel' });
    expect(dataOf(answer)).toMatchObject({ ...KNOWN, mobile_network: 'Airtel' });
    expect(answer.body?.message).toMatch(/looks like one of Safaricom.*hint/);
    expect((await ask(SAFARICOM, '4321')).answer.body?.message).not.toMatch(/hint/);
  });
});

describe('what is missing or malformed', () => {
  it.each<[string, Way, string[]]>([
    ['kes phone', SAFARICOM, ['type', 'shortcode', 'mobile_network']],
    ['kes till', BUSINESSES[0] as Way, ['type', 'shortcode']],
    ['kes paybill', BUSINESSES[1] as Way, ['type', 'shortcode']],
    ['ugx', phone('ugx', '0772', 'MTN'), ['shortcode', 'mobile_network']],
    ['ngn', NIGERIAN, ['account_number', 'bank_code']],
    ['ghs', phone('ghs', '0244', 'MTN'), ['shortcode', 'mobile_network']],
    ['mwk phone', phone('mwk', '0991', 'Airtel Money', { type: 'MOBILE' }), ['type', 'shortcode', 'mobile_network']],
    ['cdf', phone('cdf', '0812', 'Mpesa'), ['shortcode', 'mobile_network']],
    ['etb', phone('etb', '0911', 'Telebirr'), ['shortcode', 'mobile_network']],
  ])('%s is named', async (_, way, fields) => {
    for (const field of fields) {
      for (const value of [undefined, '', null]) {
        const message = expectRefused(
          await validate(way.currency, { ...way.of('4321'), [field]: value }),
          400,
          'invalid_request',
        );
        expect(message.startsWith(`${field} `)).toBe(true);
      }
      const malformed = await validate(way.currency, { ...way.of('4321'), [field]: 'x!' });
      expect(malformed.status).toBe(400);
      expect(malformed.body?.message.startsWith(`${field} `)).toBe(true);
      const number = await validate(way.currency, { ...way.of('4321'), [field]: 7 });
      expect(expectRefused(number, 400, 'invalid_request').startsWith(`${field} `)).toBe(true);
    }
  });

  it('mwk bank account is named, and a name that is another bank’s', async () => {
    const { sent } = await ask(MALAWIAN, '4321');
    for (const field of ['type', 'account_number', 'bank_code', 'bank_name']) {
      const message = expectRefused(await validate('mwk', { ...sent, [field]: '' }), 400, 'invalid_request');
      expect(message.startsWith(`${field} `)).toBe(true);
    }
    const [, other] = dataOf<{ name: string }[]>(await one.send({ path: '/v1/banks/mwk' }));
    expect(expectRefused(await validate('mwk', { ...sent, bank_name: other?.name }), 400, 'unknown_bank')).toMatch(
      /^bank_name /,
    );
  });

  it('names what there is', async () => {
    expect(
      expectRefused(
        await validate('kes', { type: 'MOBILE', shortcode: '0712345678', mobile_network: 'MTN' }),
        400,
        'unsupported_network',
      ),
    ).toMatch(/Safaricom, Airtel/);
    expect(
      expectRefused(await validate('ngn', { account_number: '0123456789', bank_code: '99999' }), 400, 'unknown_bank'),
    ).toMatch(/^bank_code /);
    expect(expectRefused(await validate('usd', {}), 404, 'not_found')).toMatch(/KES \(KE\)/);
  });
});

describe('repeated lookups', () => {
  it('one destination by one partner: 429 with Retry-After after sixty times, and nobody else notices', async () => {
    const till = { type: 'TILL', shortcode: '7654321' };
    const answers = await Promise.all(Array.from({ length: 80 }, () => validate('kes', till)));
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.length).toBeGreaterThanOrEqual(2);
    for (const answer of refused) {
      expectRefused(answer, 429, 'rate_limited');
      const retryAfter = answer.headers['retry-after'] ?? '';
      expect(retryAfter).toMatch(/^([1-9]|10)$/);
      expect([answer.headers['ratelimit-policy'], answer.headers['ratelimit']]).toEqual([
        '"destination";q=60;w=60',
        `"destination";r=0;t=${retryAfter}`,
      ]);
    }
    expect(new Set(answers.filter(({ status }) => status === 200).map(({ text }) => text)).size).toBe(1);
    expect((await validate('kes', { ...till, shortcode: '7654322' })).status).toBe(200);
    expect((await validate('kes', till, two)).status).toBe(200);
  });
});

describe('seen from outside', () => {
  it('a payout goes to the name of the lookup', async () => {
    const to = SAFARICOM.of('2468');
    const told = dataOf<{ public_name: string }>(await validate('kes', to)).public_name;
    const paid = dataOf<{ transaction_code: string }>(
      await one.disburse('KES', { amount: 100, ...to }),
    ).transaction_code;
    const row = await until(
      async () => {
        const found = await one.status(paid);
        return found?.status === 'COMPLETE' && found;
      },
      { withinMs: 60_000, what: 'it is paid' },
    );
    expect(row.public_name).toBe(told);
    await fixture.checker.expectSound();
  }, 240_000);

  it('the log says that a provider was silent, but not whose name was looked up', async () => {
    await ask(SAFARICOM, '0011', { account_name: 'Wanjiku Kamau' });
    const log = await until(
      () => {
        const text = fixture.vuka.output();
        return text.includes('a provider did not tell a name') && text;
      },
      { withinMs: 60_000, what: 'the log tells of the silent provider' },
    );
    expect(log).not.toMatch(/Wanjiku|Kamau/i);
    expect(log).not.toMatch(/(?<!\d)(\+?254|0)7(12|33)\d{6}(?!\d)/);
    expect(log).not.toMatch(/TEST (4321|1234|2468)/);
  });
});
