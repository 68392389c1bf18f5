import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { readApproval, readCallback, readQuery, readSubmit, attemptIdsIn, toRequest } from './mapping.js';
import { CHAPA_NETWORKS, fromChapaAmount, isBankOf, localOf, nationalOf, toChapaAmount } from './networks.js';
import { ATTEMPT_ID, found, instruction, json, SHAPES } from './shapes.spec-support.js';

const REQUESTS = { decimals: 0, accountName: 'Vuka payout' } as const;
const READINGS = { isLive: true, chargeIsOnTop: false };
const OWN_ID = SHAPES.record.chapa_transfer_id;
const submit = (status: number, body: unknown) => readSubmit(json(status, body), instruction());
const query = (record: object) => readQuery(found(record), instruction(), READINGS);
const callback = (body: object) => readCallback(body, instruction(), READINGS);

describe('a payout that is sent', () => {
  it('is written as published, to each wallet', () => {
    expect(toRequest(instruction(), REQUESTS)).toEqual({ body: SHAPES.request });
    for (const { network, bankCode } of CHAPA_NETWORKS) {
      const destination = { kind: 'mobile', phone: '+251712345678', mobile_network: network } as const;
      expect(toRequest(instruction({ destination }), REQUESTS)).toMatchObject({
        body: { bank_code: bankCode, account_number: '0712345678' },
      });
    }
  });

  it('is our fault where Chapa has no such network', () => {
    const till = { kind: 'till', shortcode: '5123456' } as const;
    const { destination } = instruction();
    for (const changes of [
      { destination: till },
      { destination: { ...destination, mobile_network: 'MTN' } as typeof destination },
      { amount: { minor: 100_00n, currency: 'KES' } },
    ])
      expect(toRequest(instruction(changes), REQUESTS)).toMatchObject({
        refusal: { outcome: 'deferred', reason: 'config' },
      });
  });

  it('is refused with cents until Chapa carries them, and nothing is sent', () => {
    const odd = instruction({ amount: { minor: 100_50n, currency: 'ETB' } });
    expect(toRequest(odd, REQUESTS)).toMatchObject({
      refusal: { outcome: 'not_paid', code: 'amount_not_accepted', routeLeft: true },
    });
    expect(toRequest(odd, { ...REQUESTS, decimals: 2 })).toMatchObject({ body: { amount: '100.50' } });
  });
});

describe('an amount', () => {
  const minors = fc.bigInt({ min: 1n, max: 10n ** 13n });

  it('is written so that it is read again as it was, as text and as a number, or refused', () => {
    fc.assert(
      fc.property(minors, fc.constantFrom(0 as const, 2 as const), (minor, decimals) => {
        const text = toChapaAmount({ minor, currency: 'ETB' }, decimals);
        expect(text.ok).toBe(minor % 100n === 0n || decimals > 0);
        if (!text.ok) return;
        expect(text.value).toMatch(decimals === 0 ? /^[1-9]\d*$/ : /^(0|[1-9]\d*)(\.\d{2})?$/);
        expect(fromChapaAmount(text.value)).toBe(minor);
        expect(fromChapaAmount(Number(text.value))).toBe(minor);
      }),
    );
  });

  it('of nothing or less is refused', () => {
    for (const minor of [0n, -1n, -100_00n]) expect(toChapaAmount({ minor, currency: 'ETB' }, 2).ok).toBe(false);
  });

  it.each(['1e3', '-1500', '+1500', '1,500', ' 1500', '1500.001', '', 'NaN', 1e21, -1, 0.001, Number.NaN])(
    'is not read from %j',
    (written) => {
      expect(fromChapaAmount(written)).toBeNull();
    },
  );
});

describe('a phone number', () => {
  it('is the same in each of its forms, and no other is', () => {
    for (const form of ['+251912345678', '251912345678', '0912345678', '912345678'])
      expect(nationalOf(form)).toBe('912345678');
    expect(localOf('+251912345678')).toBe('0912345678');
    for (const other of ['251912345679', '+254912345678', '00912345678', '09123456789', '2519123456', 'x'])
      expect(nationalOf(other)).not.toBe('912345678');
  });
});

describe('a bank', () => {
  it('is known by each way in which Chapa writes it, and never for another', () => {
    const written = {
      Telebirr: ['telebirr', 'TELEBIRR', '855'],
      'Cbe Birr': ['CBEBirr', 'cbe birr', '128'],
      MPESA: ['M-Pesa', 'mpesa', '266'],
    };
    for (const network of CHAPA_NETWORKS)
      for (const [name, forms] of Object.entries(written))
        for (const form of forms) expect([form, isBankOf(network, form)]).toEqual([form, name === network.network]);
    for (const network of CHAPA_NETWORKS)
      for (const other of ['', 'Bunna Bank', 'CBE', 'telebirr 2', '8555']) expect(isBankOf(network, other)).toBe(false);
  });
});

describe('the answer to a payout', () => {
  it('is submitted where it was queued under our reference', () => {
    expect(submit(200, SHAPES.queued)).toEqual({ outcome: 'submitted' });
    expect(submit(200, { ...SHAPES.queued, data: { reference: ATTEMPT_ID.toUpperCase() } })).toEqual({
      outcome: 'submitted',
    });
  });

  it.each([
    ['about another payout', 200, { ...SHAPES.queued, data: 'AP634JFwEbxd' }],
    ['without a reference', 200, { ...SHAPES.queued, data: null }],
    ['a failure under HTTP 200', 200, SHAPES.failed('Insufficient Balance')],
    ['another status of HTTP', 202, SHAPES.queued],
    ['no status', 200, { message: 'Transfer Queued Successfully', data: ATTEMPT_ID }],
    ['null', 200, null],
    ['a list', 200, [SHAPES.queued]],
    ['a text', 400, 'Insufficient Balance'],
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
  it("is paid by the bank's number, else by Chapa's, and names Chapa's own id", () => {
    const paid = {
      outcome: 'succeeded',
      receipt: 'GT3412w3',
      publicName: null,
      amount: { minor: 2_000_00n, currency: 'ETB' },
      recipient: '+251912345678',
      providerPaymentId: OWN_ID,
    };
    expect(query({ ...SHAPES.record, bank_reference: 'GT3412w3', chapa_reference: '2o10' })).toEqual(paid);
    expect(query({ ...SHAPES.record, cross_party_reference: 'GT3412w3', chapa_reference: '2o10' })).toEqual(paid);
    expect(query({ ...SHAPES.record, chapa_reference: '2o10dfs332U' })).toMatchObject({ receipt: '2o10dfs332U' });
    expect(query(SHAPES.record)).toMatchObject({ outcome: 'succeeded', receipt: OWN_ID });
  });

  it.each([undefined, null, '', '\u0000'])('is no event where the only receipt is %j', (chapa_transfer_id) => {
    expect(query({ ...SHAPES.record, chapa_transfer_id })).toMatchObject({ outcome: 'query_failed' });
  });

  it.each([
    ['test mode', json(200, { message: 'Transfer details (Test Mode)', status: 'success', data: [null] })],
    ['a failure under HTTP 200', json(200, { ...SHAPES.failed('x'), data: SHAPES.record })],
    ['a record of test mode', found({ ...SHAPES.record, mode: 'test' })],
    ['another reference', found({ ...SHAPES.record, tx_ref: 'AP634JFwEbxd' })],
    ['no reference', found({ ...SHAPES.record, tx_ref: undefined })],
    ['a refusal of the call', json(401, SHAPES.failed('Authorization required'))],
    ['404 from something else', json(404, { message: 'no Route matched with those values' })],
    ['nothing', json(200, null)],
  ])('says nothing: %s', (_title, reply) => {
    expect(readQuery(reply, instruction(), READINGS)).toMatchObject({ outcome: 'query_failed' });
  });

  it('of test mode counts with a key of test mode', () => {
    const answer = readQuery(found({ ...SHAPES.record, mode: 'test' }), instruction(), { ...READINGS, isLive: false });
    expect(answer).toMatchObject({ outcome: 'succeeded' });
  });

  it.each([
    ['currency', { currency: 'USD' }],
    ['amount', { amount: 2000.01 }],
    ['amount', { amount: '2e3' }],
    ['bank', { bank_code: 128 }],
    ['bank', { bank_code: null }],
    ['account number', { account_number: '0912345679' }],
    ['account number', { account_number: '2519******78' }],
  ])('is a mismatch of the %s, whatever the status', (what, change) => {
    for (const status of ['success', 'failed', 'pending'])
      expect(query({ ...SHAPES.record, status, ...change })).toEqual({
        outcome: 'mismatch',
        detail: `the provider's record has another ${what}`,
      });
  });

  it('takes other spellings of the same', () => {
    const same = { amount: '2000.00', account_number: 251912345678, bank_code: '855', currency: 'etb' };
    expect(query({ ...SHAPES.record, ...same, tx_ref: ATTEMPT_ID.toUpperCase() })).toMatchObject({
      outcome: 'succeeded',
    });
  });

  it('tells a charge only where it is known to come on top', () => {
    const record = { ...SHAPES.record, charge: '60.00' };
    expect(query(record)).not.toHaveProperty('fee');
    const onTop = readQuery(found(record), instruction(), { ...READINGS, chargeIsOnTop: true });
    expect(onTop).toMatchObject({ fee: { minor: 60_00n, currency: 'ETB' } });
  });

  it('of no shape that we know says nothing, and no text of theirs is kept', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.integer({ min: 200, max: 499 }), (body, status) => {
        for (const answer of [submit(status, body), readQuery(json(status, body), instruction(), READINGS)])
          expect(['unknown', 'query_failed']).toContain(answer.outcome);
      }),
    );
    const failed = query({ ...SHAPES.record, status: 'failed', narration: 'no wallet 0912345678' });
    expect(JSON.stringify(failed)).not.toContain('912345678');
  });
});

describe('a callback', () => {
  it('is read as the record of a query is', () => {
    expect(attemptIdsIn(SHAPES.webhook)).toEqual([ATTEMPT_ID]);
    expect(callback(SHAPES.webhook)).toMatchObject({ outcome: 'succeeded', receipt: 'GT3412w3' });
    expect(callback({ ...SHAPES.webhook, bank_reference: null })).toMatchObject({ receipt: '2o10dfs332U' });
    expect(callback({ ...SHAPES.webhook, amount: '2000.01' })).toMatchObject({ outcome: 'mismatch' });
    // It is not known that this number is the one of a status.
    expect(callback(SHAPES.webhook)).not.toHaveProperty('providerPaymentId');
  });

  it.each([
    ['of a payment to us', { event: 'charge.success' }],
    ['whose event and status differ', { status: 'failed' }],
    ['whose event is in no table', { event: 'payout.moon' }],
    ['without an event', { event: undefined }],
    ['about another transfer', { reference: 'AP634JFwEbxd' }],
  ])('%s says nothing', (_title, change) => {
    expect(callback({ ...SHAPES.webhook, ...change })).toMatchObject({ outcome: 'query_failed' });
  });

  it('about a transfer of somebody else in this account names none of ours', () => {
    for (const body of [{ reference: 'AP634JFwEbxd' }, { reference: 5 }, {}, null, []])
      expect(attemptIdsIn(body)).toEqual([]);
  });
});

describe('a question for approval', () => {
  const differs = (change: object): string | null =>
    readApproval({ ...SHAPES.approval, ...change }).differenceFrom(instruction());

  it('is about what was instructed', () => {
    expect(readApproval(SHAPES.approval).attemptIds).toEqual([ATTEMPT_ID]);
    expect(differs({})).toBeNull();
    expect(differs({ bank: 855, account_number: '0912345678', amount: 2000 })).toBeNull();
  });

  it.each([
    ['reference', { reference: '5b0c3f7a-91d2-8e44-a6f3-0d1c2b3a4f5f' }],
    ['amount', { amount: '2000.01' }],
    ['amount', { amount: '200000' }],
    ['bank', { bank: 'CBEBirr' }],
    ['account number', { account_number: '251912345679' }],
    ['currency', { currency: 'USD' }],
    ['shape', { amount: undefined }],
    ['shape', { bank: undefined }],
    ['shape', { account_number: null }],
  ])('with another %s is about something else', (what, change) => {
    expect(differs(change)).toBe(what);
  });

  it('is never about an instruction that Chapa cannot pay', () => {
    const till = { kind: 'till', shortcode: '990099' } as const;
    expect(readApproval(SHAPES.approval).differenceFrom(instruction({ destination: till }))).toBe('kind of recipient');
  });
});
