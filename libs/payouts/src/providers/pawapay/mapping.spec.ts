import { describe, expect, it } from '@jest/globals';
import { currencyDecimals } from '@vuka/domain';
import fc from 'fast-check';

import { fromPawapayAmount, toPawapayAmount } from './amount.js';
import { payoutIdIn, readCallback, readQuery, readSubmit, toRequest } from './mapping.js';
import { PAWAPAY_NETWORKS } from './networks.js';
import { attemptIdsOf, payoutIdOf } from './payout-id.js';
import { ATTEMPT_ID, found, instruction, json, PAYOUT_ID, SHAPES } from './shapes.spec-support.js';

const PENDING = { outcome: 'submitted', providerPaymentId: PAYOUT_ID };
const submit = (status: number, body: unknown) => readSubmit(json(status, body), instruction());
const query = (record: object) => readQuery(found(record), instruction());

describe('a payout that is sent', () => {
  it('is written as published', () => {
    expect(toRequest(instruction(), {})).toEqual({ body: SHAPES.request });
    expect(toRequest(instruction(), { customerMessage: 'Vuka payout' })).toEqual({
      body: { ...SHAPES.request, customerMessage: 'Vuka payout' },
    });
  });

  it('is our fault where pawaPay has no such network', () => {
    const till = { kind: 'till', shortcode: '5123456' } as const;
    const airtelKenya = { kind: 'mobile', phone: '+254733123456', mobile_network: 'Airtel' } as const;
    for (const destination of [till, airtelKenya])
      expect(toRequest(instruction({ destination, amount: { minor: 100_00n, currency: 'KES' } }), {})).toMatchObject({
        refusal: { outcome: 'deferred', reason: 'config' },
      });
  });

  it('is refused where the network cannot carry the amount, and nothing is sent', () => {
    const destination = { kind: 'mobile', phone: '+254712345678', mobile_network: 'Safaricom' } as const;
    expect(toRequest(instruction({ destination, amount: { minor: 100_50n, currency: 'KES' } }), {})).toMatchObject({
      refusal: { outcome: 'not_paid', code: 'amount_not_accepted', routeLeft: true },
    });
  });
});

describe('an amount', () => {
  const networks = fc.constantFrom(...PAWAPAY_NETWORKS);
  const minors = fc.bigInt({ min: 1n, max: 10n ** 15n });

  it('is written so that it is read again as it was, or refused', () => {
    fc.assert(
      fc.property(networks, minors, (network, minor) => {
        const { currency, decimals } = network;
        const text = toPawapayAmount({ minor, currency }, network);
        const unit = 10n ** BigInt(currencyDecimals(currency));
        expect(text.ok).toBe(minor % unit === 0n || decimals > 0);
        if (!text.ok) return;
        // No sign, exponent or separator, no zero in front, no more decimals than the network takes.
        expect(text.value).toMatch(decimals === 0 ? /^[1-9]\d*$/ : /^(0|[1-9]\d*)(\.\d{2})?$/);
        expect(fromPawapayAmount(text.value, currency)).toBe(minor);
      }),
    );
  });

  it('of nothing or less, or without end, is refused', () => {
    for (const network of PAWAPAY_NETWORKS)
      for (const minor of [0n, -1n, -100_00n, 10n ** 37n])
        expect(toPawapayAmount({ minor, currency: network.currency }, network).ok).toBe(false);
  });

  it.each(['1e3', '-1500', '+1500', '1,500', ' 1500', '1500.001', '', 'NaN', '0x10'])('is not read from %j', (text) => {
    expect(fromPawapayAmount(text, 'MWK')).toBeNull();
  });
});

describe('a payoutId', () => {
  it('is of version 4, one for each of our ids, and leads back to it', () => {
    fc.assert(
      fc.property(fc.uuid({ version: [4, 8] }), (attemptId) => {
        const payoutId = payoutIdOf(attemptId);
        expect(payoutId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
        expect(payoutIdOf(payoutId)).toBe(payoutId);
        expect(attemptIdsOf(payoutId)).toContain(attemptId);
      }),
    );
  });

  it('of two attempts is never the same', () => {
    fc.assert(
      fc.property(fc.uuid({ version: 8 }), fc.uuid({ version: 8 }), (one, other) => {
        expect(payoutIdOf(one) === payoutIdOf(other)).toBe(one === other);
      }),
    );
  });

  it('of another kind is none of ours', () => {
    for (const text of ['', 'x', ATTEMPT_ID, "' or 1=1", `${PAYOUT_ID}0`]) expect(attemptIdsOf(text)).toEqual([]);
    expect(() => payoutIdOf('att-1')).toThrow(RangeError);
  });
});

describe('the answer to a payout', () => {
  it('is submitted where it was accepted, queued, or is in a state we do not know', () => {
    for (const status of ['ACCEPTED', 'ENQUEUED', 'PROCESSING', 'SUBMITTED', 'MOON_PHASE'])
      expect(submit(200, { ...SHAPES.accepted, status })).toEqual(PENDING);
  });

  it('is a duplicate where pawaPay has the id', () => {
    expect(submit(200, SHAPES.duplicate)).toEqual({ outcome: 'duplicate' });
  });

  it.each([
    ['about another payout', 200, { ...SHAPES.accepted, payoutId: ATTEMPT_ID }],
    ['a refusal of another payout', 200, { ...SHAPES.rejected, payoutId: ATTEMPT_ID }],
    ['an error about another payout', 400, { ...SHAPES.errorBody('INVALID_PHONE_NUMBER'), payoutId: ATTEMPT_ID }],
    ['another status of HTTP', 202, SHAPES.accepted],
    ['a refusal under another status of HTTP', 202, SHAPES.rejected],
    ['429 without a code', 429, { message: 'slow down' }],
    ['401 without a code', 401, { message: 'no' }],
    ['null', 200, null],
    ['a list', 200, [SHAPES.accepted]],
    ['no status', 200, { payoutId: PAYOUT_ID }],
  ])('is unknown: %s', (_title, status, body) => {
    expect(submit(status, body)).toMatchObject({ outcome: 'unknown' });
  });

  it('was surely not taken only where no connection came about', () => {
    const reading = (unsent: object) =>
      readSubmit({ kind: 'no_answer', detail: 'ECONNREFUSED', ...unsent }, instruction());
    expect(reading({ unsent: true })).toMatchObject({ outcome: 'deferred', reason: 'unreachable' });
    expect(reading({})).toMatchObject({ outcome: 'unknown' });
  });
});

describe('the answer to a status query', () => {
  it('is paid by the receipt of the network', () => {
    expect(query(SHAPES.record)).toEqual({
      outcome: 'succeeded',
      receipt: 'ABC123',
      publicName: null,
      amount: { minor: 1_500_00n, currency: 'MWK' },
      recipient: '+265993456789',
    });
  });

  it.each([undefined, null, '', '\u0000'])('is no event where the receipt is %j', (providerTransactionId) => {
    expect(query({ ...SHAPES.record, providerTransactionId })).toMatchObject({ outcome: 'query_failed' });
  });

  it.each(['ACCEPTED', 'ENQUEUED', 'SUBMITTED', 'PROCESSING', 'IN_RECONCILIATION', 'REJECTED', 'completed', 'MOON'])(
    'is pending: %s',
    (status) => {
      expect(query({ ...SHAPES.record, status })).toEqual(PENDING);
    },
  );

  it('says that an id is not known, and no more', () => {
    expect(readQuery(json(200, SHAPES.missing), instruction())).toMatchObject({
      outcome: 'unknown',
      notFound: true,
    });
    for (const [status, body] of [
      [404, SHAPES.missing],
      [200, { status: 'LOST' }],
      [200, null],
    ] as const)
      expect(readQuery(json(status, body), instruction())).toMatchObject({ outcome: 'query_failed' });
  });

  it.each([
    ['currency', { currency: 'MWL' }],
    ['amount', { amount: '1500.01' }],
    ['amount', { amount: '15e2' }],
    ['country', { country: 'MOZ' }],
    ['kind of recipient', { recipient: { ...SHAPES.record.recipient, type: 'BANK' } }],
    [
      'mobile network',
      { recipient: { type: 'MMO', accountDetails: { phoneNumber: '265993456789', provider: 'TNM_MWI' } } },
    ],
    [
      'phone number',
      { recipient: { type: 'MMO', accountDetails: { phoneNumber: '265993456780', provider: 'AIRTEL_MWI' } } },
    ],
  ])('is a mismatch of the %s, whatever the status', (what, change) => {
    for (const status of ['COMPLETED', 'FAILED', 'PROCESSING'])
      expect(query({ ...SHAPES.record, status, ...change })).toEqual({
        outcome: 'mismatch',
        detail: `the provider's record has another ${what}`,
      });
  });

  it('takes other spellings of the same', () => {
    const accountDetails = { phoneNumber: '+265993456789', provider: 'AIRTEL_MWI' };
    const same = { amount: '1500.00', country: undefined, recipient: { type: 'MMO', accountDetails } };
    expect(query({ ...SHAPES.record, ...same, payoutId: PAYOUT_ID.toUpperCase() })).toMatchObject({
      outcome: 'succeeded',
    });
  });

  it('never tells a number', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.integer({ min: 200, max: 499 }), (body, status) => {
        for (const answer of [submit(status, body), readQuery(json(status, body), instruction())])
          expect(['unknown', 'query_failed']).toContain(answer.outcome);
      }),
    );
    const phone = query({ ...SHAPES.record, status: 'FAILED', failureReason: { failureCode: '265993456789' } });
    expect(JSON.stringify(phone)).not.toContain('993456789');
  });
});

describe('a callback', () => {
  it('is read as the record of a query is', () => {
    expect(payoutIdIn(SHAPES.record)).toBe(PAYOUT_ID);
    expect(readCallback(SHAPES.record, instruction())).toEqual(query(SHAPES.record));
    expect(readCallback({ ...SHAPES.record, status: 'PROCESSING' }, instruction())).toEqual(PENDING);
  });

  it('about a deposit names no payout', () => {
    expect(payoutIdIn({ depositId: PAYOUT_ID, status: 'COMPLETED' })).toBeNull();
    expect(readCallback({ depositId: PAYOUT_ID }, instruction())).toMatchObject({
      outcome: 'query_failed',
    });
  });
});
