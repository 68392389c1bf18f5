import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newCallContext } from '@vuka/http';
import type { Database } from '@vuka/persistence';
import { ServiceUnavailableError } from '@vuka/runtime';
import type { OpenedService } from '@vuka/service-host';
import { until } from '@vuka/testing';

import type { GatewayRoot } from '../gateway.root.js';
import { openGateway, startTestDatabase, type TestDatabase } from '../testing/gateway-database.spec-support.js';
import {
  ask,
  CHECKOUT_KEY,
  CONSUMER_KEY,
  OfframpStub,
  PAYOUTS,
  PaymentsStub,
  QUOTE,
  stubServices,
  type Answer,
} from '../testing/gateway.spec-support.js';

let database: TestDatabase;
let db: Database;
let gateway: OpenedService<GatewayRoot>;
const payments = new PaymentsStub();
const offramp = new OfframpStub();

beforeAll(async () => {
  database = await startTestDatabase();
  gateway = await openGateway(database, { clients: stubServices(payments, undefined, offramp) });
  db = await database.connect();
  await gateway.start();
  await gateway.handlers.ensureSandboxPartner(
    { name: 'One', email: 'one@example.com', consumer_key: CONSUMER_KEY, checkout_key: CHECKOUT_KEY },
    newCallContext(),
  );
}, 60_000);

afterAll(async () => {
  await gateway.stop();
  await database.stop();
}, 30_000);

const rows = (key: string): Promise<{ transaction_code: string }[]> =>
  db.query('select transaction_code from idempotency_keys where key = $1', [key]);

describe('a pay under an Idempotency-Key', () => {
  let key: string;
  let body: Readonly<Record<string, unknown>>;
  let count = 0;

  beforeEach(() => {
    key = `pay-${String(++count)}`;
    body = { ...PAYOUTS[0], transaction_hash: `0x${count.toString(16).padStart(64, '0')}` };
  });

  afterEach(() => {
    payments.after = () => Promise.resolve();
    offramp.refusal = null;
    offramp.away = null;
  });

  const pay = (more: object = {}, under = key): Promise<Answer> =>
    ask(Number(new URL(gateway.root.baseUrl).port), {
      path: '/v1/pay',
      body: { ...body, ...more },
      headers: { 'idempotency-key': under },
    });

  it('is known of before the first: the chains are asked for at the start', () => {
    expect(offramp.asked).toContain('listChains');
  });

  it('is answered once more as it was, whatever is said of its quote by now', async () => {
    const quoted = { asset: 'USDC', quote_id: QUOTE.quote_id };
    const first = await pay(quoted);
    const claims = payments.pays.length;
    const again = [await pay(quoted)];
    offramp.refusal = { code: 'quote_used', message: 'The quote has been used' };
    again.push(await pay(quoted));
    offramp.away = new ServiceUnavailableError('offramp', 'down');
    again.push(await pay(quoted));
    for (const { status, text, headers } of again) {
      expect([status, text, headers['idempotent-replayed'], headers['transaction-code']]).toEqual([
        200,
        first.text,
        'true',
        first.headers['transaction-code'],
      ]);
    }
    expect(payments.pays).toHaveLength(claims);
  });

  it('is another’s with another payload, and under another key its hash is claimed already', async () => {
    const first = await pay();
    expect((await pay({ amount: 1600 })).headers['error-code']).toBe('idempotency_mismatch');
    const other = await pay({}, `${key}-other`);
    expect([other.status, other.headers['error-code'], other.headers['transaction-code']]).toEqual([
      409,
      'hash_already_processed',
      first.headers['transaction-code'],
    ]);
    expect(await rows(`${key}-other`)).toEqual([]);
  });

  it('leaves nothing where it is refused before it is accepted', async () => {
    offramp.refusal = { code: 'quote_mismatch', message: 'The quote is for another amount' };
    expect((await pay({ quote_id: QUOTE.quote_id })).status).toBe(409);
    expect((await pay({ chain: 'ETHEREUM' })).status).toBe(503);
    expect(await rows(key)).toEqual([]);
    expect((await pay()).status).toBe(200);
  });

  it('is one of many at once', async () => {
    const before = payments.accepted.size;
    const answers = await Promise.all(Array.from({ length: 30 }, () => pay()));
    expect([
      payments.accepted.size - before,
      new Set(answers.map(({ headers }) => headers['transaction-code'])).size,
    ]).toEqual([1, 1]);
    expect(
      answers.filter(({ status, headers }) => status === 200 && headers['idempotent-replayed'] !== 'true'),
    ).toHaveLength(1);
  });

  it('takes up an open outcome with the same code', async () => {
    payments.after = () => Promise.reject(new ServiceUnavailableError('payments', 'the connection was lost'));
    const open = await pay();
    expect([open.status, open.headers['error-code']]).toEqual([503, 'service_unavailable']);
    payments.after = () => Promise.resolve();
    const again = await pay();
    expect([again.status, again.headers['transaction-code'], again.headers['idempotent-replayed']]).toEqual([
      200,
      open.headers['transaction-code'],
      'true',
    ]);
  });
});

describe('a refund under an Idempotency-Key', () => {
  const transaction_hash = `0x${'77'.repeat(32)}`;
  const refund = (key: string, more: object = {}): Promise<Answer> =>
    ask(Number(new URL(gateway.root.baseUrl).port), {
      path: '/v1/refund',
      body: { transaction_hash, ...more },
      headers: { 'idempotency-key': key },
    });

  afterEach(() => {
    payments.before = () => Promise.resolve();
    payments.refundRefusal = null;
  });

  it("is answered once more as it was, and is another's with another payload", async () => {
    const first = await refund('refund-1');
    const asked = payments.refundsAsked.length;
    const again = await refund('refund-1');
    expect([
      first.status,
      again.status,
      again.text,
      again.headers['idempotent-replayed'],
      first.headers['idempotent-replayed'],
    ]).toEqual([200, 200, first.text, 'true', undefined]);
    for (const other of [{ chain: 'BASE' }, { order_id: 'order-1' }, { reference: 'pay-1' }]) {
      expect((await refund('refund-1', other)).headers['error-code']).toBe('idempotency_mismatch');
    }
    expect(payments.refundsAsked).toHaveLength(asked);
  });

  it('leaves nothing where it is refused, and what is open is asked for again', async () => {
    payments.refundRefusal = { code: 'not_found', message: 'Nothing of yours' };
    expect((await refund('refund-2')).status).toBe(404);
    expect(await rows('refund-2')).toEqual([]);
    payments.refundRefusal = null;
    payments.before = () =>
      Promise.reject(new ServiceUnavailableError('payments', 'the connection was lost', { sent: true }));
    expect((await refund('refund-2')).status).toBe(503);
    payments.before = () => Promise.resolve();
    expect((await refund('refund-2')).status).toBe(200);
  });

  it('tells one that is running, and no code that could be asked about', async () => {
    let go = (): void => undefined;
    payments.before = () => new Promise<void>((resolve) => (go = resolve));
    const asked = payments.refundsAsked.length;
    const first = refund('refund-3');
    await until(() => payments.refundsAsked.length > asked, { what: 'the first is asked', withinMs: 5_000 });
    const second = await refund('refund-3');
    expect([
      second.status,
      second.headers['error-code'],
      second.headers['transaction-code'],
      second.headers['retry-after'],
    ]).toEqual([409, 'request_in_progress', undefined, '1']);
    go();
    expect((await first).status).toBe(200);
  });
});
