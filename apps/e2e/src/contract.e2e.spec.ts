import { connect } from 'node:net';
import { once } from 'node:events';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  dataOf,
  openSharedFixture,
  FIXTURE_WITHIN_MS,
  type ApiClient,
  type OutsideChecker,
  type Fixture,
  type VukaProcess,
} from '@vuka/testing';

import {
  expectBadTransfer,
  expectError,
  JSON_TYPE,
  PATH,
  rawAmount,
  transfer,
} from './contract-answers.spec-support.js';
import {
  AMOUNTS,
  BAD_FIELDS,
  NO_AMOUNTS,
  NO_OBJECTS,
  OUT_OF_RANGE,
  UNKNOWN_CURRENCIES,
  UNKNOWN_PATHS,
  WRONG_METHODS,
} from './contract-cases.spec-support.js';

let vuka: VukaProcess;
let one: ApiClient;
let two: ApiClient;
let checker: OutsideChecker;
let fixture: Fixture;

beforeAll(async () => {
  fixture = await openSharedFixture();
  ({ vuka, one, two, checker } = fixture);
}, FIXTURE_WITHIN_MS);

afterAll(() => fixture.end(), 60_000);

describe('keys', () => {
  const broken = { body: '{', headers: { 'content-type': 'text/plain' } };

  it.each<[string, (right: string) => string]>([
    ['missing', () => ''],
    ['nonsense', () => 'Bearer x'],
    ['unknown', (right) => right.replace(/_sandbox\d+_/, '_sandbox999_')],
    ['one character off', (right) => right.slice(0, -1) + (right.endsWith('0') ? '1' : '0')],
    ['of the other environment', (right) => right.replace('_test_', '_live_')],
    ['of another kind by name', (right) => right.replace('_consumer_', '_checkout_')],
    ['with a space after it', (right) => `${right} x`],
  ])('%s: one 401, whatever the body', async (_, change) => {
    const key = change(vuka.partner().consumer_key);
    const answer = await one.send({ path: PATH, ...broken, headers: { ...broken.headers, 'x-api-key': key } });
    expect(expectError(answer, 401, 'unauthorized')).toBe(
      expectError(await one.send({ path: '/v1/status', headers: { 'x-api-key': '' } }), 401, 'unauthorized'),
    );
  });

  it('are judged before the body has come', async () => {
    const { hostname, port } = new URL(vuka.baseUrl);
    const socket = connect(Number(port), hostname);
    socket.write(
      `POST ${PATH} HTTP/1.1\r\nHost: ${hostname}\r\nContent-Type: application/json\r\nContent-Length: 60000\r\n\r\n{`,
    );
    const [first] = (await once(socket, 'data')) as [Buffer];
    socket.destroy();
    expect(first.toString('latin1')).toMatch(/^HTTP\/1\.1 401 /);
  });

  it.each([PATH, '/v1/status', '/account/detail', '/v1/banks'])(
    'of the checkout kind do not open %s: 403',
    async (path) => {
      const headers = { ...broken.headers, 'x-api-key': vuka.partner().checkout_key };
      expectError(await one.send({ path, body: broken.body, headers }), 403, 'forbidden');
    },
  );
});

describe('paths and methods', () => {
  it.each(UNKNOWN_PATHS)('%s is unknown: 404', async (path) => {
    expectError(await one.send({ path, body: {} }), 404, 'not_found');
  });

  it.each(UNKNOWN_CURRENCIES)('%s names no currency: 404, and says which there are', async (path) => {
    expect(expectError(await one.send({ path, body: {} }), 404, 'not_found')).toMatch(/KES.*NGN.*MWK/s);
  });

  it.each(['/ugx/bank-transfer', '/GH/bank-transfer', '/cdf/bank-transfer', '/etb/bank-transfer'])(
    '%s is not offered: 404, and says where it is',
    async (path) => {
      expect(expectError(await one.send({ path, body: transfer() }), 404, 'not_found')).toMatch(/KES.*NGN.*MWK/s);
    },
  );

  it.each(WRONG_METHODS)('%s %s is a wrong method: 405 with Allow', async (method, path, allow) => {
    const answer = await one.send({ method, path });
    expectError(answer, 405, 'invalid_request');
    expect(answer.headers['allow']).toBe(allow);
  });

  it.each(['/KES/bank-transfer', '/ke/bank-transfer', '/Ke/bank-transfer/', '/kEs/bank-transfer/?x=1'])(
    '%s is the KES transfer',
    async (path) => {
      const body = transfer({ reference: `path-${path.replace(/\W/g, '.')}` });
      expect((await one.send({ path, body })).status).toBe(200);
      expect((await one.bankTransfer('KES', body)).headers['idempotent-replayed']).toBe('true');
    },
  );
});

describe('the envelope', () => {
  it('echoes a sane Request-Id and replaces another', async () => {
    for (const path of [PATH, '/v1/banks', '/nope']) {
      for (const sane of ['a.B-c_9', 'Root=1-67891233-abc:d/e+f@g', 'x'.repeat(128)]) {
        expect((await one.send({ path, headers: { 'request-id': sane } })).headers['request-id']).toBe(sane);
      }
      for (const odd of ['two words', 'x'.repeat(129), '<x>']) {
        const echoed = (await one.send({ path, headers: { 'request-id': odd } })).headers['request-id'];
        expect(echoed).toMatch(/^[A-Za-z0-9._:/=+@-]{1,128}$/);
        expect(echoed).not.toBe(odd);
      }
    }
  });

  it('becomes a problem document only for those who name that type', async () => {
    const body = transfer({ amount: 5, account_number: 'x' });
    const asked = await one.send({ path: PATH, body, headers: { accept: 'application/problem+json' } });
    expect([asked.status, asked.headers['content-type'], asked.headers['error-code']]).toEqual([
      400,
      'application/problem+json',
      'amount_out_of_range',
    ]);
    expect(asked.body).toMatchObject({
      type: expect.any(String),
      title: expect.any(String),
      status: 400,
      detail: expect.stringMatching(/^Failed - Bad Request: amount/),
      errors: [
        { detail: expect.any(String), pointer: '#/amount' },
        { detail: expect.any(String), pointer: '#/account_number' },
      ],
    });
    for (const accept of ['*/*', 'application/*', 'application/json', 'application/problem+json;q=0, */*', '']) {
      expectError(await one.send({ path: PATH, body, headers: { accept } }), 400, 'amount_out_of_range');
    }
    expectError(await one.send({ path: '/nope' }), 404, 'not_found');
    const notFound = await one.send({ path: '/nope', headers: { accept: 'application/problem+json' } });
    expect(notFound.headers['content-type']).toBe('application/problem+json');
  });

  it('has no Transaction-Code where there is no transaction', async () => {
    for (const answer of [
      await one.send({ path: PATH, body: transfer({ amount: 1 }) }),
      await one.send({ path: '/v1/banks' }),
    ]) {
      expect(answer.headers['transaction-code']).toBeUndefined();
    }
  });
});

describe('bodies', () => {
  it.each(['application/json', 'text/plain', '', 'multipart/form-data', 'x'])(
    'none is {}, whatever its type ("%s")',
    async (type) => {
      expect(expectBadTransfer(await one.send({ path: PATH, headers: { 'content-type': type } }))).toMatch(
        /^amount is required/,
      );
      expect((await one.send({ path: '/v1/banks', body: '', headers: { 'content-type': type } })).status).toBe(200);
    },
  );

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/xml'])(
    'one of type "%s" is refused: 415',
    async (type) => {
      expectError(
        await one.send({ path: PATH, body: JSON.stringify(transfer()), headers: { 'content-type': type } }),
        415,
        'invalid_request',
      );
    },
  );

  it('one that names no type is JSON', async () => {
    expectBadTransfer(
      await one.send({ path: PATH, body: JSON.stringify(transfer({ amount: 1 })), headers: { 'content-type': '' } }),
      'amount_out_of_range',
    );
  });

  it('of 64 KiB is read, a longer one is not: 413', async () => {
    const fill = (bytes: number): string => {
      const start = JSON.stringify(transfer({ amount: 1 })).slice(0, -1);
      return `${start},"x":"${'y'.repeat(bytes - start.length - 8)}"}`;
    };
    expect(Buffer.byteLength(fill(65_536))).toBe(65_536);
    expectBadTransfer(await one.send({ path: PATH, body: fill(65_536), headers: JSON_TYPE }), 'amount_out_of_range');
    expectError(await one.send({ path: PATH, body: fill(65_537), headers: JSON_TYPE }), 413, 'invalid_request');
  });

  it.each(NO_OBJECTS)('%j is no JSON object, or not one we read: 400', async (body) => {
    expectBadTransfer(await one.send({ path: PATH, body, headers: JSON_TYPE }));
  });

  it('may name unknown fields, and leave optional ones out, "" or null', async () => {
    const body = {
      ...transfer({ amount: '100.00' }),
      reference: '',
      callback_url: null,
      bank_name: null,
      extra: { deep: [1, null] },
    };
    const answer = await one.bankTransfer('KES', body);
    expect(dataOf<{ transaction_code: string }>(answer).transaction_code).toMatch(/^[0-9a-f-]{36}$/);
  });

  it.each(['amount', 'account_number', 'bank_code'])('must name %s; "" and null are not there', async (field) => {
    for (const value of [undefined, '', null]) {
      const answer = await one.send({ path: PATH, body: { ...transfer(), [field]: value } });
      expect(expectBadTransfer(answer)).toBe(`${field} is required`);
    }
  });
});

describe('amounts', () => {
  it.each(NO_AMOUNTS)('%s is none: 400', async (text) => {
    expectBadTransfer(await one.send(rawAmount(text, 'amount-refused')));
  });

  it.each(OUT_OF_RANGE)('%s is outside the limits of KES, or no amount at all: 400', async (text) => {
    const answer = await one.send(rawAmount(text, 'amount-refused'));
    expect(answer.status).toBe(400);
    expectBadTransfer(answer, answer.headers['error-code']);
    expect(['amount_out_of_range', 'invalid_request']).toContain(answer.headers['error-code']);
  });

  it.each(AMOUNTS)('%s is %s', async (text, shown) => {
    const reference = `amount-${text.replace(/\W/g, '_')}`;
    expect((await one.send(rawAmount(text, reference))).status).toBe(200);
    const amount = text.replaceAll('"', '');
    const again = await one.bankTransfer('KES', { amount, account_number: '1234567890', bank_code: '01', reference });
    expect([again.status, again.headers['idempotent-replayed']]).toEqual([200, 'true']);
    expect((await one.status(reference))?.amount).toBe(shown);
  });

  it.each([
    ['NGN', '99.99', '100', '1000000', '1000000.01', '044'],
    ['MWK', '99.99', '100', '5000000', '5000000.01', undefined],
  ])('%s: below %s no, %s and %s yes, %s no', async (currency, below, least, most, above, code) => {
    const [bank] = dataOf<{ code: string }[]>(await one.send({ path: `/v1/banks/${currency}` }));
    const bank_code = code ?? bank?.code ?? '';
    for (const amount of [below, above]) {
      expectBadTransfer(
        await one.bankTransfer(currency, { ...transfer({ amount }), bank_code }),
        'amount_out_of_range',
      );
    }
    for (const amount of [least, most])
      expect((await one.bankTransfer(currency, { ...transfer({ amount }), bank_code })).status).toBe(200);
  });
});

describe('the other fields', () => {
  it.each(BAD_FIELDS)('%s %j: 400 %s', async (field, value, code) => {
    const answer = await one.send({ path: PATH, body: { ...transfer(), [field]: value } });
    const named =
      answer.headers['error-code'] === code ? code : `${code}, and not ${String(answer.headers['error-code'])}`;
    expect(expectBadTransfer(answer, named)).toMatch(new RegExp(field));
  });

  it.each(['x', 'A.b_c:d-9', 'y'.repeat(100)])(
    'the reference %s becomes the code, in its own spelling',
    async (reference) => {
      expect(dataOf<object>(await one.bankTransfer('KES', transfer({ reference })))).toMatchObject({
        transaction_code: reference,
      });
      expect(
        await one.status(reference.toUpperCase() === reference ? reference.toLowerCase() : reference.toUpperCase()),
      ).toBeNull();
    },
  );
});

describe('a wallet that does not cover amount and fee', () => {
  it('is 402, nothing is recorded, and the reference stays free', async () => {
    for (let i = 0; i < 10; i += 1) {
      expect((await two.bankTransfer('NGN', { ...transfer({ amount: 1_000_000 }), bank_code: '044' })).status).toBe(
        200,
      );
    }
    const body = { ...transfer({ reference: 'poor-1' }), bank_code: '044' };
    const poor = await two.bankTransfer('NGN', body);
    expectError(poor, 402, 'insufficient_balance');
    expect(await two.status('poor-1')).toBeNull();
    expect((await two.wallets()).get('NGN')).toBe(0n);
    expect((await two.bankTransfer('KES', transfer({ reference: 'poor-1' }))).status).toBe(200);
  });
});

describe('conflicts', () => {
  it('of a reference: 409, naming the transaction that has it', async () => {
    const body = transfer({ reference: 'conflict-1' });
    expect((await one.bankTransfer('KES', body)).status).toBe(200);
    const answer = await one.bankTransfer('KES', { ...body, amount: 101 });
    expectError(answer, 409, 'reference_reused');
    expect(answer.headers['transaction-code']).toBe('conflict-1');
    expect(answer.body?.message).toContain('conflict-1');
  });

  it('of an Idempotency-Key: 422', async () => {
    const headers = { 'idempotency-key': 'contract-1' };
    expect((await one.bankTransfer('KES', transfer(), headers)).status).toBe(200);
    expectError(await one.bankTransfer('KES', transfer(), headers), 422, 'idempotency_mismatch');
  });
});

describe('seen from outside', () => {
  it('all of it is sound', async () => {
    await checker.expectSound({ everyWebhook: true });
  }, 240_000);
});
