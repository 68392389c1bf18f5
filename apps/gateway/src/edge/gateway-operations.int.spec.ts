import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { ServiceUnavailableError } from '@vuka/runtime';

import {
  ask,
  expectError,
  OTHER_CONSUMER_KEY,
  startTestGateway,
  TRANSFER,
  type Answer,
  type Ask,
  type TestGateway,
} from '../testing/gateway.spec-support.js';

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway();
});

afterEach(() => {
  gateway.payments.before = () => Promise.resolve();
  gateway.payments.after = () => Promise.resolve();
});

afterAll(() => gateway.stop());

const call = (request: Ask): Promise<Answer> => ask(gateway.port, request);

describe('bank transfer', () => {
  const path = '/kes/bank-transfer';

  it('keeps the callback URL byte for byte and refuses private ones', async () => {
    const callback_url = 'https://hooks.example.com/a%2Fb?x=%41&y=1+2&&z';
    expect((await call({ path, body: { ...TRANSFER, callback_url } })).status).toBe(200);
    expect(gateway.payments.calls.at(-1)?.callback_url).toBe(callback_url);
    // Its query is sealed from here to the notifier.
    expect(gateway.payments.sealedUrls.at(-1)).toMatch(/^https:\/\/hooks\.example\.com\/a%2Fb\?~v1\.w1\.[\w-]+$/);
    for (const url of [
      'http://example.com',
      'https://127.1/',
      'https://u:p@example.com',
      'nonsense',
      'https://[::1]/',
      'https://2130706433/',
    ]) {
      const answer = await call({ path, body: { ...TRANSFER, callback_url: url } });
      expect(expectError(answer, 400, 'invalid_callback_url')).toMatch(/^Failed - Bad Request: callback_url /);
    }
  });

  it('answers one reference once, and names the transaction in conflicts', async () => {
    const body = { ...TRANSFER, reference: 'inv-1' };
    const first = await call({ path, body });
    const second = await call({ path, body: { ...body, amount: '1500.00', extra: 1 } });
    expect(first.headers['idempotent-replayed']).toBeUndefined();
    expect(second.headers['idempotent-replayed']).toBe('true');
    expect(second.text).toBe(first.text);
    const other = await call({ path, body: { ...body, amount: 1600 } });
    expectError(other, 409, 'reference_reused');
    expect(other.headers['transaction-code']).toBe('inv-1');
  });

  it('says 402 without a transaction', async () => {
    const saved = gateway.payments.balanceMinor;
    gateway.payments.balanceMinor = 0n;
    const answer = await call({ path, body: TRANSFER });
    gateway.payments.balanceMinor = saved;
    expectError(answer, 402, 'insufficient_balance');
    expect(answer.headers['transaction-code']).toBeUndefined();
  });

  it('leaves the outcome open when payments is down or silent', async () => {
    gateway.payments.before = () => Promise.reject(new ServiceUnavailableError('payments', 'down'));
    const down = await call({ path, body: { ...TRANSFER, reference: 'open-1' } });
    const downMessage = expectError(down, 503, 'service_unavailable');
    expect(downMessage).toContain('Send the same request again with the same reference: it never pays twice');
    expect(downMessage).toMatch(
      /POST \/kes\/status with transaction_code open-1; a 404 within the first minute is no proof$/,
    );
    expect(down.headers['transaction-code']).toBe('open-1');

    const accepted = gateway.payments.accepted.size;
    let release = (): void => undefined;
    gateway.payments.before = () => new Promise((resolve) => (release = resolve));
    const late = await call({ path, body: TRANSFER });
    release();
    const message = expectError(late, 504, 'outcome_unknown');
    const code = String(late.headers['transaction-code']);
    expect(message).toContain(`Send the same request again with reference ${code}: it never pays twice`);
    expect(message).toContain(`POST /kes/status with transaction_code ${code}`);
    // The message is true: the lost transaction exists, and the repeat pays nothing.
    gateway.payments.before = () => Promise.resolve();
    const again = await call({ path, body: { ...TRANSFER, reference: code } });
    expectError(again, 409, 'reference_reused');
    expect([again.headers['transaction-code'], gateway.payments.accepted.size]).toEqual([code, accepted + 1]);
  });

  it('answers reads with 503 during the outage', async () => {
    const stopped = await startTestGateway({
      payments: {
        acceptPay: () => Promise.reject(new Error('broken')),
        acceptPayout: () => Promise.reject(new Error('broken')),
        answerApproval: () => Promise.reject(new Error('broken')),
        controlSandboxPayout: () => Promise.reject(new Error('broken')),
        getTransaction: () => Promise.reject(new ServiceUnavailableError('payments', 'down')),
        listTransactions: () => Promise.reject(new ServiceUnavailableError('payments', 'down')),
        listWallets: () => Promise.reject(new Error('broken')),
        requestRefund: () => Promise.reject(new Error('broken')),
        takeCallback: () => Promise.reject(new Error('broken')),
        walletStatement: () => Promise.reject(new Error('broken')),
      },
    });
    try {
      const answers = [
        await ask(stopped.port, { path: '/v1/status', body: { transaction_code: 'x' } }),
        await ask(stopped.port, { path: '/account/detail' }),
        await ask(stopped.port, { path: '/account/wallet/1' }),
        await ask(stopped.port, {
          path: '/v1/transactions',
          body: { start_date: '2026-01-01', end_date: '2026-01-01' },
        }),
        await ask(stopped.port, {
          path: '/account/statement',
          body: { currency: 'KES', start_date: '2026-01-01', end_date: '2026-01-01' },
        }),
      ];
      for (const answer of answers) {
        expectError(answer, 503, 'service_unavailable');
        expect(answer.headers['transaction-code']).toBeUndefined();
      }
    } finally {
      await stopped.stop();
    }
  });
});

describe('reads', () => {
  it('finds a transaction in every form, for its partner and currency only', async () => {
    const reference = 'find-me';
    await call({ path: '/kes/bank-transfer', body: { ...TRANSFER, reference } });
    const found = [
      await call({ path: '/kes/status', body: { transaction_code: reference } }),
      await call({ path: '/v1/status', body: { transaction_code: reference } }),
      await call({ path: '/v1/status/', body: { transaction_code: reference } }),
      await call({ path: '/v1/status/KE', body: { transaction_code: reference } }),
      await call({
        path: '/account/ke/transaction',
        body: { reference, transaction_code: '', transaction_hash: null },
      }),
    ];
    for (const answer of found) {
      expect(answer.status).toBe(200);
      expect(answer.body).toMatchObject({ code: 200, data: { transaction_code: reference, currency_code: 'KES' } });
    }
    const elsewhere = [
      await call({ path: '/ngn/status', body: { transaction_code: reference } }),
      await call({
        path: '/v1/status',
        body: { transaction_code: reference },
        headers: { 'x-api-key': OTHER_CONSUMER_KEY },
      }),
      await call({ path: '/account/ke/transaction', body: { transaction_hash: '0xabc' } }),
    ];
    expect(new Set(elsewhere.map((answer) => expectError(answer, 404, 'not_found'))).size).toBe(1);
  });

  it('says what it looks up by', async () => {
    expect(
      expectError(await call({ path: '/v1/status', body: { transaction_code: '' } }), 400, 'invalid_request'),
    ).toMatch(/transaction_code/);
    expect(expectError(await call({ path: '/account/ke/transaction', body: {} }), 400, 'invalid_request')).toMatch(
      /reference/,
    );
    for (const transaction_code of [12, ['a'], { a: 1 }, 'a b', 'x'.repeat(101), true]) {
      expectError(await call({ path: '/v1/status', body: { transaction_code } }), 400, 'invalid_request');
    }
    expectError(
      await call({ path: '/account/ke/transaction', body: { transaction_hash: 'x'.repeat(201) } }),
      400,
      'invalid_request',
    );
  });

  it('describes the account with exact balances', async () => {
    const answer = await call({ path: '/account/detail' });
    expect(answer.status).toBe(200);
    expect(answer.text).toContain('"balance":9007199254740993.01,');
    expect(answer.text).toContain('"balance":500,');
    expect(answer.body).toMatchObject({
      data: {
        id: 1,
        name: 'Partner One',
        email: 'one@example.com',
        status: 'ACTIVE',
        checkout_key: 'vk_test_checkout_p1',
        wallets: [
          { id: 1, currency: 'KES', country_name: 'Kenya' },
          { id: 2, currency: 'UGX', balance: 500, country_name: 'Uganda' },
          { id: 3, currency: 'USD', balance: 10_000, country_name: 'United States' },
        ],
        networks: [],
        created_at: '2026-01-01T00:00:00.000Z',
      },
    });
  });

  it('lists banks, NGN by default, none where there are none', async () => {
    const listed = async (path: string): Promise<{ currency: string; code: string; Code: string }[]> => {
      const answer = await call({ path });
      expect(answer.status).toBe(200);
      const body = answer.body as { data: { currency: string; code: string; Code: string }[] };
      expect(Object.keys(body)).toEqual(['code', 'message', 'data', 'next_cursor']);
      return body.data;
    };
    expect((await listed('/v1/banks'))[0]?.currency).toBe('NGN');
    expect((await listed('/v1/banks/'))[0]?.currency).toBe('NGN');
    expect((await listed('/v1/banks/ke'))[0]).toMatchObject({ currency: 'KES', code: '01', Code: '01' });
    for (const some of ['mwk', 'GHS', 'et']) expect((await listed(`/v1/banks/${some}`)).length).toBeGreaterThan(0);
    for (const none of ['ugx', 'CDF']) expect(await listed(`/v1/banks/${none}`)).toEqual([]);
    expectError(await call({ path: '/v1/banks/xx' }), 404, 'not_found');
  });
});
