import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ManualClock } from '@vuka/runtime';

import { callbackHeaders } from '../../callback-path.js';
import type { RudeHarness } from '../../conformance/harness.js';
import { describeRudeSimulator } from '../../conformance/rude-provider.js';
import { type KeptValues, ProviderValues } from '../../kept-values.js';
import type { CallLease, PayoutInstruction } from '../../payout-provider.js';
import { accountOf } from './channels.js';
import { paystackProvider, type PaystackOptions, type PaystackProvider } from './index.js';
import { recipientKey } from './recipients.js';
import {
  ACCOUNT,
  ATTEMPT_ID,
  callbackOf,
  EACH,
  instruction,
  KES_BANKS,
  KEY,
  madeRecipient,
  NOT_FOUND,
  queuedOf,
  recordOf,
  refused,
  signatureOf,
  told,
  TRANSFER_CODE,
} from './shapes.spec-support.js';

const payable = (): PayoutInstruction => instruction({ attemptId: randomUUID() });
const recorded = (payout: PayoutInstruction, more: object) => ({ status: 200, body: told(recordOf(payout, more)) });

const listed = (meta: object, ...rows: object[]) => ({
  status: 200,
  body: {
    ...told(rows, 'Transfers retrieved'),
    meta: { total: 1, skipped: 0, perPage: 100, page: 1, pageCount: 1, ...meta },
  },
});

/** The rude server makes recipients of one account. All others have theirs from before. */
function keptButOne(credential: string): KeptValues {
  const account = accountOf('NGN', ACCOUNT, KES_BANKS);
  const made = new ProviderValues();
  const key = account && recipientKey(account, credential);
  return {
    read: async (asked) => (asked === key ? made.read(asked) : 'RCP_before'),
    keep: (asked, value) => made.keep(asked, value),
  };
}

const harness: RudeHarness = {
  connect: (options) => paystackProvider({ ...options, kesBanks: KES_BANKS, kept: keptButOne(options.credential) }),
  payable,
  payables: () => EACH.map(([more]) => instruction({ ...more, attemptId: randomUUID() })),
  before: { method: 'POST', path: '/transferrecipient', answer: { status: 201, body: madeRecipient(instruction()) } },
  accepted: (payout) => ({ status: 200, body: queuedOf(payout) }),
  duplicate: ({ attemptId }) => ({
    status: 404,
    body: refused(`Duplicate reference(s) found: ${attemptId}`, { type: 'api_error', code: 'unknown' }),
  }),
  notFound: { status: 404, body: NOT_FOUND },
  paid: (payout) => recorded(payout, {}),
  paidWithoutReceipt: (payout) => recorded(payout, { transfer_code: null }),
  paidWith: (receipt, name) => (payout) => {
    const record = recordOf(payout, { transfer_code: receipt }) as { recipient: { details: object } };
    const details = { ...record.recipient.details, account_name: name };
    return { status: 200, body: told({ ...record, recipient: { ...record.recipient, details } }) };
  },
  refusals: {
    'the key is not known': { status: 401, body: refused('Invalid key', { type: 'validation_error' }) },
    'the balance is too small': { status: 400, body: refused('Your balance is not enough to fulfil this request') },
    'the request is wrong': { status: 400, body: refused('Some text', { type: 'validation_error' }) },
    'a recipient made just now is not known': {
      status: 400,
      body: refused('Recipient specified is invalid', { code: 'invalid_transfer_recipient' }),
    },
  },
  unknownStatus: (payout) => recorded(payout, { status: 'at_the_bank' }),
  // It tells no codes of failures: only another status could be one.
  unknownFailure: (payout) => recorded(payout, { status: 'declined' }),
  statement: {
    good: listed({}, recordOf(payable())),
    broken: {
      'another page than was asked for': listed({ page: 2 }, recordOf(payable())),
      'without a number of pages': listed({ pageCount: null }, recordOf(payable())),
      'status false': { status: 200, body: { ...listed({}, recordOf(payable())).body, status: false } },
    },
  },
  names: {
    asked: () => ({ destination: ACCOUNT, currency: 'NGN' }),
    found: (name) => ({ status: 200, body: told({ account_number: '0123456789', account_name: name, bank_id: 1 }) }),
    nobody: {
      status: 422,
      body: refused('Could not resolve account name. Check parameters or try again.', { code: 'invalid_bank_code' }),
    },
    unreadable: {
      'the name of another account': {
        status: 200,
        body: told({ account_number: '0123456780', account_name: 'JANE DOE', bank_id: 1 }),
      },
      'no such bank': { status: 400, body: refused('Unknown bank code') },
      'another text': { status: 422, body: refused('Could not resolve account name') },
    },
  },
};

describeRudeSimulator('the Paystack adapter', { describe, it }, harness);

interface Seen {
  readonly call: string;
  readonly authorization: string | undefined;
  readonly body: Record<string, unknown> | null;
}
type Answer = { readonly status: number; readonly body: unknown };

describe('the Paystack adapter over HTTP', () => {
  let server: Server;
  let provider: PaystackProvider;
  let seen: Seen[];
  /** By method and path, in their order; the last one stays. What is not here is silence. */
  let answers: Record<string, Answer[]>;

  const connect = (options: Partial<PaystackOptions> = {}): PaystackProvider => {
    const { port } = server.address() as AddressInfo;
    return paystackProvider({ baseUrl: `http://127.0.0.1:${port}`, credential: KEY, callTimeoutMs: 5_000, ...options });
  };
  const calls = (): string[] => seen.map(({ call }) => call);

  beforeEach(async () => {
    seen = [];
    answers = {
      'POST /transferrecipient': [{ status: 201, body: madeRecipient(instruction()) }],
      'POST /transfer': [{ status: 200, body: queuedOf(instruction()) }],
      [`GET /transfer/verify/${ATTEMPT_ID}`]: [{ status: 200, body: told(recordOf(instruction())) }],
    };
    server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { method = '', url = '', headers } = request;
        const text = Buffer.concat(chunks).toString();
        const body = text === '' ? null : (JSON.parse(text) as Record<string, unknown>);
        seen.push({ call: `${method} ${url}`, authorization: headers.authorization, body });
        const waiting = answers[`${method} ${url}`];
        const answer = (waiting?.length ?? 0) > 1 ? waiting?.shift() : waiting?.[0];
        if (answer === undefined) return;
        response.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(answer.body));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    provider = connect();
  });
  afterEach(async () => {
    await provider.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  it('makes the recipient, and pays it', async () => {
    expect(await provider.submit(instruction())).toEqual({ outcome: 'submitted', providerPaymentId: TRANSFER_CODE });
    expect(seen).toMatchObject([
      { call: 'POST /transferrecipient', authorization: `Bearer ${KEY}`, body: { account_number: '0123456789' } },
      { call: 'POST /transfer', body: { recipient: 'RCP_1', reference: ATTEMPT_ID, amount: 150000 } },
    ]);
    expect(await provider.query(instruction())).toMatchObject({ outcome: 'succeeded', receipt: TRANSFER_CODE });
  });

  it('makes the recipient of an account once for all who share what is kept', async () => {
    const kept = new ProviderValues();
    for (const one of [connect({ kept }), connect({ kept })]) {
      await one.submit(instruction());
      await one.close();
    }
    expect(calls()).toEqual(['POST /transferrecipient', 'POST /transfer', 'POST /transfer']);
    const other = connect({ kept, credential: 'sk_live_other' });
    await other.submit(instruction());
    await other.close();
    expect(calls().slice(3)).toEqual(['POST /transferrecipient', 'POST /transfer']);
  });

  describe('with a recipient that Paystack has forgotten', () => {
    const gone: Answer = {
      status: 400,
      body: refused('Recipient specified is invalid', { code: 'invalid_transfer_recipient' }),
    };
    const lease = (mayPay: () => boolean): CallLease => ({ mayPay });

    beforeEach(async () => {
      await provider.submit(instruction());
      seen = [];
      answers['POST /transferrecipient'] = [{ status: 201, body: madeRecipient(instruction(), 'RCP_2') }];
      answers['POST /transfer'] = [gone, { status: 200, body: queuedOf(instruction()) }];
    });

    it('makes it again, and sends the same reference to it', async () => {
      expect(await provider.submit(instruction())).toMatchObject({ outcome: 'submitted' });
      expect(calls()).toEqual(['POST /transfer', 'POST /transferrecipient', 'POST /transfer']);
      const sent = seen
        .filter(({ call }) => call === 'POST /transfer')
        .map(({ body }) => [body?.recipient, body?.reference]);
      expect(sent).toEqual([['RCP_1', ATTEMPT_ID], ['RCP_2', ATTEMPT_ID]]); // prettier-ignore
      await provider.submit(instruction());
      expect(seen.at(-1)?.body?.recipient).toBe('RCP_2');
      expect(calls()).toHaveLength(4);
    });

    it('pays nothing after its lease', async () => {
      const left = [true, false];
      expect(
        await provider.submit(
          instruction(),
          lease(() => left.shift() ?? false),
        ),
      ).toEqual({ outcome: 'too_late' });
      expect(calls()).toEqual(['POST /transfer', 'POST /transferrecipient']);
    });

    it('gives up where the new one is not known either, and where none can be made: nothing was taken', async () => {
      answers['POST /transfer'] = [gone];
      expect(await provider.submit(instruction())).toMatchObject({ outcome: 'deferred', reason: 'config' });
      answers['POST /transferrecipient'] = [{ status: 500, body: {} }];
      expect(await provider.submit(instruction())).toMatchObject({ outcome: 'deferred', reason: 'unreachable' });
    });

    it('does not know what became of it where the second call is not answered', async () => {
      answers['POST /transfer'] = [gone, { status: 502, body: {} }];
      expect(await provider.submit(instruction())).toMatchObject({ outcome: 'unknown' });
    });
  });

  it('pays on where nothing can be kept', async () => {
    const kept: KeptValues = { read: async () => '../transfer/finalize_transfer', keep: async () => undefined };
    const careless = connect({ kept });
    expect(await careless.submit(instruction())).toMatchObject({ outcome: 'submitted' });
    expect(calls()).toEqual(['POST /transferrecipient', 'POST /transfer']);
    await careless.close();
  });

  it('sends nothing where the amount cannot be carried', async () => {
    const odd = instruction({ ...EACH[1]?.[0], amount: { minor: 1_01n, currency: 'KES' } });
    expect(await provider.submit(odd)).toMatchObject({ outcome: 'not_paid', code: 'amount_not_accepted' });
    expect(seen).toEqual([]);
  });

  it('tells its balances', async () => {
    const balances = (data: unknown, status = 200): void =>
      void (answers['GET /balance'] = [{ status, body: told(data) }]);
    balances([{ currency: 'NGN', balance: 1_700_000 }, { currency: 'KES', balance: -5 }, { currency: 'USD', balance: 1.5 }]); // prettier-ignore
    expect(await provider.balances()).toEqual({
      outcome: 'told',
      balances: [
        { wallet: 'main', amount: { minor: 1_700_000n, currency: 'NGN' }, at: expect.any(Date) },
        { wallet: 'main', amount: { minor: -5n, currency: 'KES' }, at: expect.any(Date) },
      ],
    });
    const once = { currency: 'NGN', balance: 1 };
    for (const odd of [[once, once], [{ ...once, balance: 1.5 }], [{ ...once, balance: 2 ** 60 }], {}, null, [{ currency: 'NGN' }]]) {
      balances(odd);
      expect(await provider.balances()).toMatchObject({ outcome: 'failed' });
    } // prettier-ignore
    balances([once], 401);
    expect(await provider.balances()).toMatchObject({ outcome: 'failed' });
  });

  it('reads its list of transfers, and does not rely on that for returns', async () => {
    const clock = new ManualClock(new Date('2026-08-01T12:00:00.000Z'));
    const reader = connect({ clock });
    const path = 'GET /transfer?perPage=100&page=1&from=2026-07-29T12:00:00.000Z&to=2026-07-29T14:00:00.000Z';
    answers[path] = [listed({}, recordOf(instruction()))];
    expect(await reader.statement(null)).toMatchObject({ entries: [{ attemptId: ATTEMPT_ID, event: 'paid' }], more: true }); // prettier-ignore
    expect(seen).toMatchObject([{ call: path, authorization: `Bearer ${KEY}` }]);
    expect(reader.capabilities).toMatchObject({ statementEveryMs: 60_000 });
    expect(reader.capabilities).not.toHaveProperty('statementTellsReturns');
    await reader.close();
  });

  it('asks for names of Nigerian accounts alone, as they are written', async () => {
    const named = (more: object, currency = 'NGN') =>
      provider.lookUpName({ destination: { ...ACCOUNT, ...more }, currency, timeoutMs: 1_000 });
    answers['GET /bank/resolve?account_number=0123456789&bank_code=058'] = [
      { status: 200, body: told({ account_number: '0123456789', account_name: ' JANE DOE ', bank_id: 9 }) },
    ];
    expect(await named({})).toEqual({ outcome: 'found', name: 'JANE DOE' });
    seen = [];
    for (const question of [named({ bank_code: '50739' }), named({}, 'KES'), named({ kind: 'till', shortcode: '247247' })])
      expect(await question).toEqual({ outcome: 'cannot_tell' });
    expect(seen).toEqual([]);
    void named({ account_number: '01&x=/..' });
    await new Promise((resolve) => server.once('request', resolve));
    expect(seen.at(-1)?.call ?? '').toBe('GET /bank/resolve?account_number=01%26x%3D%2F..&bank_code=058');
  }); // prettier-ignore

  it('refuses a reason that Paystack may turn down', () => {
    for (const reason of ['ab', 'a'.repeat(101), 'Payout: 5%']) expect(() => connect({ reason })).toThrow(RangeError);
  });

  describe('and a callback', () => {
    const body = JSON.stringify({ event: 'transfer.success', data: recordOf(instruction()) });

    it('that is signed speaks for itself, held against the instruction', async () => {
      const reading = await provider.parseCallback(callbackOf(body));
      expect(reading).toMatchObject({ signed: true, detail: '', attemptIds: [ATTEMPT_ID] });
      expect(reading.answerFor(instruction())).toMatchObject({ outcome: 'succeeded', receipt: TRANSFER_CODE });
      const other = instruction({ amount: { minor: 1_400_00n, currency: 'NGN' } });
      expect(reading.answerFor(other)).toMatchObject({ outcome: 'mismatch' });
      expect(reading.answerFor(payable())).toMatchObject({ outcome: 'query_failed' });
      const upper = await provider.parseCallback(callbackOf(body, signatureOf(body).toUpperCase()));
      expect(upper.signed).toBe(true);
      // As payments hands headers on.
      const asLists = callbackHeaders([['X-Paystack-Signature', signatureOf(body)]]);
      expect(await provider.parseCallback({ ...callbackOf(body), headers: asLists })).toMatchObject({ signed: true });
      expect(seen).toEqual([]);
    });

    it.each([
      ['not signed', { ...callbackOf(body), headers: {} }],
      ['signed twice', { ...callbackOf(body), headers: { 'x-paystack-signature': [signatureOf(body), signatureOf(body)] } }],
      ['signed under two names', { ...callbackOf(body), headers: { 'x-paystack-signature': signatureOf(body), 'X-PAYSTACK-SIGNATURE': 'x' } }],
      ['altered', callbackOf(body.replace(TRANSFER_CODE, 'TRF_other'), signatureOf(body))],
      ['signed with another key', callbackOf(body, signatureOf(body, 'sk_live_other'))],
      ['signed in another form', callbackOf(body, `sha512=${signatureOf(body)}`)],
      ['signed with less', callbackOf(body, signatureOf(body).slice(0, 64))],
    ])('that is %s is a hint only', async (_title, callback) => {
      const reading = await provider.parseCallback(callback);
      expect([reading.signed, reading.detail === '']).toEqual([false, false]);
      expect(reading.detail).not.toContain(signatureOf(body));
      expect(reading.answerFor(instruction())).toMatchObject({ outcome: 'query_failed' });
    }); // prettier-ignore

    it.each([
      ['transfer.success', 'failed'],
      ['transfer.failed', 'success'],
      ['transfer.reversed', 'success'],
      ['charge.success', 'success'],
      ['transfer.moon', 'success'],
    ])('%s of a transfer that is %s proves nothing', async (event, status) => {
      const odd = JSON.stringify({ event, data: recordOf(instruction(), { status }) });
      const reading = await provider.parseCallback(callbackOf(odd));
      expect(reading).toMatchObject({ signed: true, attemptIds: [ATTEMPT_ID] });
      expect(reading.answerFor(instruction())).toMatchObject({ outcome: 'query_failed' });
    });

    it.each([['[]'], ['null'], ['{'], ['{"data":{"reference":5}}'], ['{"event":"charge.success","data":{"reference":"x"}}'], [Buffer.from([0xff, 0xfe])]])(
      'that cannot be read is about nobody: %s',
      async (odd) => {
        const reading = await provider.parseCallback(callbackOf(odd));
        expect(reading).toMatchObject({ signed: true, attemptIds: [] });
        expect(reading.answerFor(instruction())).toMatchObject({ outcome: 'query_failed' });
      },
    ); // prettier-ignore
  });
});
