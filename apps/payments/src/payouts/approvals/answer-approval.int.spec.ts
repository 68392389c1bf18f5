import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ok } from '@vuka/domain';
import type { ApprovalProvider, ApprovalReading, ApprovalReply, ProviderCallback } from '@vuka/payouts';
import { Metrics } from '@vuka/runtime';
import { CALLBACK_TOKENS, LOGGER } from '@vuka/service-host';

import type { Parts } from '../../testing/parts.spec-support.js';
import { startPaymentsDatabase, type PaymentsDatabase } from '../../testing/payments-database.spec-support.js';
import { type Harness, ScriptedProvider, startedHarness } from '../../testing/payout-harness.spec-support.js';
import { SUBMITTED } from '../../testing/provider-answers.spec-support.js';
import { AnswerApproval, type AnswerApprovalInput, DECIDED_WITHIN_MS } from './answer-approval.js';

let pg: PaymentsDatabase;

beforeAll(async () => {
  pg = await startPaymentsDatabase();
}, 60_000);
afterAll(() => pg.stopWhole());

const TOKEN = 'a1'.repeat(32);
const PREVIOUS = 'b2'.repeat(32);
const YES = ok({ status: 200, content_type: 'application/json', body: '{"approve":true}' });
const NO = ok({ status: 400, content_type: 'application/json', body: '{"approve":false}' });
const NOBODYS = { ok: false, error: { code: 'not_found', message: 'No provider has this path' } };

class AskingProvider extends ScriptedProvider implements ApprovalProvider {
  questions: ProviderCallback[] = [];
  read: () => Promise<Partial<ApprovalReading>> = async () => ({});
  async decideApproval(question: ProviderCallback): Promise<ApprovalReading> {
    this.questions.push(question);
    const reading = await this.read();
    return { signed: true, detail: '', attemptIds: this.submitted.slice(-1), differenceFrom: () => null, ...reading };
  }
  approvalReply(approve: boolean): ApprovalReply {
    return { status: approve ? 200 : 400, contentType: 'application/json', body: JSON.stringify({ approve }) };
  }
}

let trip: Harness;
let provider: AskingProvider;
let parts: Parts;
let logged: Record<string, unknown>[];

beforeEach(async () => {
  provider = new AskingProvider([SUBMITTED]);
  trip = await startedHarness(pg, provider);
  await trip.call('submit');
  logged = [];
  const log = { error: (fields: Record<string, unknown>) => logged.push(fields), warn: () => undefined };
  parts = trip.partsWith([CALLBACK_TOKENS, new Map([['sandbox', [TOKEN, PREVIOUS]]])], [LOGGER, log]);
});

const ask = (more: Partial<AnswerApprovalInput> = {}): ReturnType<AnswerApproval['run']> =>
  parts.get(AnswerApproval).run({
    provider: 'sandbox',
    token: TOKEN,
    method: 'POST',
    host: 'vuka.example.com',
    path: `/approvals/sandbox/${TOKEN}`,
    headers: [
      ['X-Signature', 'a'],
      ['X-Signature', 'b'],
    ],
    body: Buffer.from([0x7b, 0xff]).toString('base64'),
    ...more,
  });

async function counted(): Promise<string[]> {
  const lines = (await parts.get(Metrics).text()).split('\n');
  return lines.flatMap((line) => /^vuka_approvals_total\{.*answer="(\w+)".*\} (\d+)/.exec(line)?.slice(1, 3).join(' ') ?? []); // prettier-ignore
}

describe('the answer to a provider that asks before it pays', () => {
  it('is in its words, by the current path and the previous one, of what it sent', async () => {
    expect([await ask(), await ask({ token: PREVIOUS })]).toEqual([YES, YES]);
    expect(provider.questions[0]).toMatchObject({ method: 'POST', headers: { 'X-Signature': ['a', 'b'] } });
    expect(Buffer.from(provider.questions[0]!.body)).toEqual(Buffer.from([0x7b, 0xff]));
    provider.read = async () => ({ attemptIds: [] });
    expect(await ask()).toEqual(NO);
    provider.read = async () => ({ signed: false });
    expect(await ask()).toEqual(NO);
    expect(await counted()).toEqual(['approved 2', 'unknown_id 1', 'not_signed 1']);
  });

  it('is a refusal where it cannot be decided, and an alarm', async () => {
    provider.read = () => Promise.reject(new Error('a bug'));
    expect(await ask()).toEqual(NO);
    expect(logged).toMatchObject([{ code: 'approval_refused', provider: 'sandbox', why: 'trouble' }]);
    expect(await counted()).toEqual(['trouble 1']);
  });

  it('is a refusal where the decision comes late, also when it then is yes', async () => {
    let release = (): void => undefined;
    provider.read = () => new Promise((resolve) => (release = () => resolve({})));
    const from = performance.now();
    expect(await ask()).toEqual(NO);
    expect(performance.now() - from).toBeLessThan(DECIDED_WITHIN_MS + 400);
    release();
    expect(await counted()).toEqual(['trouble 1']);
  });

  it('is none at a path of no provider that asks', async () => {
    expect(await ask({ token: 'c3'.repeat(32) })).toEqual(NOBODYS);
    expect(await ask({ provider: 'other' })).toEqual(NOBODYS);
    const silent = trip.partsWith([CALLBACK_TOKENS, new Map()]);
    parts = silent;
    expect(await ask()).toEqual(NOBODYS);
    expect(provider.questions).toEqual([]);
  });
});
