import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ManualClock } from '@vuka/runtime';

import type { RudeHarness } from '../../conformance/harness.js';
import { describeRudeSimulator } from '../../conformance/rude-provider.js';
import { ProviderValues } from '../../kept-values.js';
import { callsBack, type PayoutInstruction, tellsBalances } from '../../payout-provider.js';
import { hasStatement } from '../../statement-provider.js';
import { pawapay } from './factory.js';
import { pawapayProvider, type PawapayOptions, type PawapayProvider } from './index.js';
import { payoutIdOf } from './payout-id.js';
import { failedRecord, instruction, PAYOUT_ID, recordOf, SHAPES } from './shapes.spec-support.js';
import { HOST, KEY_ID, NOW, pemOf, publicKey, signedCallback, withHeader } from './signing.spec-support.js';

const payable = (): PayoutInstruction => instruction({ attemptId: randomUUID() });
const initiated = (payout: PayoutInstruction, fields: object) => ({
  status: 200,
  body: { payoutId: payoutIdOf(payout.attemptId), created: '2026-08-01T08:17:01Z', ...fields },
});
const recorded = (payout: PayoutInstruction, end: object) => ({
  status: 200,
  body: { status: 'FOUND', data: recordOf(payout, end) },
});
const refusal = (status: number, failureCode: string) => ({ status, body: SHAPES.errorBody(failureCode) });

const harness: RudeHarness = {
  connect: pawapayProvider,
  payable,
  payables: () => [
    payable(),
    instruction({
      attemptId: randomUUID(),
      amount: { minor: 250_00n, currency: 'KES' },
      destination: { kind: 'mobile', phone: '+254712345678', mobile_network: 'Safaricom' },
    }),
    instruction({
      attemptId: randomUUID(),
      amount: { minor: 20_00n, currency: 'USD' },
      destination: { kind: 'mobile', phone: '+243991234567', mobile_network: 'Airtel Money' },
    }),
  ],
  accepted: (payout) => initiated(payout, { status: 'ACCEPTED' }),
  duplicate: (payout) => initiated(payout, { status: 'DUPLICATE_IGNORED' }),
  notFound: { status: 200, body: SHAPES.missing },
  paid: (payout) => recorded(payout, { status: 'COMPLETED', providerTransactionId: 'ABC123' }),
  paidWithoutReceipt: (payout) => recorded(payout, { status: 'COMPLETED' }),
  paidWith: (receipt) => (payout) => recorded(payout, { status: 'COMPLETED', providerTransactionId: receipt }),
  refusals: {
    'the token is not known': refusal(403, 'AUTHENTICATION_ERROR'),
    'payouts are not allowed': refusal(403, 'PAYOUTS_NOT_ALLOWED'),
    'a parameter is missing': refusal(400, 'MISSING_PARAMETER'),
  },
  unknownStatus: (payout) => recorded(payout, { status: 'QUEUED_AT_BANK' }),
  unknownFailure: (payout) => recorded(payout, { status: 'FAILED', failureReason: { failureCode: 'MOON_PHASE' } }),
};

describeRudeSimulator('the pawaPay adapter', { describe, it }, harness);

interface Seen {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly authorization: string | undefined;
  readonly body: string;
}

describe('the pawaPay adapter over HTTP', () => {
  let server: Server;
  let provider: PawapayProvider;
  let seen: Seen[];
  /** By path; what is not here is silence. */
  let answers: Record<string, { status: number; body: unknown; type?: string }>;
  const clock = new ManualClock(NOW);

  const connect = (options: Partial<PawapayOptions> = {}): PawapayProvider => {
    const { port } = server.address() as AddressInfo;
    return pawapayProvider({
      baseUrl: `http://127.0.0.1:${port}`,
      credential: 'api-token',
      callTimeoutMs: 5_000,
      callbackHost: HOST,
      clock,
      ...options,
    });
  };

  beforeEach(async () => {
    seen = [];
    answers = {};
    server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { method, url, headers } = request;
        seen.push({ method, path: url, authorization: headers.authorization, body: Buffer.concat(chunks).toString() });
        const answer = answers[url ?? ''];
        if (answer === undefined) return;
        const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body);
        response.writeHead(answer.status, { 'content-type': answer.type ?? 'application/json' }).end(text);
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

  it('sends what is published, with the token', async () => {
    answers['/v2/payouts'] = { status: 200, body: SHAPES.accepted };
    expect(await provider.submit(instruction())).toEqual({ outcome: 'submitted', providerPaymentId: PAYOUT_ID });
    expect(seen).toMatchObject([{ method: 'POST', path: '/v2/payouts', authorization: 'Bearer api-token' }]);
    expect(JSON.parse(seen[0]?.body ?? '')).toEqual(SHAPES.request);
    answers[`/v2/payouts/${PAYOUT_ID}`] = { status: 200, body: { status: 'FOUND', data: SHAPES.record } };
    expect(await provider.query(instruction())).toMatchObject({ outcome: 'succeeded', receipt: 'ABC123' });
  });

  it('has made statements told at the URL of our callbacks, which is of its host and its current token', async () => {
    const { port } = server.address() as AddressInfo;
    const given = { id: 'pawapay', base_url: `http://127.0.0.1:${port}`, secret: 's', countries: ['MW'], accepts_stablecoin_funds: 'yes' }; // prettier-ignore
    answers['/v2/wallet-balances'] = { status: 200, body: { balances: [{ country: 'MWI', currency: 'MWK', balance: '1' }] } }; // prettier-ignore
    answers['/v2/statements'] = { status: 200, body: { statementId: 's1', status: 'ACCEPTED' } };
    const asked = async (row: object, callbackTokens: string[]): Promise<unknown> => {
      seen = [];
      const { provider: opened } = pawapay.open(pawapay.row.parse({ ...given, ...row }), { credential: 'c', callbackTokens }, { env: 'sandbox', clock, kept: new ProviderValues() }); // prettier-ignore
      if (!hasStatement(opened)) throw new Error('it has no statement');
      expect((await opened.statement(null))?.next).toContain('"id":"s1"');
      await opened.close();
      return (JSON.parse(seen.at(-1)?.body ?? '') as { callbackUrl?: unknown }).callbackUrl;
    };
    const [now, before] = ['a1'.repeat(16), 'b2'.repeat(16)];
    expect(await asked({ callback_host: HOST }, [now, before])).toBe(`https://${HOST}/callbacks/pawapay/${now}`);
    expect(await asked({ callback_host: HOST }, [])).toBeUndefined();
    expect(await asked({}, [now])).toBeUndefined();
  });

  it('sends nothing where the amount cannot be carried', async () => {
    const destination = { kind: 'mobile', phone: '+254712345678', mobile_network: 'Safaricom' } as const;
    const odd = instruction({ destination, amount: { minor: 1_01n, currency: 'KES' } });
    expect(await provider.submit(odd)).toMatchObject({ outcome: 'not_paid', code: 'amount_not_accepted' });
    expect(seen).toEqual([]);
  });

  it.each([
    ['401 as JSON', { status: 401, body: SHAPES.errorBody('NO_AUTHENTICATION') }, 'deferred'],
    ['401 as HTML', { status: 401, body: '<html>', type: 'text/html' }, 'unknown'],
    ['429 as JSON', { status: 429, body: { message: 'slow down' } }, 'unknown'],
    ['429 as HTML', { status: 429, body: '<html>', type: 'text/html' }, 'unknown'],
    ['500 with UNKNOWN_ERROR', { status: 500, body: SHAPES.errorBody('UNKNOWN_ERROR') }, 'unknown'],
    ['500 with a code of ours', { status: 500, body: SHAPES.errorBody('INVALID_PHONE_NUMBER') }, 'unknown'],
    ['200 as HTML', { status: 200, body: '<html>', type: 'text/html' }, 'unknown'],
    ['200 cut off', { status: 200, body: '{"payoutId":"' }, 'unknown'],
  ])('reads %s', async (_title, answer, outcome) => {
    answers['/v2/payouts'] = answer;
    answers[`/v2/payouts/${PAYOUT_ID}`] = answer;
    expect(await provider.submit(instruction())).toMatchObject({ outcome });
    expect(await provider.query(instruction())).toMatchObject({ outcome: 'query_failed' });
  });

  it('gives up by its bound, and does not know what became of it', async () => {
    const impatient = connect({ callTimeoutMs: 200 });
    expect(await impatient.submit(instruction())).toMatchObject({ outcome: 'unknown' });
    expect(await impatient.query(instruction())).toMatchObject({ outcome: 'query_failed' });
    await impatient.close();
  });

  it('asks for the record of a duplicate', async () => {
    answers['/v2/payouts'] = { status: 200, body: SHAPES.duplicate };
    answers[`/v2/payouts/${PAYOUT_ID}`] = {
      status: 200,
      body: { status: 'FOUND', data: failedRecord('RECIPIENT_NOT_FOUND') },
    };
    expect(await provider.submit(instruction())).toMatchObject({ outcome: 'not_paid', code: 'recipient_not_found' });
  });

  it('tells its balances', async () => {
    expect(tellsBalances(provider) && callsBack(provider)).toBe(true);
    const balances = [{ country: 'MWI', balance: '21798.03', currency: 'MWK', provider: '' }];
    answers['/v2/wallet-balances'] = { status: 200, body: { balances } };
    expect(await provider.balances()).toEqual({
      outcome: 'told',
      balances: [{ wallet: 'mw', country: 'MW', amount: { minor: 2_179_803n, currency: 'MWK' }, at: expect.any(Date) }],
    });
  });

  it('refuses a message to the recipient that pawaPay would turn down', () => {
    for (const customerMessage of ['abc', 'a'.repeat(23), 'Vuka: paid'])
      expect(() => connect({ customerMessage })).toThrow(RangeError);
  });

  describe('and a callback', () => {
    const body = JSON.stringify({ ...SHAPES.record, clientReferenceId: undefined });

    beforeEach(() => {
      answers['/v2/public-key/http'] = { status: 200, body: [{ id: KEY_ID, key: pemOf(publicKey) }] };
    });

    it('that is signed speaks for itself', async () => {
      const reading = await provider.parseCallback(signedCallback({ body }));
      expect(reading).toMatchObject({ signed: true, detail: '' });
      expect(reading.attemptIds).toContain(instruction().attemptId);
      expect(reading.answerFor(instruction())).toMatchObject({ outcome: 'succeeded', receipt: 'ABC123' });
      await provider.parseCallback(signedCallback({ body }));
      expect(seen.map(({ path }) => path)).toEqual(['/v2/public-key/http']);
    });

    it('that is signed is still held against the instruction', async () => {
      const reading = await provider.parseCallback(signedCallback({ body }));
      const other = instruction({ amount: { minor: 1_400_00n, currency: 'MWK' } });
      expect(reading.answerFor(other)).toMatchObject({ outcome: 'mismatch' });
      expect(reading.answerFor(payable())).toMatchObject({ outcome: 'query_failed' });
    });

    it.each([
      [
        'not signed',
        withHeader(withHeader(signedCallback({ body }), 'Signature', undefined), 'Signature-Input', undefined),
      ],
      ['altered', { ...signedCallback({ body }), body: Buffer.from(body.replace('ABC123', 'ABC124')) }],
      ['signed by nobody we know', signedCallback({ body, params: ';keyid="other";created=1785572400' })],
      ['too old', signedCallback({ body, date: new Date(NOW.getTime() - 3_600_000) })],
    ])('that is %s is a hint only', async (_title, callback) => {
      const reading = await provider.parseCallback(callback);
      expect(reading.signed).toBe(false);
      expect(reading.attemptIds).toContain(instruction().attemptId);
      expect(reading.answerFor(instruction())).toMatchObject({ outcome: 'query_failed' });
    });

    it('is a hint only where our host is not set, or the keys cannot be read', async () => {
      const { port } = server.address() as AddressInfo;
      const careless = pawapayProvider({ baseUrl: `http://127.0.0.1:${port}`, credential: 'x', clock });
      expect(await careless.parseCallback(signedCallback({ body }))).toMatchObject({ signed: false });
      expect(seen).toEqual([]);
      await careless.close();
      answers['/v2/public-key/http'] = { status: 403, body: [] };
      expect(await provider.parseCallback(signedCallback({ body }))).toMatchObject({ signed: false });
    });

    it.each([['[]'], ['null'], ['{'], ['{"payoutId":5}'], ['{"depositId":"x"}'], [Buffer.from([0xff, 0xfe])]])(
      'that cannot be read is about nobody: %s',
      async (odd) => {
        const reading = await provider.parseCallback(signedCallback({ body: odd }));
        expect(reading).toMatchObject({ signed: true, attemptIds: [] });
        expect(reading.answerFor(instruction())).toMatchObject({ outcome: 'query_failed' });
      },
    );
  });
});
