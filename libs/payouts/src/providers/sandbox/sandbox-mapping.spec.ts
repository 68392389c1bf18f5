import { describe, expect, it } from '@jest/globals';
import { currencyDecimals, money, WALLET_CURRENCIES } from '@vuka/domain';
import fc from 'fast-check';

import type { PayoutDestination, PayoutInstruction, ProviderOutcome } from '../../payout-provider.js';
import type { ProviderReply } from '../../provider-http.js';
import { readQuery, readSubmit, submitBody } from './sandbox-mapping.js';

const INSTRUCTION: PayoutInstruction = {
  attemptId: 'a-1',
  orderId: 'o-1',
  amount: { minor: 150_050n, currency: 'KES' },
  destination: { kind: 'bank', account_number: '0110123456789', bank_code: '01', bank_name: 'KCB Bank Kenya' },
};

const RECORD = {
  id: 'a-1',
  status: 'PAID',
  amount: '1500.50',
  currency: 'KES',
  recipient: { account_number: '0110123456789', bank_code: '01' },
  receipt: 'SBX0000000001',
  name: 'TEST 6789',
};

const PAID = { receipt: RECORD.receipt, status: 'PAID' };
const AGAIN = { receipt: 'SBX2', status: 'PAID' };

function json(status: number, body: unknown): ProviderReply {
  return { kind: 'json', status, body };
}

describe('what we send', () => {
  it('has our id and order, the amount as a decimal string and no name of the bank', () => {
    expect(submitBody(INSTRUCTION)).toEqual({
      id: 'a-1',
      order: 'o-1',
      amount: '1500.50',
      currency: 'KES',
      recipient: { account_number: '0110123456789', bank_code: '01' },
    });
  });

  it('comes back as the same amount, whatever it is, and as no other', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 10n ** 15n }), fc.bigInt({ min: 1n, max: 10n ** 15n }), (minor, other) => {
        const instruction = { ...INSTRUCTION, amount: money(minor, 'KES') };
        const { amount } = submitBody(instruction) as { amount: string };
        expect(readQuery(json(200, { ...RECORD, amount }), instruction)).toMatchObject({
          outcome: 'succeeded',
          amount: instruction.amount,
        });
        const seenAs = readQuery(json(200, { ...RECORD, amount }), { ...INSTRUCTION, amount: money(other, 'KES') });
        expect(seenAs.outcome).toBe(other === minor ? 'succeeded' : 'mismatch');
      }),
    );
  });
});

describe('an amount', () => {
  it.each(WALLET_CURRENCIES)(
    'in %s is the same there and back, whole or not, with zeros behind it or without',
    (currency) => {
      fc.assert(
        fc.property(fc.bigInt({ min: 1n, max: 10n ** 15n - 1n }), (minor) => {
          const instruction = { ...INSTRUCTION, amount: money(minor, currency) };
          const { amount } = submitBody(instruction) as { amount: string };
          const fraction = amount.split('.')[1] ?? '';
          expect(fraction).toHaveLength(currencyDecimals(currency));
          for (const spelled of [amount, `${amount}${fraction === '' ? '.00' : '0'}`]) {
            expect(readQuery(json(200, { ...RECORD, amount: spelled, currency }), instruction)).toMatchObject({
              outcome: 'succeeded',
              amount: instruction.amount,
            });
          }
        }),
      );
    },
  );

  it('of 1,500 is written with the decimals of its currency', () => {
    const written = (currency: string): unknown =>
      (submitBody({ ...INSTRUCTION, amount: money(1_500n, currency) }) as { amount: unknown }).amount;
    expect([written('UGX'), written('USD'), written('CDF')]).toEqual(['1500', '15.00', '15.00']);
  });

  it('of another currency’s cents is no amount where there are none', () => {
    const instruction = { ...INSTRUCTION, amount: money(1_500n, 'UGX') };
    expect(readQuery(json(200, { ...RECORD, amount: '1500.5', currency: 'UGX' }), instruction)).toMatchObject({
      outcome: 'mismatch',
    });
    expect(readQuery(json(200, { ...RECORD, amount: '15.00', currency: 'UGX' }), instruction)).toMatchObject({
      outcome: 'mismatch',
    });
  });
});

describe('the answer to a submit', () => {
  const cases: [string, ProviderReply, ProviderOutcome | 'duplicate'][] = [
    ['accepted', json(202, { id: 'a-1', status: 'ACCEPTED' }), 'submitted'],
    ['accepted in a word we do not know', json(202, { id: 'a-1', status: 'SEEN' }), 'submitted'],
    ['duplicate', json(200, { id: 'a-1', status: 'DUPLICATE' }), 'duplicate'],
    ["another's id", json(202, { id: 'a-2', status: 'ACCEPTED' }), 'unknown'],
    ["another's id as a duplicate", json(200, { id: 'a-2', status: 'DUPLICATE' }), 'unknown'],
    ['no id', json(202, { status: 'ACCEPTED' }), 'unknown'],
    ['a success of another kind', json(204, { id: 'a-1', status: 'ACCEPTED' }), 'unknown'],
    ['a redirect', json(302, { id: 'a-1', status: 'ACCEPTED' }), 'unknown'],
    ['400 INVALID_REQUEST', json(400, { code: 'INVALID_REQUEST' }), 'deferred'],
    ['401 UNAUTHORIZED', json(401, { code: 'UNAUTHORIZED' }), 'deferred'],
    ['402 INSUFFICIENT_FLOAT', json(402, { code: 'INSUFFICIENT_FLOAT' }), 'deferred'],
    ['429 BUSY', json(429, { code: 'BUSY' }), 'deferred'],
    ['403 BOOK_FULL', json(403, { code: 'BOOK_FULL' }), 'deferred'],
    ['409 ID_REUSED', json(409, { code: 'ID_REUSED' }), 'mismatch'],
    ['a refusal in no table', json(400, { code: 'TOO_LATE' }), 'unknown'],
    ['a refusal named like an object member', json(400, { code: 'constructor' }), 'unknown'],
    ['a refusal without a code', json(403, {}), 'unknown'],
    ['404', json(404, { code: 'NOT_FOUND' }), 'unknown'],
    ['429', json(429, { code: 'SLOW_DOWN' }), 'unknown'],
    ['null', json(202, null), 'unknown'],
    ['no connection', { kind: 'no_answer', detail: 'ECONNREFUSED', unsent: true }, 'deferred'],
    ['no answer', { kind: 'no_answer', detail: 'ECONNRESET' }, 'unknown'],
  ];

  it.each(cases)('%s', (_name, reply, outcome) => {
    expect(readSubmit(reply, INSTRUCTION).outcome).toBe(outcome);
  });
});

describe('the answer to a query', () => {
  const cases: [string, ProviderReply, object][] = [
    ['in process', json(200, { ...RECORD, status: 'PROCESSING' }), { outcome: 'submitted' }],
    [
      'paid',
      json(200, RECORD),
      {
        outcome: 'succeeded',
        receipt: 'SBX0000000001',
        publicName: 'TEST 6789',
        amount: money(150_050n, 'KES'),
        recipient: '0110123456789',
      },
    ],
    ['paid without a name', json(200, { ...RECORD, name: undefined }), { outcome: 'succeeded', publicName: null }],
    ['paid, amount spelled otherwise', json(200, { ...RECORD, amount: '1500.5' }), { outcome: 'succeeded' }],
    ['paid without a receipt', json(200, { ...RECORD, receipt: undefined }), { outcome: 'query_failed' }],
    ['paid with an empty receipt', json(200, { ...RECORD, receipt: '' }), { outcome: 'query_failed' }],
    [
      'no such recipient',
      json(200, { ...RECORD, status: 'FAILED', code: 'RECIPIENT_NOT_FOUND' }),
      { outcome: 'not_paid', code: 'recipient_not_found', routeLeft: false },
    ],
    [
      'rejected',
      json(200, { ...RECORD, status: 'FAILED', code: 'REJECTED' }),
      { outcome: 'not_paid', code: 'rail_rejected', routeLeft: false },
    ],
    [
      'expired',
      json(200, { ...RECORD, status: 'FAILED', code: 'EXPIRED' }),
      { outcome: 'not_paid', code: 'expired_at_rail', routeLeft: false },
    ],
    [
      'channel down',
      json(200, { ...RECORD, status: 'FAILED', code: 'CHANNEL_UNAVAILABLE' }),
      { outcome: 'not_paid', code: 'rail_unavailable', routeLeft: true },
    ],
    [
      'failed, and paid',
      json(200, { ...RECORD, status: 'FAILED', code: 'REJECTED', payments: [PAID] }),
      { outcome: 'query_failed' },
    ],
    [
      'paid twice',
      json(200, { ...RECORD, payments: [PAID, AGAIN] }),
      { outcome: 'succeeded', otherPayments: [{ receipt: 'SBX2', reversed: false }] },
    ],
    ['paid once and listed', json(200, { ...RECORD, payments: [PAID] }), { outcome: 'succeeded' }],
    [
      'paid twice, the second back',
      json(200, { ...RECORD, payments: [PAID, { ...AGAIN, status: 'REVERSED' }] }),
      { outcome: 'succeeded', otherPayments: [{ receipt: 'SBX2', reversed: true }] },
    ],
    [
      'paid twice, the first back',
      json(200, { ...RECORD, status: 'REVERSED', payments: [{ ...PAID, status: 'REVERSED' }, AGAIN] }),
      { outcome: 'reversed', receipt: PAID.receipt, otherPayments: [{ receipt: 'SBX2', reversed: false }] },
    ],
    [
      'paid, and its own line says back',
      json(200, { ...RECORD, payments: [{ ...PAID, status: 'REVERSED' }] }),
      { outcome: 'reversed' },
    ],
    [
      'a payment on its way',
      json(200, { ...RECORD, payments: [PAID, { ...AGAIN, status: 'QUEUED' }] }),
      { outcome: 'succeeded' },
    ],
    ['payments that are no list', json(200, { ...RECORD, payments: PAID }), { outcome: 'query_failed' }],
    [
      'failed by a code in no table',
      json(200, { ...RECORD, status: 'FAILED', code: 'toString' }),
      { outcome: 'submitted' },
    ],
    ['failed without a code', json(200, { ...RECORD, status: 'FAILED' }), { outcome: 'submitted' }],
    ['reversed', json(200, { ...RECORD, status: 'REVERSED' }), { outcome: 'reversed', receipt: 'SBX0000000001' }],
    [
      'reversed without a receipt',
      json(200, { ...RECORD, status: 'REVERSED', receipt: undefined }),
      { outcome: 'query_failed' },
    ],
    ['a status in no table', json(200, { ...RECORD, status: 'constructor' }), { outcome: 'submitted' }],
    ['another amount', json(200, { ...RECORD, amount: '1500.51' }), { outcome: 'mismatch' }],
    ['an amount finer than the currency', json(200, { ...RECORD, amount: '1500.501' }), { outcome: 'mismatch' }],
    [
      'another amount, still in process',
      json(200, { ...RECORD, status: 'PROCESSING', amount: '1' }),
      { outcome: 'mismatch' },
    ],
    ['an amount that is none', json(200, { ...RECORD, amount: '1.5e3' }), { outcome: 'query_failed' }],
    ['an amount as a number', json(200, { ...RECORD, amount: 1500.5 }), { outcome: 'query_failed' }],
    ['another currency', json(200, { ...RECORD, currency: 'NGN' }), { outcome: 'mismatch' }],
    [
      'another account',
      json(200, { ...RECORD, recipient: { account_number: '1', bank_code: '01' } }),
      { outcome: 'mismatch' },
    ],
    [
      'another bank',
      json(200, { ...RECORD, recipient: { ...RECORD.recipient, bank_code: '02' } }),
      { outcome: 'mismatch' },
    ],
    ["another's id", json(200, { ...RECORD, id: 'a-2' }), { outcome: 'query_failed' }],
    ['404 of the provider', json(404, { code: 'PAYOUT_NOT_FOUND' }), { outcome: 'unknown' }],
    ['404 of something else', json(404, { code: 'NOT_FOUND' }), { outcome: 'query_failed' }],
    ['401', json(401, { code: 'UNAUTHORIZED' }), { outcome: 'query_failed' }],
    ['202', json(202, RECORD), { outcome: 'query_failed' }],
    ['null', json(200, null), { outcome: 'query_failed' }],
    ['no answer', { kind: 'no_answer', detail: 'UND_ERR_ABORTED' }, { outcome: 'query_failed' }],
  ];

  it.each(cases)('%s', (_name, reply, answer) => {
    expect(readQuery(reply, INSTRUCTION)).toMatchObject(answer);
  });

  it('names no other payments where there are none', () => {
    for (const payments of [undefined, [], [PAID], [PAID, { ...AGAIN, status: 'QUEUED' }]]) {
      expect(readQuery(json(200, { ...RECORD, payments }), INSTRUCTION)).not.toHaveProperty('otherPayments');
    }
  });
});

describe('each kind of recipient', () => {
  const kinds: [PayoutDestination, object, string][] = [
    [INSTRUCTION.destination, RECORD.recipient, '0110123456789'],
    [INSTRUCTION.destination, { kind: 'bank', ...RECORD.recipient }, '0110123456789'],
    [
      { kind: 'mobile', phone: '+254712345678', mobile_network: 'Safaricom' },
      { kind: 'mobile', shortcode: '0712345678', mobile_network: 'Safaricom' },
      '0712345678',
    ],
    [
      { kind: 'paybill', shortcode: '247247', account_number: 'INV-0042' },
      { kind: 'paybill', shortcode: '247247', account_number: 'INV-0042' },
      'INV-0042',
    ],
    [{ kind: 'till', shortcode: '5123456' }, { kind: 'till', shortcode: '5123456' }, '5123456'],
  ];

  it.each(kinds)('%j is written and read as %j', (destination, recipient, number) => {
    const instruction = { ...INSTRUCTION, destination };
    expect({ kind: 'bank', ...(submitBody(instruction) as { recipient: object }).recipient }).toEqual({
      kind: 'bank',
      ...recipient,
    });
    expect(readQuery(json(200, { ...RECORD, recipient }), instruction)).toMatchObject({
      outcome: 'succeeded',
      recipient: number,
    });
  });

  it('differs from every other, in words that hold no number', () => {
    for (const [destination] of kinds) {
      for (const [other, recipient] of kinds) {
        if (other === destination) continue;
        const answer = readQuery(json(200, { ...RECORD, recipient }), { ...INSTRUCTION, destination });
        expect(answer).toEqual({
          outcome: 'mismatch',
          detail: expect.stringMatching(/^the provider's record has another [a-z ]+$/),
        });
      }
    }
  });

  it.each([
    {},
    { kind: 'mobile', account_number: '1', bank_code: '1' },
    { kind: 'cash', shortcode: '1' },
    { kind: 'till' },
    null,
  ])('that is none of them, %j, is a shape we do not know', (recipient) => {
    expect(readQuery(json(200, { ...RECORD, recipient }), INSTRUCTION).outcome).toBe('query_failed');
  });
});

describe('whatever JSON comes', () => {
  const reply = fc.record({
    kind: fc.constant('json' as const),
    status: fc.integer({ min: 200, max: 499 }),
    body: fc.jsonValue(),
  });
  const nearly = fc
    .record(
      {
        id: fc.constantFrom<unknown>('a-1', 'a-2', 1, null),
        status: fc.constantFrom<unknown>('PAID', 'FAILED', 'PROCESSING', 'REVERSED', 'X', 0, null),
        amount: fc.constantFrom<unknown>('1500.50', '1500.51', '-1', '', 'NaN', '9'.repeat(60), null),
        currency: fc.constantFrom<unknown>('KES', 'NGN', 'ZZZ', null),
        recipient: fc.constantFrom<unknown>(RECORD.recipient, {}, null, 'x'),
        receipt: fc.constantFrom<unknown>('SBX1', '', null),
        code: fc.constantFrom<unknown>('REJECTED', 'X', '0110123456789', null),
      },
      { requiredKeys: [] },
    )
    .map((body) => json(200, body));

  it('reads it without throwing, and never as paid or as another than ours unless it is', () => {
    fc.assert(
      fc.property(fc.oneof(reply, nearly), (answer) => {
        const query = readQuery(answer, INSTRUCTION);
        const submit = readSubmit(answer, INSTRUCTION);
        const body = 'body' in answer ? (answer.body as { id?: unknown; status?: unknown } | null) : null;
        if (query.outcome === 'succeeded')
          expect(body).toMatchObject({ id: 'a-1', status: 'PAID', amount: '1500.50', currency: 'KES' });
        if (query.outcome === 'not_paid') expect(body).toMatchObject({ id: 'a-1', status: 'FAILED', code: 'REJECTED' });
        expect(['succeeded', 'not_paid', 'reversed', 'query_failed']).not.toContain(submit.outcome);
      }),
      { numRuns: 2_000 },
    );
  });

  it('repeats nothing of it that could be an account number', () => {
    const told = readSubmit(json(400, { code: 'no account 0110123456789' }), INSTRUCTION);
    expect(JSON.stringify(told)).not.toContain('0110123456789');
  });
});
