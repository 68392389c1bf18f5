import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { PayoutInstruction, ProviderAnswer, TooLate } from '@vuka/payouts';

import { PaymentReports } from '../../admin/payment-reports.js';
import { startPaymentsDatabase, type PaymentsDatabase } from '../../testing/payments-database.spec-support.js';
import {
  AMOUNT,
  FEE,
  FUNDS,
  type Harness,
  later,
  LEASE_MS,
  ScriptedProvider,
  startedHarness,
} from '../../testing/payout-harness.spec-support.js';
import { MISMATCH, NOT_FOUND, PAID, SUBMITTED, UNKNOWN } from '../../testing/provider-answers.spec-support.js';

/** The provider's own id of an attempt: kept once, used for every question, never replaced. */
let pg: PaymentsDatabase;

beforeAll(async () => {
  pg = await startPaymentsDatabase();
}, 60_000);
afterAll(() => pg.stopWhole());

const SPENT = FUNDS - AMOUNT - FEE;
const named = (answer: ProviderAnswer, providerPaymentId: string): ProviderAnswer =>
  ({ ...answer, providerPaymentId }) as ProviderAnswer;

/** Remembers the own ids that it was given. */
class NamingProvider extends ScriptedProvider {
  readonly given: (string | undefined)[] = [];
  override submit(instruction: PayoutInstruction): Promise<ProviderAnswer | TooLate> {
    this.given.push(instruction.providerPaymentId);
    return super.submit(instruction);
  }
  override query(instruction?: PayoutInstruction): Promise<ProviderAnswer> {
    this.given.push(instruction?.providerPaymentId);
    return super.query();
  }
}

async function harness(...script: ProviderAnswer[]): Promise<{ trip: Harness; provider: NamingProvider }> {
  const provider = new NamingProvider(script);
  return { trip: await startedHarness(pg, provider), provider };
}

async function kept(trip: Harness): Promise<unknown> {
  const rows = await pg.db.query<{ id: string | null }>(
    `select provider_payment_id as id from attempts where transaction_id = $1 order by attempt_no`,
    [trip.id],
  );
  return rows.map(({ id }) => id);
}

describe("a provider's own id", () => {
  it('is kept with the attempt, given to each question, and shown to operators', async () => {
    const { trip, provider } = await harness(named(SUBMITTED, 'P-1'), SUBMITTED, named(SUBMITTED, 'P-1'), PAID);
    await trip.call('submit');
    for (let polls = 0; polls < 3; polls++) await later(trip, 'poll');
    expect([await trip.state(), await kept(trip), provider.given]).toEqual([
      'COMPLETE',
      ['P-1'],
      [undefined, 'P-1', 'P-1', 'P-1'],
    ]);
    const report = await trip.partsWith().get(PaymentReports).report(trip.id);
    expect(report).toMatchObject({ attempts: [{ provider_payment_id: 'P-1' }] });
  });

  it('is kept where an answer that changes nothing tells it first', async () => {
    const { trip } = await harness(SUBMITTED, named(SUBMITTED, 'P-1'));
    await trip.call('submit');
    await later(trip, 'poll');
    expect([await trip.state(), await kept(trip)]).toEqual(['SUBMITTED', ['P-1']]);
  });

  it('is given to the repeat of a submit', async () => {
    const { trip, provider } = await harness(named(UNKNOWN, 'P-1'), NOT_FOUND, SUBMITTED);
    await trip.call('submit');
    await later(trip, 'poll');
    expect([await trip.state(), provider.given]).toEqual(['SUBMITTED', [undefined, 'P-1', 'P-1']]);
  });

  it.each([
    ['taken', named(SUBMITTED, 'P-2')],
    ['paid', named(PAID, 'P-2')],
    ['not paid', named({ outcome: 'not_paid', code: 'rail_rejected', routeLeft: true, detail: '' }, 'P-2')],
  ])('that is another one is a mismatch, whatever is said of it: %s', async (_, answer) => {
    const { trip } = await harness(named(SUBMITTED, 'P-1'), answer);
    await trip.call('submit');
    await later(trip, 'poll');
    expect([await trip.state(), await kept(trip), await trip.wallet(), await trip.posted()]).toEqual([
      'REVIEW',
      ['P-1'],
      SPENT,
      ['payout_held'],
    ]);
  });

  it('that is another one after the end is an incident: the payment stands', async () => {
    const { trip } = await harness(named(PAID, 'P-1'), named(PAID, 'P-2'));
    await trip.call('submit');
    await later(trip, 'watch', 2_000);
    expect([await trip.state(), await kept(trip), await trip.incidents(), await trip.posted()]).toEqual([
      'COMPLETE',
      ['P-1'],
      [{ event: 'mismatch', times: 1 }],
      ['payout_held', 'payout_settled'],
    ]);
  });

  it.each([
    ['is kept where none was', UNKNOWN, 'IN_DOUBT', ['P-1'], []],
    ['is a mismatch where the claim after it heard another one', named(SUBMITTED, 'P-2'), 'REVIEW', ['P-2'], []],
  ])('that a lapsed claim hears %s', async (_, taken, state, ids, incidents) => {
    const { trip, provider } = await harness();
    const [slow] = await trip.claim('submit');
    provider.submit = async () => {
      trip.clock.advance(LEASE_MS);
      provider.submit = () => Promise.resolve(taken);
      await trip.call('submit');
      return named(SUBMITTED, 'P-1');
    };
    await trip.caller.run('submit', slow!);
    expect([await trip.state(), await kept(trip), await trip.incidents()]).toEqual([state, ids, incidents]);
  });

  it('that a lapsed claim has kept is not replaced by the claim under way', async () => {
    const { trip, provider } = await harness();
    const [slow] = await trip.claim('submit');
    trip.clock.advance(LEASE_MS);
    provider.submit = async () => {
      await trip.claims.noteLapsed(slow!, 'P-1', trip.clock.now());
      return named(SUBMITTED, 'P-2');
    };
    await trip.call('submit');
    expect([await trip.state(), await kept(trip), await trip.wallet()]).toEqual(['REVIEW', ['P-1'], SPENT]);
  });

  it.each([['P\u00001'], [''], ['9'.repeat(500)]])('that cannot be kept as it is, is none: %j', async (id) => {
    const { trip } = await harness(named(SUBMITTED, id));
    await trip.call('submit');
    expect([await trip.state(), await kept(trip)]).toEqual(['SUBMITTED', [null]]);
  });

  it('is of one attempt: the next one has its own', async () => {
    const other = new ScriptedProvider([named(SUBMITTED, 'P-1')], false, 'sandbox_b');
    const first = new ScriptedProvider([
      named({ outcome: 'not_paid', code: 'rail_rejected', routeLeft: true, detail: '' }, 'P-1'),
    ]);
    const trip = await startedHarness(pg, first, other);
    await trip.call('submit');
    await trip.start();
    await trip.call('submit');
    expect([await trip.state(), await kept(trip)]).toEqual(['SUBMITTED', ['P-1', 'P-1']]);
  });
});

describe('a question whose answer comes by callback', () => {
  it('is asked by the schedule, of what is open and of what has ended, and is no event', async () => {
    const { trip, provider } = await harness(
      SUBMITTED,
      ...Array.from({ length: 3 }, () => ({ outcome: 'asked' }) as const),
    );
    Object.assign(provider.promises, { queryAnswersByCallback: true });
    await trip.call('submit');
    const before = (await trip.store.byId(trip.id))?.life.sequence;
    for (let polls = 0; polls < 3; polls++) expect(await later(trip, 'poll')).toBe(1);
    expect([(await trip.store.byId(trip.id))?.life.sequence, provider.submitted.length]).toEqual([before, 1]);
    provider.will(PAID, { outcome: 'asked' }, { outcome: 'asked' });
    await later(trip, 'poll');
    expect([await later(trip, 'watch', 2_000), await later(trip, 'watch', 1_000)]).toEqual([1, 0]);
    expect([await trip.state(), await trip.incidents()]).toEqual(['COMPLETE', []]);
  });

  it('is no reason to send an unanswered submit again', async () => {
    const { trip, provider } = await harness(UNKNOWN, { outcome: 'asked' }, MISMATCH);
    await trip.call('submit');
    await later(trip, 'poll');
    expect([await trip.state(), provider.submitted.length]).toEqual(['IN_DOUBT', 1]);
  });
});
