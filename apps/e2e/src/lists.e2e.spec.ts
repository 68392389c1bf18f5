import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  dataOf,
  kesDestination,
  minorOf,
  openSharedFixture,
  phoneNumber,
  FIXTURE_WITHIN_MS,
  watchStatus,
  type Answer,
  type ApiClient,
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

const DAY_MS = 86_400_000;
const END_WITHIN_MS = 60_000;

const days = (): { start_date: string; end_date: string } => {
  const day = (at: number): string => new Date(at).toISOString().slice(0, 10);
  return { start_date: day(Date.now() - DAY_MS), end_date: day(Date.now() + DAY_MS) };
};

interface Entry {
  readonly id: number;
  readonly at: string;
  readonly kind: string;
  readonly transaction_code: string;
  readonly amount: string;
  readonly balance: string;
}

function listOf<T>(answer: Answer): { rows: T[]; next: string | null } {
  const rows = dataOf<T[]>(answer);
  expect(Object.keys(answer.body ?? {})).toEqual(['code', 'message', 'data', 'next_cursor']);
  expect(Array.isArray(rows)).toBe(true);
  return { rows, next: answer.body?.next_cursor ?? null };
}

async function walk<T>(
  client: ApiClient,
  path: string,
  body: object,
  limitOf: (page: number) => number | string,
  meanwhile: () => Promise<unknown> = () => Promise.resolve(),
): Promise<T[]> {
  const asked = { ...days(), ...body };
  const all: T[] = [];
  let cursor: string | null = null;
  for (let page = 0; page === 0 || cursor !== null; page += 1) {
    const { rows, next }: { rows: T[]; next: string | null } = listOf<T>(
      await client.send({ path, body: { ...asked, limit: limitOf(page), ...(cursor !== null && { cursor }) } }),
    );
    expect(rows.length).toBeLessThanOrEqual(Number(limitOf(page)));
    all.push(...rows);
    cursor = next;
    await meanwhile();
  }
  return all;
}

const codesOf = (rows: readonly StatusRow[]): string[] => rows.map(({ transaction_code }) => transaction_code);
const till = (reference: string): Promise<Answer> =>
  one.disburse('KES', { amount: 100, ...kesDestination('till'), reference });

function expectRefused(answer: Answer, status: number, code: string): string {
  expect([answer.status, answer.headers['error-code']]).toEqual([status, code]);
  return answer.body?.message ?? '';
}

describe('the list of transactions', () => {
  const before = Array.from({ length: 30 }, (_, index) => `listed-${index}`);

  beforeAll(async () => {
    for (const reference of before) expect((await till(reference)).status).toBe(200);
  }, 60_000);

  it.each<[string, (page: number) => number | string]>([
    ['one', () => 1],
    ['two', () => '2'],
    ['three', () => 3],
    ['one, two or three', (page) => 1 + (page % 3)],
  ])(
    'in pages of %s: each row once, newest first, while new ones come in',
    async (name, limitOf) => {
      let sent = 0;
      const seen = codesOf(
        await walk<StatusRow>(one, '/v1/transactions/kes', {}, limitOf, () =>
          till(`during-${name.replace(/\W+/g, '-')}-${sent++}`),
        ),
      );
      expect(new Set(seen).size).toBe(seen.length);
      expect(seen.filter((code) => code.startsWith('listed-'))).toEqual([...before].reverse());
      // Rows added after the first page are newer.
      expect(seen.filter((code) => code.startsWith(`during-${name.replace(/\W+/g, '-')}-`))).toEqual([]);
    },
    60_000,
  );

  it('has the same row as the status, by every path, and shows nothing to another partner', async () => {
    await watchStatus(one, before[0] ?? '', 'COMPLETE', END_WITHIN_MS);
    const row = await one.status(before[0] ?? '');
    for (const path of ['/v1/transactions', '/v1/transactions/', '/v1/transactions/KE', '/account/ke/transactions']) {
      const { rows } = listOf<StatusRow>(await one.send({ path, body: days() }));
      expect(rows.find(({ transaction_code }) => transaction_code === before[0])).toEqual(row);
    }
    expect(listOf(await two.send({ path: '/v1/transactions', body: days() }))).toEqual({ rows: [], next: null });
    const { next } = listOf(await one.send({ path: '/v1/transactions', body: { ...days(), limit: 1 } }));
    expect(
      expectRefused(
        await two.send({ path: '/v1/transactions', body: { ...days(), limit: 1, cursor: next } }),
        400,
        'invalid_request',
      ),
    ).toMatch(/^cursor /);
  }, 30_000);

  it('accepts only the exact cursor', async () => {
    const { next } = listOf(await one.send({ path: '/v1/transactions', body: { ...days(), limit: 2 } }));
    const cursor = next ?? '';
    const turned = cursor.slice(0, 5) + (cursor[5] === 'A' ? 'B' : 'A') + cursor.slice(6);
    for (const wrong of [turned, cursor.slice(1), `${cursor}x`, 'e30', '0']) {
      const answer = await one.send({
        path: '/v1/transactions',
        body: { ...days(), limit: 2, cursor: wrong },
        headers: { accept: 'application/problem+json' },
      });
      expect([answer.status, answer.body]).toMatchObject([400, { errors: [{ pointer: '#/cursor' }] }]);
    }
    expectRefused(
      await one.send({ path: '/v1/transactions/kes', body: { ...days(), limit: 2, cursor } }),
      400,
      'invalid_request',
    );
    expectRefused(
      await one.send({ path: '/account/statement', body: { currency: 'KES', ...days(), cursor } }),
      400,
      'invalid_request',
    );
  });

  it('is filtered by what partners see of a status', async () => {
    const failing = await one.disburse('KES', {
      amount: 100,
      ...kesDestination('till', '0000'),
      reference: 'failing-1',
    });
    expect(failing.status).toBe(200);
    await watchStatus(one, 'failing-1', 'FAILED', END_WITHIN_MS);
    for (const code of before) await watchStatus(one, code, 'COMPLETE', END_WITHIN_MS);
    expect(codesOf(await walk<StatusRow>(one, '/v1/transactions', { status: 'failed' }, () => 1000))).toEqual([
      'failing-1',
    ]);
    const complete = await walk<StatusRow>(one, '/v1/transactions', { status: 'Complete' }, () => 7);
    expect(complete.every(({ status, is_released }) => status === 'COMPLETE' && is_released === true)).toBe(true);
    expect(codesOf(complete).filter((code) => code.startsWith('listed-'))).toEqual([...before].reverse());
  }, 60_000);

  it('of a currency includes its payouts in dollars, and so does its status path', async () => {
    const to = { shortcode: phoneNumber('7890', 'CDF'), mobile_network: 'Airtel Money' };
    expect((await one.disburse('CDF', { amount: 1000, ...to, reference: 'in-francs' })).status).toBe(200);
    expect(
      (await one.disburse('CDF', { amount: '12.34', currency: 'USD', ...to, reference: 'in-dollars' })).status,
    ).toBe(200);
    const { rows } = listOf<StatusRow>(await one.send({ path: '/v1/transactions/cdf', body: days() }));
    expect(
      rows.map(({ transaction_code, currency_code, amount, amount_in_usd }) => [
        transaction_code,
        currency_code,
        amount,
        amount_in_usd,
      ]),
    ).toEqual([
      ['in-dollars', 'USD', '12.34', '12.34'],
      ['in-francs', 'CDF', '1000.00', '0.00'],
    ]);
    expect((await one.status('in-dollars', 'CDF'))?.currency_code).toBe('USD');
    expect(await one.status('in-dollars', 'KES')).toBeNull();
  });

  it.each<[string, object, RegExp]>([
    ['no days', {}, /^start_date is required$/],
    ['a day that never was', { start_date: '2026-02-29', end_date: '2026-03-01' }, /^start_date must be a date/],
    [
      'an end before its start',
      { start_date: '2026-03-02', end_date: '2026-03-01' },
      /^end_date must not be before start_date$/,
    ],
    [
      'an end 401 days after its start',
      { start_date: '2025-01-01', end_date: '2026-02-06' },
      /^end_date must be at most 400 days after start_date$/,
    ],
    [
      'a status of the inside',
      { start_date: '2026-03-01', end_date: '2026-03-01', status: 'SUBMITTED' },
      /^status must be one of PENDING/,
    ],
    ['no rows', { start_date: '2026-03-01', end_date: '2026-03-01', limit: 0 }, /^limit must be/],
    [
      'a count that is no whole number',
      { start_date: '2026-03-01', end_date: '2026-03-01', limit: '1.0' },
      /^limit must be a whole number from 1 to 1000$/,
    ],
  ])('with %s: 400', async (_, body, message) => {
    expect(expectRefused(await one.send({ path: '/v1/transactions', body }), 400, 'invalid_request')).toMatch(message);
  });
});

describe('the statement of a wallet', () => {
  it('adds up to what is in it, entry by entry, on whatever pages', async () => {
    const ngn = { amount: '150.50', account_number: '1234567890', bank_code: '044' };
    for (let sent = 0; sent < 4; sent += 1)
      expect((await two.bankTransfer('NGN', { ...ngn, reference: `stated-${sent}` })).status).toBe(200);
    expect(
      (await two.bankTransfer('NGN', { ...ngn, account_number: '1234560000', reference: 'stated-back' })).status,
    ).toBe(200);
    for (const code of ['stated-0', 'stated-1', 'stated-2', 'stated-3'])
      await watchStatus(two, code, 'COMPLETE', END_WITHIN_MS);
    await watchStatus(two, 'stated-back', 'FAILED', END_WITHIN_MS);
    const entries = await walk<Entry>(two, '/account/statement', { currency: 'ngn' }, () => 1000);
    expect(await walk<Entry>(two, '/account/statement', { currency: 'NGN' }, (page) => 1 + (page % 2))).toEqual(
      entries,
    );
    const minor = (text: string): bigint =>
      text.startsWith('-') ? -minorOf(text.slice(1), 'NGN') : minorOf(text, 'NGN');
    for (const [index, entry] of entries.entries())
      expect(minor(entry.balance)).toBe(minor(entries[index + 1]?.balance ?? '0.00') + minor(entry.amount));
    expect(minor(entries[0]?.balance ?? '')).toBe((await two.wallets()).get('NGN'));
    expect(entries.at(-1)).toMatchObject({ kind: 'opening', transaction_code: '' });
    const ofFailed = entries.filter(({ transaction_code }) => transaction_code === 'stated-back');
    expect(ofFailed.map(({ kind, amount }) => [kind, amount])).toEqual([
      ['release', '150.50'],
      ['hold', '-150.50'],
    ]);
    const others = await walk<Entry>(one, '/account/statement', { currency: 'NGN' }, () => 1000);
    expect(others.map(({ transaction_code }) => transaction_code)).toEqual(['']);
  }, 60_000);

  it('is of a wallet currency', async () => {
    expect(
      listOf<Entry>(await one.send({ path: '/account/statement', body: { currency: 'usd', ...days() } })).rows.length,
    ).toBeGreaterThan(0);
    expect(
      expectRefused(
        await one.send({ path: '/account/statement', body: { currency: 'EUR', ...days() } }),
        400,
        'unsupported_currency',
      ),
    ).toMatch(/^currency must be one of/);
  });
});

describe('the account', () => {
  it('gives each wallet by its id, to its own partner alone', async () => {
    const { wallets } = dataOf<{ wallets: { id: number; currency: string }[] }>(
      await one.send({ path: '/account/detail' }),
    );
    expect(wallets.length).toBeGreaterThan(7);
    for (const wallet of wallets) {
      const found = dataOf<object>(await one.send({ path: `/account/wallet/${wallet.id}` }));
      expect(Object.keys(found)).toEqual(['id', 'balance', 'currency', 'country_name']);
      expect(found).toMatchObject({ id: wallet.id, currency: wallet.currency });
      expect(expectRefused(await two.send({ path: `/account/wallet/${wallet.id}` }), 404, 'not_found')).toBe(
        'No such wallet',
      );
    }
    for (const none of ['0', 'x', '999999'])
      expect(expectRefused(await one.send({ path: `/account/wallet/${none}` }), 404, 'not_found')).toBe(
        'No such wallet',
      );
  });

  it('lists countries, networks, limits and fees whole', async () => {
    const countries = listOf<{ id: number; currency_code: string; phone_code: string }>(
      await one.send({ path: '/account/countries' }),
    );
    expect(countries.rows.map(({ id, currency_code, phone_code }) => [id, currency_code, phone_code])).toEqual([
      [404, 'KES', '254'],
      [800, 'UGX', '256'],
      [566, 'NGN', '234'],
      [288, 'GHS', '233'],
      [454, 'MWK', '265'],
      [180, 'CDF', '243'],
      [231, 'ETB', '251'],
    ]);
    const networks = listOf(await one.send({ path: '/account/networks' }));
    expect(networks.rows).toEqual(dataOf<{ networks: unknown }>(await one.send({ path: '/account/detail' })).networks);
    const limits = listOf<object>(await one.send({ path: '/v1/limits' }));
    expect(limits.rows).toContainEqual({
      operation: 'disburse',
      currency: 'CDF',
      paid_in: 'USD',
      type: 'MOBILE',
      mobile_network: 'Mpesa',
      min: '1.00',
      max: '400.00',
      decimals: 2,
    });
    const fees = listOf<object>(await one.send({ path: '/v1/fees/KES' }));
    expect(fees.rows).toContainEqual({
      operation: 'bank_transfer',
      currency: 'KES',
      paid_in: 'KES',
      flat: '30.00',
      basis_points: 0,
    });
    expect([countries.next, networks.next, limits.next, fees.next]).toEqual([null, null, null, null]);
  });
});

describe('seen from outside', () => {
  it('all of it is sound', async () => {
    await fixture.checker.expectSound();
  }, 240_000);
});
