import { randomUUID } from 'node:crypto';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { formatMoney } from '@vuka/domain';

import type { RudeHarness } from '../../conformance/harness.js';
import { describeRudeSimulator } from '../../conformance/rude-provider.js';
import { type RudeServer, startRudeServer } from '../../conformance/rude-server.js';
import {
  asksForApproval,
  callsBack,
  type PayoutInstruction,
  type ProviderCallback,
  tellsBalances,
} from '../../payout-provider.js';
import { hasStatement } from '../../statement-provider.js';
import { chapaProvider, type ChapaOptions, type ChapaProvider } from './index.js';
import { networkOf } from './networks.js';
import {
  ATTEMPT_ID,
  callbackOf,
  found,
  hmac,
  instruction,
  PRINTED,
  recordOf,
  SECRET,
  SHAPES,
  signedCallback,
} from './shapes.spec-support.js';

const payable = (): PayoutInstruction => instruction({ attemptId: randomUUID() });
const recorded = (payout: PayoutInstruction, end: object) => {
  const { status, body } = found(recordOf(payout, end));
  return { status, body };
};
const refusal = (status: number, message: unknown) => ({ status, body: SHAPES.failed(message) });
const listed = (meta: object, ...data: object[]) => ({ status: 200, body: { status: 'success', data, meta } });
const LISTED = { ...SHAPES.webhook, reference: randomUUID() };

/** What Chapa would ask about a payout. It has no currency, as it pays birr alone; another one is written. */
function questionOf(payout: PayoutInstruction): object {
  const { attemptId, amount, destination } = payout;
  return {
    ...SHAPES.approval,
    reference: attemptId,
    amount: formatMoney(amount),
    bank: networkOf('ETB', destination)?.slug ?? 'another bank',
    account_number: destination.kind === 'mobile' ? destination.phone.slice(1) : '0',
    ...(amount.currency !== 'ETB' && { currency: amount.currency }),
  };
}

const unsigned = (callback: ProviderCallback): ProviderCallback => ({ ...callback, headers: {} });

const harness: RudeHarness = {
  connect: (options) => chapaProvider({ ...options, signingSecrets: [SECRET] }),
  payable,
  payables: () => [
    payable(),
    instruction({
      attemptId: randomUUID(),
      destination: { kind: 'mobile', phone: '+251911000001', mobile_network: 'Cbe Birr' },
    }),
    instruction({
      attemptId: randomUUID(),
      destination: { kind: 'mobile', phone: '+251711000001', mobile_network: 'MPESA' },
    }),
  ],
  accepted: ({ attemptId }) => ({ status: 200, body: { ...SHAPES.queued, data: attemptId } }),
  // No `duplicate`: that answer names no reference, so another payout's cannot be told from ours. Below are its own cases.
  notFound: refusal(404, PRINTED.missing),
  paid: (payout) => recorded(payout, { bank_reference: 'GT3412w3' }),
  paidWithoutReceipt: (payout) => recorded(payout, {}),
  paidWith: (receipt, name) => (payout) => recorded(payout, { bank_reference: receipt, account_name: name }),
  refusals: {
    'the key is not known': refusal(401, PRINTED.apiKey),
    'outside the transfer hours': refusal(401, PRINTED.transferHours),
    'too little balance': refusal(400, 'Insufficient Balance'),
    'an attribute is missing': refusal(400, { amount: ['validation.required'] }),
  },
  unknownStatus: (payout) => recorded(payout, { status: 'at the bank' }),
  // It has no codes of failures, so this is one more status.
  unknownFailure: (payout) => recorded(payout, { status: 'declined' }),
  statement: {
    good: listed({ current_page: 1, next_page_url: null }, LISTED),
    broken: {
      'another page than was asked for': listed({ current_page: 2, next_page_url: null }, LISTED),
      'without a page': listed({}, LISTED),
      'a row without a status': listed({ current_page: 1 }, { ...LISTED, status: null }),
    },
  },
  approvals: {
    question: (payout) => signedCallback(questionOf(payout)),
    forged: (payout) => callbackOf(JSON.stringify(questionOf(payout)), { 'chapa-signature': hmac(SECRET) }),
  },
};

describeRudeSimulator('the Chapa adapter', { describe, it }, harness);

describe('the Chapa adapter over HTTP', () => {
  let server: RudeServer;
  let provider: ChapaProvider;
  const connect = (options: Partial<ChapaOptions> = {}): ChapaProvider =>
    chapaProvider({
      baseUrl: server.baseUrl,
      credential: 'CHASECK-key',
      callTimeoutMs: 5_000,
      signingSecrets: [SECRET],
      ...options,
    });
  const asked = () => server.received().map(({ method, path }) => `${method} ${path}`);

  beforeEach(async () => {
    server = await startRudeServer();
    provider = connect();
  });
  afterEach(async () => {
    await provider.close();
    await server.stop();
  });

  it('sends what is published, with the key, and asks by our reference', async () => {
    server.answerWith({ status: 200, body: SHAPES.queued }, 'POST');
    server.answerWith({ status: 200, body: found(SHAPES.record).body }, 'GET');
    expect(await provider.submit(instruction())).toEqual({ outcome: 'submitted' });
    expect(await provider.query(instruction())).toMatchObject({ outcome: 'succeeded' });
    expect(asked()).toEqual(['POST /v1/transfers', `GET /v1/transfers/verify/${ATTEMPT_ID}`]);
    const [sent] = server.received();
    expect(JSON.parse(String(sent?.body))).toEqual(SHAPES.request);
    expect(sent?.headers.authorization).toBe('Bearer CHASECK-key');
  });

  it('sends nothing where the amount cannot be carried', async () => {
    const odd = instruction({ amount: { minor: 1_01n, currency: 'ETB' } });
    expect(await provider.submit(odd)).toMatchObject({ outcome: 'not_paid', code: 'amount_not_accepted' });
    expect(asked()).toEqual([]);
  });

  it('pays from one float, and says where it pays', () => {
    expect(provider.floats).toEqual([{ wallet: 'main', currency: 'ETB' }]);
    const via = { kind: 'mobile', mobileNetwork: 'Cbe Birr' } as const;
    expect(provider.walletOf(via, 'ETB')).toBe('main');
    expect(provider.walletOf(via, 'KES')).toBeNull();
    expect(provider.walletOf({ kind: 'bank', mobileNetwork: '' }, 'ETB')).toBeNull();
    expect(provider.walletOf({ ...via, mobileNetwork: 'MTN' }, 'ETB')).toBeNull();
  });

  it('promises nothing that no document promises, unless it is set', async () => {
    const { dedupesForMs, notFoundProvesAfterMs, refundSafeAfterMs } = provider.capabilities;
    expect([dedupesForMs, notFoundProvesAfterMs, refundSafeAfterMs]).toEqual([null, null, 86_400_000]);
    const confirmed = connect({ dedupesForMs: 1_000, notFoundProvesAfterMs: 900_000, refundSafeAfterMs: 0 });
    expect(confirmed.capabilities).toMatchObject({
      dedupesForMs: 1_000,
      notFoundProvesAfterMs: 900_000,
      refundSafeAfterMs: 0,
    });
    await confirmed.close();
  });

  describe('told that its reference was used before', () => {
    const record = (status: string) => ({ status: 200, body: found({ ...SHAPES.record, status }).body });

    it.each([
      ['paid', record('success'), 'succeeded'],
      ['not paid', record('failed'), 'not_paid'],
      ['under way', record('pending'), 'submitted'],
      ['another amount', { status: 200, body: found({ ...SHAPES.record, amount: 1 }).body }, 'mismatch'],
      ['not found', refusal(404, PRINTED.missing), 'submitted'],
      ['unreadable', { status: 200, body: {} }, 'submitted'],
    ])('takes what the record says: %s', async (_title, answer, outcome) => {
      server.answerWith(refusal(400, PRINTED.duplicate), 'POST');
      server.answerWith(answer, 'GET');
      expect(await provider.submit(instruction())).toMatchObject({ outcome });
      expect(asked()).toEqual(['POST /v1/transfers', `GET /v1/transfers/verify/${ATTEMPT_ID}`]);
    });

    it('takes HTML for nothing: it holds our reference', async () => {
      server.answerWith(refusal(400, PRINTED.duplicate), 'POST');
      server.answerWith('HTML with status 200', 'GET');
      expect(await provider.submit(instruction())).toEqual({ outcome: 'submitted' });
    });
  });

  it('tells its balance and its transfers', async () => {
    expect([tellsBalances, hasStatement, callsBack, asksForApproval].map((has) => has(provider))).toEqual([
      true,
      true,
      true,
      true,
    ]);
    server.answerWith({
      status: 200,
      body: { status: 'success', data: [{ currency: 'ETB', available_balance: 7.5, ledger_balance: 9 }] },
    });
    expect(await provider.balances()).toMatchObject({ balances: [{ amount: { minor: 750n, currency: 'ETB' } }] });
    server.answerWith(listed({ current_page: 1, next_page_url: null }, SHAPES.webhook));
    expect(await provider.statement(null)).toMatchObject({ entries: [{ attemptId: ATTEMPT_ID, event: 'paid' }] });
    expect(asked()).toEqual(['GET /v1/balances', 'GET /v1/transfers?page=1']);
    expect(provider.capabilities).toMatchObject({ statementEveryMs: 60_000 });
  });

  describe('and a callback', () => {
    it('that is signed speaks for itself, held against the instruction', async () => {
      const reading = await provider.parseCallback(signedCallback(SHAPES.webhook));
      expect(reading).toMatchObject({ signed: true, detail: '', attemptIds: [ATTEMPT_ID] });
      expect(reading.answerFor(instruction())).toMatchObject({ outcome: 'succeeded', receipt: 'GT3412w3' });
      const other = instruction({ amount: { minor: 1_400_00n, currency: 'ETB' } });
      expect(reading.answerFor(other)).toMatchObject({ outcome: 'mismatch' });
      expect(reading.answerFor(payable())).toMatchObject({ outcome: 'query_failed' });
    });

    it.each([
      ['not signed', unsigned(signedCallback(SHAPES.webhook))],
      ['signed by the constant alone', callbackOf(JSON.stringify(SHAPES.webhook), { 'chapa-signature': hmac(SECRET) })],
      [
        'altered',
        { ...signedCallback(SHAPES.webhook), body: Buffer.from(JSON.stringify({ ...SHAPES.webhook, amount: '1' })) },
      ],
    ])('that is %s is a hint only', async (_title, callback) => {
      const reading = await provider.parseCallback(callback);
      expect(reading).toMatchObject({ signed: false, attemptIds: [ATTEMPT_ID] });
      expect(reading.answerFor(instruction())).toMatchObject({ outcome: 'query_failed' });
    });

    it('is a hint only where no secret is set', async () => {
      const careless = connect({ signingSecrets: [] });
      expect(await careless.parseCallback(signedCallback(SHAPES.webhook))).toMatchObject({ signed: false });
      await careless.close();
    });

    it.each(['[]', 'null', '{', '{"reference":5}', '', '\u00ff'])(
      'that cannot be read is about nobody: %s',
      async (body) => {
        const reading = await provider.parseCallback(callbackOf(body, { 'x-chapa-signature': hmac(body) }));
        expect(reading.attemptIds).toEqual([]);
        expect(reading.answerFor(instruction())).toMatchObject({ outcome: 'query_failed' });
      },
    );
  });

  describe('and a question for approval', () => {
    const constant = callbackOf(JSON.stringify(SHAPES.approval), { 'Chapa-Signature': hmac(SECRET) });

    it('that has the constant alone counts only where it is set so', async () => {
      expect(await provider.decideApproval(constant)).toMatchObject({ signed: false });
      const confirmed = connect({ approvalsSign: 'constant' });
      const reading = await confirmed.decideApproval(constant);
      expect(reading).toMatchObject({ signed: true, detail: '', attemptIds: [ATTEMPT_ID] });
      expect(reading.differenceFrom(instruction())).toBeNull();
      expect(reading.differenceFrom(instruction({ amount: { minor: 1n, currency: 'ETB' } }))).toBe('amount');
      expect(await confirmed.decideApproval(unsigned(constant))).toMatchObject({ signed: false });
      // It says nothing of a payment: a callback with it stays a hint.
      const callback = callbackOf(JSON.stringify(SHAPES.webhook), { 'chapa-signature': hmac(SECRET) });
      expect(await confirmed.parseCallback(callback)).toMatchObject({ signed: false });
      await confirmed.close();
    });

    it('cannot be a callback that was sent before', async () => {
      const reading = await provider.decideApproval(signedCallback(SHAPES.webhook));
      expect(reading.differenceFrom(instruction())).toBe('shape');
    });

    it.each(['', '{', 'null', '[]'])('of another shape is about nothing: %j', async (body) => {
      const reading = await provider.decideApproval(callbackOf(body, { 'chapa-signature': hmac(body) }));
      expect(reading.attemptIds).toEqual([]);
      expect(reading.differenceFrom(instruction())).toBe('shape');
    });

    it('is answered as published', () => {
      expect(provider.approvalReply(true)).toMatchObject({ status: 200, contentType: 'application/json' });
      expect(provider.approvalReply(false)).toMatchObject({ status: 400, contentType: 'application/json' });
    });
  });
});
