import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { CURRENCIES, requestShapes, termsDigest, type Currency, type Problem } from '@vuka/domain';
import { ManualClock, ServiceUnavailableError } from '@vuka/runtime';

import {
  ask,
  CHECKOUT_KEY,
  expectError,
  HASH,
  OTHER_CONSUMER_KEY,
  PAYOUTS,
  QUOTE,
  startTestGateway,
  type Answer,
  type Ask,
  type TestGateway,
} from '../testing/gateway.spec-support.js';

let gateway: TestGateway;
const clock = new ManualClock(new Date('2026-11-21T12:00:00Z'));

beforeAll(async () => {
  gateway = await startTestGateway({}, clock);
});

afterEach(() => {
  gateway.offramp.refusal = null;
  gateway.offramp.away = null;
  gateway.payments.before = () => Promise.resolve();
});

afterAll(() => gateway.stop());

const [MOBILE, , TILL] = PAYOUTS;
const DOWN = new ServiceUnavailableError('offramp', 'down');
let hashes = 0;
const freshHash = (): string => `0x${(++hashes).toString(16).padStart(64, '0')}`;
const call = (request: Partial<Ask>): Promise<Answer> => ask(gateway.port, { path: '/v1/pay', ...request });
const pay = (more: object = {}): Promise<Answer> =>
  call({ body: { ...MOBILE, transaction_hash: freshHash(), ...more } });

describe('pay', () => {
  it('answers the acceptance record, and names the transaction', async () => {
    const answer = await pay();
    const body = answer.body as { data: Record<string, string> };
    expect([answer.status, Object.keys(body), Object.keys(body.data)]).toEqual([
      200,
      ['code', 'message', 'data'],
      ['status', 'transaction_code', 'message'],
    ]);
    expect(body.data['status']).toBe('PENDING');
    expect(body.data['transaction_code']).toMatch(/^[0-9a-f-]{36}$/);
    expect(answer.headers['transaction-code']).toBe(body.data['transaction_code']);
  });

  it('hands payments what the rules made of the request, and asks offramp about the refund address alone', async () => {
    const asked = gateway.offramp.asked.length;
    const deposit = {
      transaction_hash: HASH.toUpperCase().replace('0X', '0x'),
      chain: 'base',
      asset: 'USDC',
      refund_address: `0x${'aB'.repeat(20)}`,
    };
    expect(
      (
        await pay({
          fee: 5,
          reference: 'pay-1',
          callback_url: 'https://hooks.example.com/a?x=%41',
          account_name: 'Mary',
          ...deposit,
        })
      ).status,
    ).toBe(200);
    expect(gateway.payments.pays.at(-1)).toEqual({
      partner_id: 1,
      transaction_code: 'pay-1',
      fingerprint: expect.stringMatching(/^v1\.k1\.[\w-]{43}$/),
      key_id: 'vk_test_consumer_p1',
      currency: 'KES',
      amount_minor: '150000',
      fee_minor: '500',
      destination: { kind: 'mobile', phone: '+254712345678', mobile_network: 'Safaricom' },
      callback_url: 'https://hooks.example.com/a?x=%41',
      terms: termsDigest(CURRENCIES),
      routes: expect.stringMatching(/^[0-9a-f]{64}$/),
      chain: 'BASE',
      transaction_hash: HASH,
      asset: 'USDC',
      quote_id: null,
      refund_address: deposit.refund_address.toLowerCase(),
    });
    expect(gateway.offramp.asked.slice(asked).filter((operation) => operation !== 'listChains')).toEqual([
      'checkRefundAddress',
    ]);
  });

  it.each(Object.values<Currency>(CURRENCIES))('is offered in $code, to every kind of recipient', async (currency) => {
    for (const { kind, paidIn, example } of requestShapes('pay', currency)) {
      for (const path of [`/v1/pay/${currency.code.toLowerCase()}`, `/v1/pay/${currency.country}/`]) {
        expect((await call({ path, body: { ...example, transaction_hash: freshHash() } })).status).toBe(200);
        expect(gateway.payments.pays.at(-1)).toMatchObject({
          currency: paidIn,
          destination: { kind },
          chain: 'CELO',
          asset: null,
        });
      }
    }
  });

  it.each(['/v1/pay', '/v1/pay/', '/v1/pay/KES', '/v1/pay/ke/?x=1'])('goes by the rules of KES at %s', async (path) => {
    expect((await call({ path, body: { ...TILL, transaction_hash: freshHash(), chain: '' } })).status).toBe(200);
    expect(gateway.payments.pays.at(-1)).toMatchObject({ currency: 'KES', chain: 'CELO' });
  });

  it('refuses in the words that clients search for', async () => {
    expect(expectError(await pay({ amount: 19 }), 400, 'amount_out_of_range')).toBe(
      'The amount field must be at least 20',
    );
    expect(expectError(await pay({ chain: 'TRON' }), 400, 'unsupported_network')).toMatch(/^chain must be one of /);
    expect(expectError(await pay({ asset: 'USDM' }), 400, 'unsupported_network')).toMatch(
      /^asset must be one of .* on CELO$/,
    );
    expect(expectError(await pay({ transaction_hash: 'x' }), 400, 'invalid_request')).toMatch(
      /^transaction_hash must be /,
    );
    expect(expectError(await pay({ transaction_hash: null }), 400, 'invalid_request')).toBe(
      'transaction_hash is required',
    );
    expect(expectError(await pay({ quote_id: 'x' }), 400, 'invalid_request')).toMatch(/^quote_id must be /);
    expect(expectError(await pay({ refund_address: '0x1' }), 400, 'invalid_request')).toMatch(
      /^refund_address must be /,
    );
    expect(expectError(await pay({ callback_url: 'https://127.1/' }), 400, 'invalid_callback_url')).toMatch(
      /^callback_url /,
    );
    expect(expectError(await call({}), 400, 'invalid_request')).toBe('transaction_hash is required');
  });

  it('answers wrong methods, currencies and keys as every operation does', async () => {
    const wrong = await call({ method: 'GET' });
    expectError(wrong, 405, 'invalid_request');
    expect(wrong.headers['allow']).toBe('POST');
    expectError(await call({ path: '/v1/pay/xxx', body: MOBILE }), 404, 'not_found');
    expectError(await call({ body: MOBILE, headers: { 'x-api-key': 'none' } }), 401, 'unauthorized');
    expectError(await call({ body: MOBILE, headers: { 'x-api-key': CHECKOUT_KEY } }), 403, 'forbidden');
  });
});

describe('the hash of a pay', () => {
  it('is one, however it is spelled, and its second claim names the first', async () => {
    const digits = 'ab'.repeat(31);
    const [first, ...others] = [`0x${digits}01`, `0X${digits}01`, `${digits}01`, `0x${digits.toUpperCase()}01`].map(
      (transaction_hash) => ({ transaction_hash }),
    );
    const accepted = await pay(first);
    const code = accepted.headers['transaction-code'];
    for (const spelled of others) {
      const again = await pay({ ...spelled, chain: 'celo' });
      expect(expectError(again, 409, 'hash_already_processed')).toContain('already been processed');
      expect([again.headers['transaction-code'], (again.body as { message: string }).message]).toEqual([
        code,
        expect.stringContaining(String(code)),
      ]);
      expect(gateway.payments.pays.at(-1)?.transaction_hash).toBe(`0x${digits}01`);
    }
  });

  it('may be claimed by another partner, who is told nothing of the first', async () => {
    const transaction_hash = freshHash();
    await pay({ transaction_hash });
    expect(
      (await call({ body: { ...MOBILE, transaction_hash }, headers: { 'x-api-key': OTHER_CONSUMER_KEY } })).status,
    ).toBe(200);
  });
});

describe('the chain of a pay', () => {
  it.each([
    ['bsc', 'BNB'],
    ['BINANCE', 'BNB'],
    ['eth', 'ETHEREUM'],
    ['matic', 'POLYGON'],
    ['AVAX', 'AVALANCHE'],
    ['arb', 'ARBITRUM'],
    ['base', 'BASE'],
  ])('may be called %s: %s', async (sent, chain) => {
    const apart = await startTestGateway();
    apart.offramp.chains = [{ name: chain, assets: ['USDC'] }];
    try {
      expect(
        (await ask(apart.port, { path: '/v1/pay', body: { ...MOBILE, transaction_hash: freshHash(), chain: sent } }))
          .status,
      ).toBe(200);
      expect(apart.payments.pays.at(-1)).toMatchObject({ chain });
    } finally {
      await apart.stop();
    }
  });

  it('is a 503 where it is not served, and nothing is asked of payments', async () => {
    const calls = gateway.payments.pays.length;
    const refused = await pay({ chain: 'ETHEREUM', reference: 'not-served' });
    expect(expectError(refused, 503, 'service_unavailable')).toBe(
      'ETHEREUM is not served at the moment, so this request was not accepted. Served: CELO, BASE',
    );
    expect([refused.headers['transaction-code'], gateway.payments.pays.length]).toEqual(['not-served', calls]);
    expect((await pay({ chain: 'ETHEREUM' })).headers['transaction-code']).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('takes only the tokens that offramp accepts on it', async () => {
    const saved = gateway.offramp.chains;
    gateway.offramp.chains = [{ name: 'CELO', assets: ['USDT'] }];
    clock.advance(10_000);
    expect(expectError(await pay({ asset: 'USDC' }), 503, 'service_unavailable')).toBe(
      'USDC is not taken on CELO at the moment, so this request was not accepted. Taken: USDT',
    );
    expect((await pay({ asset: 'USDT' })).status).toBe(200);
    gateway.offramp.chains = saved;
    clock.advance(10_000);
  });

  it('is known for a while, and for as long as offramp is away', async () => {
    await pay();
    const asked = gateway.offramp.asked.length;
    clock.advance(9_999);
    expect((await pay()).status).toBe(200);
    expect(gateway.offramp.asked).toHaveLength(asked);
    gateway.offramp.away = DOWN;
    clock.advance(3_600_000);
    expect((await pay()).status).toBe(200);
    expect((await pay()).status).toBe(200);
    expect(gateway.offramp.asked).toHaveLength(asked + 1);
  });

  it('is a 503 that says what to do where nobody has told yet', async () => {
    const apart = await startTestGateway();
    apart.offramp.away = DOWN;
    const body = { ...MOBILE, transaction_hash: freshHash() };
    try {
      expect(expectError(await ask(apart.port, { path: '/v1/pay', body }), 503, 'service_unavailable')).toMatch(
        /^Which chains are served .* was not accepted\. Send the same request again later$/,
      );
      apart.offramp.away = null;
      expect((await ask(apart.port, { path: '/v1/pay', body })).status).toBe(200);
    } finally {
      await apart.stop();
    }
  });
});

describe('a pay under a quote', () => {
  const quoted = { quote_id: QUOTE.quote_id.toUpperCase(), asset: 'USDC' };

  it('is accepted where offramp says that it fits', async () => {
    expect((await pay(quoted)).status).toBe(200);
    expect(gateway.offramp.checked.at(-1)).toEqual({
      partner_id: 1,
      currency: 'KES',
      amount_minor: '150000',
      chain: 'CELO',
      asset: 'USDC',
      quote_id: QUOTE.quote_id,
    });
    expect(gateway.payments.pays.at(-1)).toMatchObject({ quote_id: QUOTE.quote_id });
  });

  it.each<[number, Problem]>([
    [409, { code: 'quote_mismatch', message: 'The quote is for another amount' }],
    [409, { code: 'quote_used', message: 'The quote has been used' }],
    [404, { code: 'not_found', message: 'quote_id is no quote of yours' }],
  ])('is a %d where offramp says $code', async (status, refusal) => {
    const calls = gateway.payments.pays.length;
    await pay();
    gateway.offramp.refusal = refusal;
    const answer = await pay(quoted);
    expect(expectError(answer, status, refusal.code)).toBe(refusal.message);
    if (status === 409) expect(answer.headers['transaction-code']).toMatch(/^[0-9a-f-]{36}$/);
    else expect(answer.headers['transaction-code']).toBeUndefined();
    expect(gateway.payments.pays).toHaveLength(calls + 1);
  });

  it('waits for offramp, while one without a quote does not', async () => {
    await pay();
    gateway.offramp.away = DOWN;
    const answer = await pay({ ...quoted, reference: 'quoted-1' });
    expect(expectError(answer, 503, 'service_unavailable')).toMatch(
      /^The quote cannot be checked .* was not accepted\./,
    );
    expect(answer.headers['transaction-code']).toBe('quoted-1');
    expect((await pay()).status).toBe(200);
  });

  it('is answered as it was, once it was accepted: also where its quote is used by now, or offramp away', async () => {
    const body = { ...MOBILE, transaction_hash: freshHash(), ...quoted, reference: 'quoted-2' };
    const first = await call({ body });
    gateway.offramp.refusal = { code: 'quote_used', message: 'The quote has been used' };
    const used = await call({ body });
    gateway.offramp.away = DOWN;
    const away = await call({ body });
    for (const again of [used, away])
      expect([
        again.status,
        again.text,
        again.headers['idempotent-replayed'],
        again.headers['transaction-code'],
      ]).toEqual([200, first.text, 'true', 'quoted-2']);
    expectError(await call({ body: { ...body, amount: 1600 } }), 503, 'service_unavailable');
  });
});

describe('a reference of a pay', () => {
  it('is one over all operations: the same request is the same transaction, another one a conflict', async () => {
    const body = { ...MOBILE, transaction_hash: freshHash(), reference: 'shared-pay' };
    const first = await call({ body });
    const again = await call({ body: { ...body, amount: '1500.00', unknown: 1 } });
    expect([again.text, again.headers['idempotent-replayed']]).toEqual([first.text, 'true']);
    const other = await ask(gateway.port, { path: '/kes/disburse', body });
    expect(expectError(other, 409, 'reference_reused')).toContain('shared-pay');
    expect(other.headers['transaction-code']).toBe('shared-pay');
    expectError(await call({ body: { ...body, chain: 'BASE' } }), 409, 'reference_reused');
  });

  it('finds it again, by its hash in any spelling, too', async () => {
    const hash = freshHash();
    await pay({ transaction_hash: hash, reference: 'found-pay' });
    const row = async (by: object): Promise<unknown> =>
      ((await ask(gateway.port, { path: '/account/ke/transaction', body: by })).body as { data: unknown }).data;
    const found = await row({ reference: 'found-pay' });
    expect(found).toMatchObject({ transaction_code: 'found-pay', chain: 'CELO', transaction_hash: hash });
    for (const transaction_hash of [hash, hash.slice(2), hash.replace('0x', '0X').toUpperCase()])
      expect(await row({ transaction_hash })).toEqual(found);
    for (const transaction_hash of [freshHash(), 'nonsense', 'x'.repeat(200)]) {
      expectError(
        await ask(gateway.port, { path: '/account/ke/transaction', body: { transaction_hash } }),
        404,
        'not_found',
      );
    }
  });

  it('leaves a lost answer open', async () => {
    gateway.payments.before = () => Promise.reject(new ServiceUnavailableError('payments', 'down'));
    const open = await pay({ reference: 'open-pay' });
    expect(expectError(open, 503, 'service_unavailable')).toContain('POST /kes/status with transaction_code open-pay');
    expect(open.headers['transaction-code']).toBe('open-pay');
  });
});

describe('where to send a deposit', () => {
  it('is told by the networks and by the account, as offramp knows it', async () => {
    const network = (name: string, address: string, contract: string) => ({
      name,
      icon: '',
      settlement_wallet_address: address,
      checkout_status: address !== '',
      assets: [{ name: 'USDC', icon: '', contract_address: contract, checkout_status: address !== '' }],
    });
    gateway.offramp.networks = [
      network('CELO', QUOTE.settlement_wallet_address, '0xcebA9300f2b948710d2653dD7B07f33A8B32118C'),
      network('SOLANA', '', ''),
    ];
    expect((await ask(gateway.port, { path: '/account/networks' })).body).toEqual({
      code: 200,
      message: 'The networks',
      data: gateway.offramp.networks,
      next_cursor: null,
    });
    expect((await ask(gateway.port, { path: '/account/detail' })).body).toMatchObject({
      data: { networks: gateway.offramp.networks },
    });
  });
});
