import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import type { ConnectedProvider } from '../payout-provider.js';
import type { RudeHarness } from './harness.js';
import { madeUpProvider, payable, questionFor, recordOf, signatureOf } from './made-up-provider.spec-support.js';
import { describeRudeSimulator } from './rude-provider.js';
import { type RudeServer, startRudeServer } from './rude-server.js';

const CREATED = { method: 'POST', answer: { status: 201, body: { recipient: 'r-1' } } } as const;

const harness: RudeHarness = {
  connect: madeUpProvider,
  payable,
  before: CREATED,
  payMethod: 'PUT',
  accepted: (payout) => ({ status: 200, body: recordOf(payout, { state: 'ACCEPTED' }) }),
  notFound: { status: 404, body: { gone: true } },
  paid: (payout) => ({ status: 200, body: recordOf(payout, { state: 'PAID', receipt: 'R-1', name: 'TEST' }) }),
  paidWithoutReceipt: (payout) => ({ status: 200, body: recordOf(payout, { state: 'PAID', name: 'TEST' }) }),
  paidWith: (receipt, name) => (payout) => ({ status: 200, body: recordOf(payout, { state: 'PAID', receipt, name }) }),
  unknownStatus: (payout) => ({ status: 200, body: recordOf(payout, { state: 'AT_THE_BANK' }) }),
  unknownFailure: (payout) => ({ status: 200, body: recordOf(payout, { state: 'FAILED', code: 'MOON_PHASE' }) }),
  documented: {
    'an empty 202': { submit: 'submitted', query: 'asked' },
    'status 503': { submit: 'deferred', query: 'query_failed' },
  },
  asked: { status: 202, body: undefined },
  approvals: { question: questionFor, forged: (payout) => questionFor(payout, signatureOf('something else')) },
};

describeRudeSimulator('a provider that does all that the port allows', { describe, it }, harness);

describe('a provider with an id of its own', () => {
  let server: RudeServer;
  let provider: ConnectedProvider;
  beforeEach(async () => {
    server = await startRudeServer(CREATED);
    provider = madeUpProvider({ baseUrl: server.baseUrl, credential: '', callTimeoutMs: 5_000 });
  });
  afterEach(async () => {
    await provider.close();
    await server.stop();
  });

  it('is sent what was signed, byte for byte, and asked by the id that it told', async () => {
    const payout = payable();
    server.answerWith(harness.accepted(payout));
    const answer = await provider.submit(payout);
    expect(answer).toEqual({ outcome: 'submitted', providerPaymentId: `own-${payout.attemptId}` });
    const sent = server.received().find(({ method }) => method === 'PUT');
    expect(sent?.headers['x-signature']).toBe(signatureOf(String(sent?.body)));
    await provider.query({ ...payout, providerPaymentId: `own-${payout.attemptId}` });
    expect(server.received().at(-1)?.path).toBe(`/payouts/own-${payout.attemptId}`);
  });

  it('that took a payment and has no float for it says whose fault that is', async () => {
    const payout = payable();
    server.answerWith({ status: 200, body: recordOf(payout, { state: 'FAILED', code: 'NO_FLOAT' }) });
    expect(await provider.query(payout)).toMatchObject({ outcome: 'not_paid', routeLeft: true, ourFault: 'float' });
  });
});
