import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  accountNumber,
  dataOf,
  openSharedFixture,
  FIXTURE_WITHIN_MS,
  type Answer,
  type ApiClient,
  type OutsideChecker,
  type Fixture,
  type TransferBody,
  type WebhookReceiver,
} from '@vuka/testing';

let one: ApiClient;
let two: ApiClient;
let receiver: WebhookReceiver;
let checker: OutsideChecker;
let fixture: Fixture;

beforeAll(async () => {
  fixture = await openSharedFixture();
  ({ one, two, receiver, checker } = fixture);
}, FIXTURE_WITHIN_MS);

afterAll(() => fixture.end(), 60_000);

const AT_ONCE = 100;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const transfer = (fields: Partial<TransferBody> = {}): TransferBody => ({
  amount: 100,
  account_number: accountNumber(),
  bank_code: '01',
  callback_url: receiver.url(),
  ...fields,
});
const codeOf = (answer: Answer): string => dataOf<{ transaction_code: string }>(answer).transaction_code;
const isReplay = (answer: Answer): boolean => answer.headers['idempotent-replayed'] === 'true';
const many = (send: (index: number) => Promise<Answer>): Promise<Answer[]> =>
  Promise.all(Array.from({ length: AT_ONCE }, (_, index) => send(index)));

const count = (answers: readonly Answer[], status: number): number =>
  answers.filter((answer) => answer.status === status).length;

describe('a reference', () => {
  it('sent a hundred times at once is one transaction: equal answers, ninety-nine of them replays', async () => {
    const body = transfer({ reference: 'hundred-1' });
    const before = await one.wallets();
    const answers = await many(() => one.bankTransfer('KES', body));
    expect(count(answers, 200)).toBe(AT_ONCE);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers.filter(isReplay).length).toBe(AT_ONCE - 1);
    for (const answer of answers) expect(answer.headers['transaction-code']).toBe('hundred-1');
    expect((await one.wallets()).get('KES')).toBe((before.get('KES') ?? 0n) - 10_000n - 3_000n);
  });

  it('sent at once with a hundred bodies is one of them: the others are 409 and name it', async () => {
    const account_number = accountNumber();
    const answers = await many((index) =>
      one.bankTransfer('KES', transfer({ reference: 'hundred-2', amount: 100 + index, account_number })),
    );
    expect(count(answers, 200)).toBe(1);
    expect(
      answers.filter(
        ({ status, headers }) =>
          status === 409 && headers['error-code'] === 'reference_reused' && headers['transaction-code'] === 'hundred-2',
      ).length,
    ).toBe(AT_ONCE - 1);
  });

  it('is the same request however its amount is spelled, whatever else is in the body, and for ever', async () => {
    const body = transfer({ reference: 'same-1' });
    const first = await one.bankTransfer('KES', body);
    await receiver.waitForFinal('same-1', 60_000);
    for (const again of [
      { ...body, amount: '100.00' },
      { ...body, amount: '100', extra: 1 },
      Object.fromEntries(Object.entries(body).reverse()) as unknown as TransferBody,
    ]) {
      const answer = await one.bankTransfer('KES', again);
      expect([answer.status, answer.text, isReplay(answer)]).toEqual([200, first.text, true]);
    }
  });

  it.each<[string, string, Partial<TransferBody>]>([
    ['the amount', 'KES', { amount: 101 }],
    ['the account', 'KES', { account_number: '9999999999' }],
    ['the bank', 'KES', { bank_code: '03' }],
    ['the callback URL', 'KES', { callback_url: null }],
    ['the currency', 'NGN', { bank_code: '044' }],
  ])('with another request is 409: %s', async (what, currency, change) => {
    const body = transfer({ reference: `other-${what.replace(/\W/g, '.')}` });
    expect((await one.bankTransfer('KES', body)).status).toBe(200);
    const answer = await one.bankTransfer(currency, { ...body, ...change });
    expect([answer.status, answer.headers['error-code'], answer.headers['transaction-code']]).toEqual([
      409,
      'reference_reused',
      body.reference,
    ]);
  });

  it('of a FAILED transaction stays used', async () => {
    const body = transfer({ reference: 'failed-1', account_number: accountNumber('0000') });
    const first = await one.bankTransfer('KES', body);
    expect((await receiver.waitForFinal('failed-1', 60_000)).payload.status).toBe('FAILED');
    const again = await one.bankTransfer('KES', body);
    expect([again.status, again.text, isReplay(again)]).toEqual([200, first.text, true]);
    expect((await one.bankTransfer('KES', { ...body, amount: 200 })).status).toBe(409);
  });

  it('is free again after a 4xx', async () => {
    const body = transfer({ reference: 'free-1' });
    expect((await one.bankTransfer('KES', { ...body, amount: 1 })).status).toBe(400);
    expect((await one.bankTransfer('KES', { ...body, bank_code: 'none' })).status).toBe(400);
    const answer = await one.bankTransfer('KES', body);
    expect([answer.status, isReplay(answer)]).toEqual([200, false]);
  });

  it('belongs to one partner: two may use the same', async () => {
    const bodies = [transfer({ reference: 'both-1' }), transfer({ reference: 'both-1', amount: 250 })] as const;
    const answers = await Promise.all([one.bankTransfer('KES', bodies[0]), two.bankTransfer('KES', bodies[1])]);
    expect(answers.map((answer) => [answer.status, isReplay(answer)])).toEqual([
      [200, false],
      [200, false],
    ]);
    expect((await one.status('both-1'))?.amount).toBe('100.00');
    expect((await two.status('both-1'))?.amount).toBe('250.00');
  });
});

describe('an Idempotency-Key', () => {
  const keyed = (key: string, body: TransferBody, client = one): Promise<Answer> =>
    client.bankTransfer('KES', body, { 'idempotency-key': key });

  it('gives the same answer again, quoted or bare', async () => {
    const body = transfer();
    const first = await keyed('key-1', body);
    expect([first.status, isReplay(first)]).toEqual([200, false]);
    expect(codeOf(first)).toMatch(UUID);
    for (const key of ['key-1', '"key-1"']) {
      const again = await keyed(key, body);
      expect([again.status, again.text, isReplay(again), again.headers['transaction-code']]).toEqual([
        200,
        first.text,
        true,
        codeOf(first),
      ]);
    }
    expect(codeOf(await keyed('KEY-1', body))).not.toBe(codeOf(first));
  });

  it('with another payload is 422, and with the same one spelled otherwise a replay', async () => {
    const body = transfer();
    const first = await keyed('key-2', body);
    for (const other of [
      { ...body, amount: 101 },
      { ...body, reference: 'key-2-reference' },
    ]) {
      const answer = await keyed('key-2', other);
      expect([answer.status, answer.headers['error-code']]).toEqual([422, 'idempotency_mismatch']);
    }
    expect(await one.status('key-2-reference')).toBeNull();
    expect((await keyed('key-2', { ...body, amount: '100.0' })).text).toBe(first.text);
  });

  it('sent a hundred times at once is one transaction: the others replay it or are 409 while it runs', async () => {
    const body = transfer();
    const before = await one.wallets();
    const answers = await many(() => keyed('key-3', body));
    expect(count(answers, 200) + count(answers, 409)).toBe(AT_ONCE);
    const accepted = answers.filter(({ status }) => status === 200);
    expect(new Set(accepted.map(({ text }) => text)).size).toBe(1);
    expect(accepted.filter((answer) => !isReplay(answer)).length).toBe(1);
    const code = codeOf(accepted[0] as Answer);
    for (const answer of answers) {
      if (answer.status !== 409) continue;
      expect(answer.headers['error-code']).toBe('request_in_progress');
      expect(answer.headers['transaction-code']).toBe(code);
    }
    expect((await one.wallets()).get('KES')).toBe((before.get('KES') ?? 0n) - 10_000n - 3_000n);
    expect((await keyed('key-3', body)).text).toBe(accepted[0]?.text);
  });

  it('stores no 4xx', async () => {
    const body = transfer();
    expect((await keyed('key-4', { ...body, amount: 1 })).status).toBe(400);
    expect((await keyed('key-4', body)).status).toBe(200);
  });

  it('and a reference: each guards for itself', async () => {
    const body = transfer({ reference: 'key-5-reference' });
    const first = await keyed('key-5', body);
    expect(codeOf(first)).toBe('key-5-reference');
    const byKey = await keyed('key-5', body);
    const byReference = await one.bankTransfer('KES', body);
    const byNewKey = await keyed('key-5b', body);
    for (const again of [byKey, byReference, byNewKey])
      expect([again.status, again.text, isReplay(again)]).toEqual([200, first.text, true]);
    expect((await keyed('key-5c', { ...body, amount: 101 })).status).toBe(409);
  });

  it('belongs to one partner', async () => {
    const body = transfer();
    const answers = await Promise.all([
      keyed('key-6', body),
      keyed('key-6', { ...body, account_number: accountNumber() }, two),
    ]);
    expect(answers.map((answer) => [answer.status, isReplay(answer)])).toEqual([
      [200, false],
      [200, false],
    ]);
  });

  it.each(['x'.repeat(256), '"unended', 'a\tb'])('%j is none: 400', async (key) => {
    const answer = await keyed(key, transfer());
    expect([answer.status, answer.headers['error-code']]).toEqual([400, 'invalid_request']);
    expect(answer.body?.message).toMatch(/^Failed - Bad Request: .*Idempotency-Key/);
  });

  it('counts on money operations only', async () => {
    const headers = { 'idempotency-key': 'key-7' };
    const [status, banks] = [
      await one.send({ path: '/v1/status', body: { transaction_code: 'same-1' }, headers }),
      await one.send({ path: '/v1/banks', headers }),
    ];
    expect([status.status, banks.status]).toEqual([200, 200]);
  });
});

describe('seen from outside', () => {
  it('all of it is sound', async () => {
    await checker.expectSound({ everyWebhook: true });
  }, 240_000);
});
