import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { money } from '@vuka/domain';

import type { PayoutInstruction } from '../../payout-provider.js';
import { readQuery, readSubmit, referenceIn, toRequest } from './mapping.js';
import { readRecipient, recipientBody, recipientKey } from './recipients.js';
import { attemptIdsOf, referenceOf } from './reference.js';
import {
  ATTEMPT_ID,
  EACH,
  instruction,
  json,
  KEY,
  madeRecipient,
  NOT_FOUND,
  OPTIONS,
  queuedOf,
  recordOf,
  refused,
  told,
  TRANSFER_CODE,
} from './shapes.spec-support.js';

const prepared = (payout: PayoutInstruction) => {
  const request = toRequest(payout, OPTIONS);
  if ('refusal' in request) throw new Error(request.refusal.outcome);
  return request;
};
const query = (record: unknown, payout = instruction()) => readQuery(json(200, told(record)), payout, OPTIONS);
const submit = (status: number, body: unknown) => readSubmit(json(status, body), instruction(), OPTIONS);

describe('a transfer that is sent', () => {
  it('is written as published', () => {
    expect(prepared(instruction()).bodyTo('RCP_1')).toEqual({
      source: 'balance',
      amount: 150000,
      recipient: 'RCP_1',
      reference: ATTEMPT_ID,
      reason: 'Payout',
      currency: 'NGN',
    });
  });

  it.each(EACH)('has a recipient as Paystack names it: %j', (more, expected) => {
    const { account } = prepared(instruction(more));
    expect(recipientBody(account)).toEqual({ name: 'Vuka recipient', ...expected });
  });

  it('to a paybill names the account there, and to a till one of ours', () => {
    const references = EACH.map(
      ([more]) => prepared(instruction(more)).bodyTo('RCP_1') as { account_reference?: string },
    );
    expect(references.map((body) => body.account_reference)).toEqual(
      [undefined, undefined, '0c1d2e3f4a5b', 'ACC-12345', undefined, undefined, undefined, undefined], // prettier-ignore
    );
  });

  it.each<[string, Partial<PayoutInstruction>]>([
    ['a bank under a code that two institutions share', { destination: { kind: 'bank', account_number: '0123456789', bank_code: '50739', bank_name: 'one of two' } }],
    ['a Kenyan bank that is not mapped', { amount: money(1_500_00n, 'KES'), destination: { kind: 'bank', account_number: '1122334455', bank_code: '02', bank_name: 'a bank' } }],
    ['a network that Paystack does not pay', { amount: money(1_500_00n, 'KES'), destination: { kind: 'mobile', phone: '+254733123456', mobile_network: 'Airtel' } }],
    ['a currency that Paystack does not pay', { amount: money(1_500_00n, 'UGX'), destination: { kind: 'mobile', phone: '+256772123456', mobile_network: 'MTN' } }],
  ])('is our fault to %s', (_title, more) => {
    expect(toRequest(instruction(more), OPTIONS)).toMatchObject({ refusal: { outcome: 'deferred', reason: 'config' } });
  }); // prettier-ignore

  it('is refused where the amount cannot be carried', () => {
    const phone = EACH[1]?.[0];
    for (const minor of [0n, -1n, 1_500_01n])
      expect(toRequest(instruction({ ...phone, amount: { minor, currency: 'KES' } }), OPTIONS)).toMatchObject({
        refusal: { outcome: 'not_paid', code: 'amount_not_accepted', routeLeft: true },
      });
    expect(toRequest(instruction({ amount: { minor: 2n ** 53n, currency: 'NGN' } }), OPTIONS)).toHaveProperty(
      'refusal',
    );
  });

  it('has an amount that is read again as it was', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: BigInt(Number.MAX_SAFE_INTEGER) }), (minor) => {
        const payout = instruction({ amount: { minor, currency: 'NGN' } });
        const { amount } = JSON.parse(JSON.stringify(prepared(payout).bodyTo('RCP_1'))) as { amount: number };
        expect(query(recordOf(payout, { amount }), payout)).toMatchObject({ outcome: 'succeeded', amount: { minor } });
      }),
    );
  });
});

describe('a reference', () => {
  it('is an attempt id as Paystack takes it, and leads back to it', () => {
    fc.assert(
      fc.property(fc.uuid(), (id) => {
        expect(referenceOf(id.toUpperCase())).toMatch(/^[a-z0-9_-]{16,50}$/);
        expect(attemptIdsOf(referenceOf(id))).toEqual([id]);
      }),
    );
    for (const other of ['', 'po_7f3c1a90_1_000', `${ATTEMPT_ID}0`]) expect(attemptIdsOf(other)).toEqual([]);
    expect(() => referenceOf('att-1')).toThrow(RangeError);
  });
});

describe('a recipient', () => {
  const { account } = prepared(instruction());
  const phone = prepared(instruction(EACH[1]?.[0])).account;

  it('is kept under a key of its account and our credential, which tells neither', () => {
    const keys = EACH.map(([more]) => recipientKey(prepared(instruction(more)).account, KEY));
    expect(new Set([...keys, recipientKey(account, 'sk_live_other')]).size).toBe(EACH.length + 1);
    for (const key of keys) expect(key).toMatch(/^[0-9a-f]{64}$/);
    expect(
      recipientKey(prepared(instruction({ attemptId: 'c0ffee00-91d2-8e44-a3f0-0c1d2e3f4a5b' })).account, KEY),
    ).toBe(keys[0]);
  });

  it('is its code', () => {
    for (const status of [200, 201])
      expect(readRecipient(json(status, madeRecipient(instruction())), account)).toBe('RCP_1');
    const abroad = { details: { account_number: '254712345678', bank_code: 'MPESA' } };
    expect(readRecipient(json(201, madeRecipient(instruction(EACH[1]?.[0]), 'RCP_2', abroad)), phone)).toBe('RCP_2');
  });

  it.each([
    ['another account', madeRecipient(instruction(), 'RCP_1', { details: { account_number: '0123456780', bank_code: '058' } })],
    ['another bank', madeRecipient(instruction(), 'RCP_1', { details: { account_number: '0123456789', bank_code: '044' } })],
    ['another currency', madeRecipient(instruction(), 'RCP_1', { currency: 'GHS' })],
    ['another kind', madeRecipient(instruction(), 'RCP_1', { type: 'basa' })],
    ['a code of another form', madeRecipient(instruction(), '../transfer')],
    ['no code', told({})],
    ['a refusal that nobody knows', refused('Moon phase')],
  ])('of %s is none, and nothing was sent', (_title, body) => {
    for (const status of [200, 400, 404])
      expect(readRecipient(json(status, body), account)).toMatchObject({ outcome: 'deferred', reason: 'unreachable' });
  }); // prettier-ignore

  it.each([
    [400, 'Account number is invalid', { outcome: 'not_paid', code: 'recipient_invalid' }],
    [400, 'Cannot resolve account', { outcome: 'not_paid', code: 'recipient_not_found' }],
    [400, 'Unknown bank code', { outcome: 'deferred', reason: 'config' }],
    [401, 'Invalid key', { outcome: 'deferred', reason: 'config' }],
    [400, 'System Malfunction', { outcome: 'deferred', reason: 'unreachable' }],
  ])('turned down with %i %j is what the documents say', (status, message, expected) => {
    expect(readRecipient(json(status, refused(message)), account)).toMatchObject(expected);
  });
});

describe('the answer to a transfer', () => {
  const pending = { outcome: 'submitted', providerPaymentId: TRANSFER_CODE };

  it('is submitted, also where it calls itself a success', () => {
    for (const status of [200, 201]) expect(submit(status, queuedOf(instruction()))).toEqual(pending);
    expect(submit(200, queuedOf(instruction(), { status: 'success' }))).toEqual(pending);
  });

  it('that waits for a one-time password tells people', () => {
    expect(submit(200, queuedOf(instruction(), { status: 'otp' }))).toEqual({ ...pending, waitsForUs: expect.stringContaining('OTP') });
  }); // prettier-ignore

  it('about another amount or currency is a mismatch', () => {
    expect(submit(200, queuedOf(instruction(), { amount: 1 }))).toMatchObject({ outcome: 'mismatch' });
    expect(submit(200, queuedOf(instruction(), { currency: 'GHS' }))).toMatchObject({ outcome: 'mismatch' });
  });

  it.each([
    ['about another reference', 200, queuedOf(instruction({ attemptId: 'c0ffee00-91d2-8e44-a3f0-0c1d2e3f4a5b' }))],
    ['without a record', 200, told(null)],
    ['status false with HTTP 200', 200, refused('Invalid key')],
    ['a fraction of a minor unit', 200, queuedOf(instruction(), { amount: 150000.5 })],
    ['an amount as text', 200, queuedOf(instruction(), { amount: '150000' })],
    ['429', 429, refused('Too many requests')],
    ['403', 403, refused('Your IP address is not allowed')],
  ])('is unknown: %s', (_title, status, body) => {
    expect(submit(status, body)).toMatchObject({ outcome: 'unknown' });
  });

  it('was surely not taken only where no connection came about', () => {
    const reading = (unsent: object) =>
      readSubmit({ kind: 'no_answer', detail: 'ECONNREFUSED', ...unsent }, instruction(), OPTIONS);
    expect(reading({ unsent: true })).toMatchObject({ outcome: 'deferred', reason: 'unreachable' });
    expect(reading({})).toMatchObject({ outcome: 'unknown' });
  });

  it('never tells what Paystack wrote', () => {
    const answer = submit(400, refused('Account 0123456789 of JANE DOE', { code: '0123456789', type: 'JANE' }));
    expect(JSON.stringify(answer)).not.toMatch(/0123456789|JANE/);
  });
});

describe('the answer to a status query', () => {
  it('is paid by the transfer code, with its fee and the name at the bank', () => {
    expect(query(recordOf(instruction()))).toEqual({
      outcome: 'succeeded',
      receipt: TRANSFER_CODE,
      publicName: 'JANE DOE',
      amount: { minor: 1_500_00n, currency: 'NGN' },
      recipient: '0123456789',
      fee: { minor: 10_00n, currency: 'NGN' },
      providerPaymentId: TRANSFER_CODE,
    });
  });

  it('has the same receipt before and after the bank has told its session', () => {
    const receiptOf = (session: object | null) =>
      (query(recordOf(instruction(), { session })) as { receipt: string }).receipt;
    expect(receiptOf({ provider: null, id: null })).toBe(receiptOf({ provider: 'nip', id: '110006200324' }));
  });

  it.each(EACH)('is of its recipient: %j', (more) => {
    const payout = instruction(more);
    expect(query(recordOf(payout), payout)).toMatchObject({ outcome: 'succeeded' });
    for (const [other] of EACH)
      if (other !== more) {
        const record = recordOf({ ...payout, destination: instruction(other).destination });
        expect(query(record, payout)).toMatchObject({ outcome: 'mismatch' });
      }
  });

  it('takes a phone in either form', () => {
    const payout = instruction(EACH[5]?.[0]);
    const record = recordOf(payout) as { recipient: { details: object } };
    const details = { ...record.recipient.details, account_number: '233241234567' };
    expect(query({ ...record, recipient: { ...record.recipient, details } }, payout)).toMatchObject({
      outcome: 'succeeded',
      recipient: '+233241234567',
    });
  });

  it.each([{ transfer_code: undefined }, { transfer_code: null }, { transfer_code: '' }, { transfer_code: '\u0000' }, { recipient: 7 }])(
    'is no event where success proves too little: %j',
    (more) => {
      expect(query(recordOf(instruction(), more))).toMatchObject({ outcome: 'query_failed' });
    },
  ); // prettier-ignore

  it('holds nothing against a recipient that is not told, while it is underway', () => {
    const { recipient: _told, ...record } = recordOf(instruction(), { status: 'pending' }) as { recipient: object };
    expect(query(record)).toMatchObject({ outcome: 'submitted' });
    expect(query({ ...record, status: 'success' })).toMatchObject({ outcome: 'query_failed' });
  });

  it.each([0, null, undefined, -5, 1.5, 'ten'])('has no fee where it is %j', (fee_charged) => {
    expect(query(recordOf(instruction(), { fee_charged }))).not.toHaveProperty('fee');
  });

  it('says that a reference is not known by its one text, and no more', () => {
    expect(readQuery(json(404, NOT_FOUND), instruction(), OPTIONS)).toMatchObject({
      outcome: 'unknown',
      notFound: true,
    });
    for (const [status, body] of [
      [404, refused('Transfer was not found')],
      [404, { message: 'Transfer not found' }],
      [400, NOT_FOUND],
      [200, NOT_FOUND],
      [200, told(null)],
      [200, told([])],
    ] as const)
      expect(readQuery(json(status, body), instruction(), OPTIONS)).toMatchObject({ outcome: 'query_failed' });
  });

  it('is never deferred', () => {
    for (const message of ['Invalid key', 'Your balance is not enough to fulfil this request'])
      for (const status of [400, 401])
        expect(readQuery(json(status, refused(message)), instruction(), OPTIONS)).toMatchObject({
          outcome: 'query_failed',
        });
  });
});

it('a callback names its reference, or none', () => {
  expect(referenceIn({ event: 'transfer.success', data: { reference: ATTEMPT_ID } })).toBe(ATTEMPT_ID);
  for (const odd of [null, [], {}, { data: null }, { data: { reference: 5 } }]) expect(referenceIn(odd)).toBeNull();
});
