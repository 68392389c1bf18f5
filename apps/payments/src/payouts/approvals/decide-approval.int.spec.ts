import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { money } from '@vuka/domain';
import type {
  ApprovalProvider,
  ApprovalReading,
  ApprovalReply,
  PayoutInstruction,
  ProviderAnswer,
  ProviderCallback,
} from '@vuka/payouts';
import type { Logger } from '@vuka/runtime';
import { LOGGER } from '@vuka/service-host';

import { startPaymentsDatabase, type PaymentsDatabase } from '../../testing/payments-database.spec-support.js';
import {
  AMOUNT,
  type Harness,
  later,
  LEASE_MS,
  ScriptedProvider,
  startedHarness,
} from '../../testing/payout-harness.spec-support.js';
import { proposed } from '../../testing/settlement-harness.spec-support.js';
import {
  MISMATCH,
  NO_FLOAT,
  NOT_FOUND,
  NOT_PAID,
  NOT_PAID_HERE,
  PAID,
  SUBMITTED,
  UNKNOWN,
} from '../../testing/provider-answers.spec-support.js';
import { type ApprovalDecision, DecideApproval } from './decide-approval.js';

/** A provider that asks before it pays hears yes only of what is out, exactly as instructed. */
let pg: PaymentsDatabase;

beforeAll(async () => {
  pg = await startPaymentsDatabase();
}, 60_000);
afterAll(() => pg.stopWhole());

const QUESTION: ProviderCallback = { method: 'POST', host: 'x', path: '/', headers: {}, body: new Uint8Array() };
const TO = { kind: 'bank', account_number: '1234567890', bank_code: '01', bank_name: 'KCB Bank Kenya' } as const;

/** Asks what the test sets. */
class AskingProvider extends ScriptedProvider implements ApprovalProvider {
  asks: { signed?: boolean; attemptIds?: string[]; providerPaymentId?: string; differs?: string } = {};
  asked: PayoutInstruction | null = null;
  decideApproval(): Promise<ApprovalReading> {
    const { signed = true, attemptIds = this.submitted.slice(-1), providerPaymentId, differs } = this.asks;
    return Promise.resolve({
      signed,
      detail: signed ? '' : 'no signature',
      attemptIds,
      ...(providerPaymentId !== undefined && { providerPaymentId }),
      differenceFrom: (instruction) => {
        this.asked = instruction;
        return differs ?? null;
      },
    });
  }
  approvalReply(isApproved: boolean): ApprovalReply {
    return { status: isApproved ? 200 : 403, contentType: 'text/plain', body: '' };
  }
}

let alarms: Record<string, unknown>[];
beforeEach(() => {
  alarms = [];
});

function decide(trip: Harness, provider: AskingProvider): Promise<ApprovalDecision> {
  const log = { error: (fields: Record<string, unknown>) => alarms.push(fields), warn: () => undefined };
  return trip
    .partsWith([LOGGER, log as unknown as Logger])
    .get(DecideApproval)
    .run(provider, QUESTION);
}

async function asking(...script: ProviderAnswer[]): Promise<{ trip: Harness; provider: AskingProvider }> {
  const provider = new AskingProvider(script);
  return { trip: await startedHarness(pg, provider), provider };
}

const YES = { isApproved: true };
const no = (why: string) => ({ isApproved: false, why });

describe('a question for approval', () => {
  it('while the call is under way is answered yes, of the committed attempt', async () => {
    const { trip, provider } = await asking();
    provider.submit = async ({ attemptId }) => {
      provider.submitted.push(attemptId);
      expect(await decide(trip, provider)).toEqual(YES);
      return SUBMITTED;
    };
    await trip.call('submit');
    expect(provider.asked).toMatchObject({ amount: money(AMOUNT, 'KES'), destination: TO, orderId: String(trip.id) });
    expect([await trip.state(), alarms]).toEqual(['SUBMITTED', []]);
  });

  it.each([
    ['SUBMITTED', SUBMITTED],
    ['IN_DOUBT', UNKNOWN],
  ])('of what is %s is answered yes, each time', async (state, answer) => {
    const { trip, provider } = await asking(answer);
    await trip.call('submit');
    expect([await trip.state(), await decide(trip, provider), await decide(trip, provider)]).toMatchObject([
      state,
      YES,
      YES,
    ]);
  });

  it('tells that the provider has our id: it is not sent again, and "not found" proves nothing', async () => {
    const { trip, provider } = await asking(UNKNOWN, NOT_FOUND, NOT_FOUND);
    Object.assign(provider.promises, { notFoundProvesAfterMs: 1_000 });
    await trip.call('submit');
    expect(await decide(trip, provider)).toMatchObject(YES);
    for (let polls = 0; polls < 2; polls++) await later(trip, 'poll', 600_000);
    expect([await trip.state(), provider.submitted.length]).toEqual(['IN_DOUBT', 1]);
  });

  it('makes "put off" no proof that nothing was taken', async () => {
    const { trip, provider } = await asking();
    provider.submit = async ({ attemptId }) => {
      provider.submitted.push(attemptId);
      await decide(trip, provider);
      return NO_FLOAT;
    };
    await trip.call('submit');
    expect(await trip.state()).toBe('SUBMITTING');
    trip.clock.advance(60_000);
    await trip.call('submit');
    await trip.start();
    expect([await trip.state(), provider.submitted.length]).toEqual(['IN_DOUBT', 1]);
  });

  it.each([
    ['paid', PAID, 'PAID'],
    ['not paid', NOT_PAID, 'NOT_PAID'],
    ['not paid here', NOT_PAID_HERE, 'NOT_PAID'],
    ['put off', NO_FLOAT, 'NOT_PAID'],
  ])('of what has ended as %s is answered no, and the provider is asked', async (_, answer, state) => {
    const { trip, provider } = await asking(answer);
    await trip.call('submit');
    expect(await decide(trip, provider)).toMatchObject({ ...no('not_payable'), detail: `the attempt is ${state}` });
    expect(alarms).toMatchObject([{ code: 'approval_refused', why: 'not_payable', transaction_id: trip.id }]);
    provider.will(UNKNOWN);
    expect(await trip.call('watch')).toBe(1);
  });

  it('whose call has outlived its lease is answered no', async () => {
    const { trip, provider } = await asking();
    const [attempt] = await trip.claim('submit');
    provider.asks = { attemptIds: [attempt!.providerReference] };
    trip.clock.advance(LEASE_MS - 1);
    expect(await decide(trip, provider)).toMatchObject(YES);
    trip.clock.advance(1);
    expect(await decide(trip, provider)).toMatchObject({ ...no('not_payable'), detail: 'the attempt is SENDING' });
  });

  it('twice at once is answered yes twice, of one payment of the provider’s; of two, once', async () => {
    const { trip, provider } = await asking(SUBMITTED);
    await trip.call('submit');
    const answers = async (...ids: string[]): Promise<boolean[]> => {
      const asked = ids.map((providerPaymentId) => {
        const asks = new AskingProvider([]);
        asks.asks = { attemptIds: provider.submitted, providerPaymentId };
        return decide(trip, asks);
      });
      return (await Promise.all(asked)).map(({ isApproved }) => isApproved);
    };
    expect((await answers('P-1', 'P-2')).filter(Boolean)).toHaveLength(1);
    const [row] = await pg.db.query<{ kept: string }>(
      'select provider_payment_id as kept from attempts where transaction_id = $1',
      [trip.id],
    );
    expect(['P-1', 'P-2']).toContain(row!.kept);
    expect(await answers(row!.kept, row!.kept)).toEqual([true, true]);
  });

  it('of what was never sent is answered no', async () => {
    const { trip, provider } = await asking();
    const { attempts } = await trip.attempts.historyOf(trip.id);
    provider.asks = { attemptIds: [attempts[0]!.providerReference] };
    expect(await decide(trip, provider)).toMatchObject(no('not_payable'));
  });

  it('of what is in review, or settled by people, is answered no', async () => {
    const { trip, provider } = await asking(MISMATCH);
    await trip.call('submit');
    expect([await trip.state(), await decide(trip, provider)]).toMatchObject(['REVIEW', no('not_payable')]);
    const doubt = await asking(UNKNOWN);
    await doubt.trip.call('submit');
    doubt.trip.clock.advance(1_000);
    expect(await doubt.trip.claim('poll')).toHaveLength(1);
    const settlementId = await proposed(doubt.trip);
    await doubt.trip.settle.approve({ settlementId, by: 'Ben' });
    expect([await doubt.trip.state(), await decide(doubt.trip, doubt.provider)]).toMatchObject([
      'IN_DOUBT',
      no('not_payable'),
    ]);
  });

  it('of a partner that people have frozen is answered no', async () => {
    const { trip, provider } = await asking(SUBMITTED);
    await trip.call('submit');
    await pg.db.query(
      `insert into freezes (partner_id, reason, frozen_by, frozen_at) values ($1, 'ticket 9', 'Ann', $2)`,
      [trip.partner, trip.clock.now()],
    );
    expect(await decide(trip, provider)).toMatchObject(no('not_payable'));
  });

  it('of an older attempt is answered no while a later one is out, and of that one yes', async () => {
    const provider = new AskingProvider([NOT_PAID_HERE]);
    const other = new AskingProvider([SUBMITTED], false, 'sandbox_b');
    const trip = await startedHarness(pg, provider, other);
    await trip.call('submit');
    await trip.start();
    await trip.call('submit');
    expect([await decide(trip, provider), await decide(trip, other)]).toMatchObject([no('not_payable'), YES]);
    provider.will(SUBMITTED);
    await later(trip, 'watch', 2_000);
    expect([await trip.incidents(), await decide(trip, other)]).toMatchObject([
      [{ event: 'submitted' }],
      no('not_payable'),
    ]);
  });

  it('of another amount, currency or recipient is answered no', async () => {
    const { trip, provider } = await asking(SUBMITTED);
    await trip.call('submit');
    provider.asks = { differs: 'amount' };
    expect(await decide(trip, provider)).toMatchObject({ ...no('differs'), detail: 'amount' });
  });

  it('under another id of its own is answered no; under the same one, yes', async () => {
    const { trip, provider } = await asking({ ...SUBMITTED, providerPaymentId: 'P-1' } as ProviderAnswer);
    await trip.call('submit');
    provider.asks = { providerPaymentId: 'P-2' };
    expect(await decide(trip, provider)).toMatchObject(no('not_payable'));
    provider.asks = { providerPaymentId: 'P-1' };
    expect(await decide(trip, provider)).toMatchObject(YES);
  });

  it('of an id that is not ours, or another provider’s, is answered no', async () => {
    const { trip, provider } = await asking(SUBMITTED);
    await trip.call('submit');
    const [ours] = provider.submitted;
    for (const attemptIds of [[], ['no uuid'], ['00000000-0000-4000-8000-00000000abcd']]) {
      provider.asks = { attemptIds };
      expect(await decide(trip, provider)).toMatchObject(no('unknown_id'));
    }
    const stranger = new AskingProvider([], true, 'sandbox_b');
    stranger.asks = { attemptIds: [ours!] };
    expect(await decide(trip, stranger)).toMatchObject(no('unknown_id'));
    provider.asks = { attemptIds: ['00000000-0000-4000-8000-00000000abcd', ours!] };
    expect(await decide(trip, provider)).toMatchObject(YES);
  });

  it('that is not signed is answered no, changes nothing, and wakes nobody', async () => {
    const { trip, provider } = await asking(UNKNOWN, NOT_FOUND, SUBMITTED);
    await trip.call('submit');
    provider.asks = { signed: false };
    expect([await decide(trip, provider), alarms]).toMatchObject([no('not_signed'), []]);
    await later(trip, 'poll');
    expect(provider.submitted).toHaveLength(2);
  });
});
