import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { CURRENCIES, type Currency } from '@vuka/domain';
import { DeadlineExceededError, ServiceUnavailableError } from '@vuka/runtime';

import { openApiDocument } from '../openapi/document.js';
import { OPERATION_TABLE } from '../public-operations.js';
import {
  ask,
  CHECKOUT_KEY,
  CONSUMER_KEY,
  expectError,
  HASH,
  PAYOUTS,
  startTestGateway,
  storedKey,
  type Answer,
  type TestGateway,
} from '../testing/gateway.spec-support.js';

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway();
});
afterEach(() => {
  gateway.offramp.refusal = null;
  gateway.offramp.away = null;
  gateway.payments.refundRefusal = null;
  gateway.payments.before = () => Promise.resolve();
});
afterAll(() => gateway.stop());

const ADDRESS = `0x${'aB'.repeat(20)}`;
const REGISTERED = '0x00000000219ab540356cBB839Cbe05303d7705Fa';
const refund = (body: object, headers: Record<string, string> = {}): Promise<Answer> =>
  ask(gateway.port, { path: '/v1/refund', body, headers });

describe('a refund', () => {
  it('says what goes back, to which address, and its state, in the shape that clients parse', async () => {
    const answer = await refund({
      chain: 'celo',
      transaction_hash: HASH.slice(2).toUpperCase(),
      refund_address: ADDRESS,
    });
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        code: 200,
        message: 'The refund',
        data: {
          refund_id: 7000,
          status: 'PENDING',
          chain: 'CELO',
          asset: 'USDC',
          amount: '11.596444',
          address: ADDRESS.toLowerCase(),
          transaction_hash: HASH,
          refund_transaction_hash: '',
        },
      },
    ]);
    expect(answer.headers['transaction-code']).toBeUndefined();
    expect(gateway.payments.refundsAsked.at(-1)).toEqual({
      partner_id: 1,
      chain: 'CELO',
      transaction_hash: HASH,
      refund_address: ADDRESS.toLowerCase(),
      order_id: null,
      reference: null,
      default_url: null,
    });
  });

  it('is told at the default webhook URL of its partner, where it has none of its own', async () => {
    const [prefix, key] = storedKey(CONSUMER_KEY, 1, { webhookUrl: 'https://hooks.example.com/refunds?x=%41' });
    const other = await startTestGateway();
    try {
      other.keys.set(prefix, key);
      await ask(other.port, { path: '/v1/refund', body: { transaction_hash: HASH } });
      expect(other.payments.refundsAsked.at(-1)?.default_url).toBe('https://hooks.example.com/refunds?x=%41');
    } finally {
      await other.stop();
    }
  });

  it('goes to the registered address if none is named, without a call to offramp', async () => {
    gateway.offramp.away = new ServiceUnavailableError('offramp', 'down');
    expect((await refund({ transaction_hash: HASH })).body).toMatchObject({
      data: { address: REGISTERED, chain: 'CELO' },
    });
    expect(gateway.payments.refundsAsked.at(-1)?.refund_address).toBeNull();
  });

  it('belongs to the named order or payment, and asks which one if payments cannot tell', async () => {
    await refund({ transaction_hash: HASH, order_id: 'order-1' });
    expect(gateway.payments.refundsAsked.at(-1)).toMatchObject({
      transaction_hash: HASH,
      order_id: 'order-1',
      reference: null,
    });
    await refund({ transaction_hash: HASH, reference: 'pay-1' });
    expect(gateway.payments.refundsAsked.at(-1)).toMatchObject({
      transaction_hash: HASH,
      order_id: null,
      reference: 'pay-1',
    });
    const message = 'The order_id field is required: this transfer brought value for several of your orders (a, b)';
    gateway.payments.refundRefusal = {
      code: 'invalid_request',
      message,
      faults: [{ detail: message, pointer: '/order_id' }],
    };
    expect(expectError(await refund({ transaction_hash: HASH }), 400, 'invalid_request')).toBe(message);
  });

  it('is refused by the rules, naming the field', async () => {
    expect(expectError(await refund({}), 400, 'invalid_request')).toBe('transaction_hash is required');
    expect(expectError(await refund({ transaction_hash: HASH, chain: 'TRON' }), 400, 'unsupported_network')).toMatch(
      /^chain must be one of /,
    );
    expect(
      expectError(await refund({ transaction_hash: HASH, refund_address: '0x1' }), 400, 'invalid_request'),
    ).toMatch(/^refund_address must be /);
    gateway.offramp.refusal = { code: 'invalid_request', message: 'the checksum is wrong' };
    expect(expectError(await refund({ transaction_hash: HASH, refund_address: ADDRESS }), 400, 'invalid_request')).toBe(
      'refund_address: the checksum is wrong',
    );
    expectError(
      await ask(gateway.port, {
        path: '/v1/refund',
        body: { transaction_hash: HASH },
        headers: { 'x-api-key': CHECKOUT_KEY },
      }),
      403,
      'forbidden',
    );
  });

  it('is refused by what payments says, and names the payment that has the deposit', async () => {
    gateway.payments.refundRefusal = {
      code: 'hash_already_processed',
      message: 'The transaction_hash has already been processed: it pays',
      transactionCode: 'pay-7',
    };
    const used = await refund({ transaction_hash: HASH });
    expect(expectError(used, 409, 'hash_already_processed')).toContain('already been processed');
    expect(used.headers['transaction-code']).toBe('pay-7');
    gateway.payments.refundRefusal = { code: 'not_found', message: 'Nothing of yours' };
    expectError(await refund({ transaction_hash: HASH }), 404, 'not_found');
    gateway.payments.refundRefusal = {
      code: 'amount_out_of_range',
      message: 'Too little arrived to be sent back: on CELO it takes at least 0.10 USDC',
    };
    expect(expectError(await refund({ transaction_hash: HASH }), 400, 'amount_out_of_range')).toContain(
      'at least 0.10 USDC',
    );
    gateway.payments.refundRefusal = { code: 'forbidden', message: 'The account owes money' };
    expect(expectError(await refund({ transaction_hash: HASH }), 403, 'forbidden')).toContain('owes');
  });

  it('says that its outcome is open if payments may have accepted it, and that nothing was done if payments was not asked', async () => {
    gateway.payments.before = () => Promise.reject(new DeadlineExceededError('payments', 'requestRefund'));
    expect(expectError(await refund({ transaction_hash: HASH }), 504, 'outcome_unknown')).toContain(
      'never goes back twice',
    );
    gateway.offramp.away = new ServiceUnavailableError('offramp', 'down');
    const asked = gateway.payments.refundsAsked.length;
    expect(
      expectError(await refund({ transaction_hash: HASH, refund_address: ADDRESS }), 503, 'service_unavailable'),
    ).toContain('refund_address cannot be checked');
    expect(gateway.payments.refundsAsked).toHaveLength(asked);
  });

  it('takes every example of the document', async () => {
    const { paths } = openApiDocument({
      table: OPERATION_TABLE,
      sandbox: true,
      currencies: Object.values<Currency>(CURRENCIES),
      today: new Date(),
    }) as unknown as {
      paths: Record<
        string,
        { post: { requestBody: { content: { 'application/json': { examples: Record<string, { value: object }> } } } } }
      >;
    };
    const { examples } = paths['/v1/refund']!.post.requestBody.content['application/json'];
    for (const { value } of Object.values(examples)) expect((await refund(value)).status).toBe(200);
    expect(Object.keys(examples)).toEqual(['registered', 'named']);
  });
});

describe('the refund_address of a pay', () => {
  const [MOBILE] = PAYOUTS;
  let hashes = 0;
  const pay = (more: object): Promise<Answer> => {
    const body = { ...MOBILE, transaction_hash: `0x${(++hashes).toString(16).padStart(64, '7')}`, ...more };
    return ask(gateway.port, { path: '/v1/pay', body });
  };

  it('is kept as the chain spells it', async () => {
    expect((await pay({ refund_address: ADDRESS })).status).toBe(200);
    expect(gateway.payments.pays.at(-1)?.refund_address).toBe(ADDRESS.toLowerCase());
  });

  it('that is not valid on its chain is a 400 that names it; if offramp is away, only such pays get a 503', async () => {
    gateway.offramp.refusal = { code: 'invalid_request', message: 'it is one of ours' };
    expect(expectError(await pay({ refund_address: ADDRESS }), 400, 'invalid_request')).toBe(
      'refund_address: it is one of ours',
    );
    gateway.offramp.refusal = null;
    gateway.offramp.away = new ServiceUnavailableError('offramp', 'down');
    expectError(await pay({ refund_address: ADDRESS }), 503, 'service_unavailable');
    expect((await pay({})).status).toBe(200);
  });
});
