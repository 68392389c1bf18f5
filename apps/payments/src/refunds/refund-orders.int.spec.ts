import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { money } from '@vuka/domain';
import type { DepositFacts } from '@vuka/contracts';
import { PermanentEventError } from '@vuka/messaging';
import type { ProviderAnswer } from '@vuka/payouts';
import { atDepth } from '@vuka/testing';
import fc from 'fast-check';

import { fundProviders } from '../testing/pay-harness.spec-support.js';
import { AMOUNT, ScriptedProvider } from '../testing/payout-harness.spec-support.js';
import { RefundModel, type AuditEntry, type ModelWorld, type Place } from '../testing/refund-model.spec-support.js';
import { RefundHarness } from '../testing/refund-harness.spec-support.js';
import { startPaymentsDatabase, type PaymentsDatabase } from '../testing/payments-database.spec-support.js';

/**
 * In every order of grant, refund events, late payout answers, reversal and requests: the value leaves once and
 * ends where the model says. At the end nothing is left to handle.
 */
let pg: PaymentsDatabase;

beforeAll(async () => {
  pg = await startPaymentsDatabase();
  await fundProviders(pg);
}, 60_000);
afterAll(() => pg.stop());

/** A refund that also vanished is more than the chain has; these untouched deposits cover it. */
const MORE_THAN_VANISHES = '1000000000';
const REFUSED: ProviderAnswer = { outcome: 'not_paid', code: 'rail_rejected', routeLeft: false, detail: '' };
const PAID: ProviderAnswer = {
  outcome: 'succeeded',
  receipt: 'R1',
  publicName: null,
  amount: money(AMOUNT, 'KES'),
  recipient: '1',
};
const CAME_BACK: ProviderAnswer = { outcome: 'reversed', receipt: 'R1', publicName: null, detail: '' };

/** Answers what is true at that moment. */
class TruthfulProvider extends ScriptedProvider {
  truth = REFUSED;
  constructor() {
    super([REFUSED]);
  }
  override query(): Promise<ProviderAnswer> {
    return Promise.resolve(this.truth);
  }
}

/** The real outcome of one refund, and the order in which payments hears of it. */
interface World extends ModelWorld {
  readonly end: 'none' | 'confirmed' | 'failed';
  /** After "not paid". */
  readonly late: 'nothing' | 'pays' | 'pays and takes back';
  readonly order: readonly number[];
  readonly twice: readonly boolean[];
  readonly atOnce: boolean;
}

const MOST_ACTS = 10;
const world: fc.Arbitrary<World> = fc.record({
  asked: fc.boolean(),
  end: fc.constantFrom('none', 'confirmed', 'failed'),
  late: fc.constantFrom('nothing', 'pays', 'pays and takes back'),
  vanishes: fc.boolean(),
  saysWhy: fc.boolean(),
  credits: fc.boolean(),
  order: fc.array(fc.nat(1000), { minLength: MOST_ACTS, maxLength: MOST_ACTS }),
  twice: fc.array(fc.boolean(), { minLength: MOST_ACTS, maxLength: MOST_ACTS }),
  atOnce: fc.boolean(),
});

interface Begun {
  readonly trip: RefundHarness;
  readonly provider: TruthfulProvider;
  readonly deposit: DepositFacts;
  readonly refundId: number;
}

async function begin({ asked }: World): Promise<Begun> {
  const provider = new TruthfulProvider();
  const trip = new RefundHarness(pg, provider);
  if (!asked) return { trip, provider, ...(await trip.failedPay()) };
  const deposit = await trip.underpaid();
  const refundId = await trip.refunded();
  // Policy comes after the request, which was just now.
  trip.clock.advance(60_000);
  return { trip, provider, deposit, refundId };
}

type Heard = readonly [act: AuditEntry, tell: () => Promise<unknown>];

/** Sequences follow the real order, and later provider actions stay later. */
function heard(
  { asked, end, late, vanishes, saysWhy, credits }: World,
  { trip, provider, deposit, refundId }: Begun,
): Heard[] {
  const signed = trip.refundEvent('refund.signed', refundId);
  const broadcast = trip.refundEvent('refund.broadcast', refundId);
  const ended =
    end === 'confirmed'
      ? trip.refundEvent('refund.confirmed', refundId)
      : trip.refundEvent('refund.failed', refundId, {
          reason: vanishes && saysWhy ? 'deposit_reverted' : 'transfer_failed',
        });
  const reverted = trip.event('deposit.reverted', { deposit });
  const credited = trip.event('deposit.credited', { deposit, currency: 'KES', rate: '129.3517' });
  const says = (truth: ProviderAnswer) => async (): Promise<void> => {
    if (provider.truth !== CAME_BACK) provider.truth = truth;
    await check({ trip });
  };
  return [
    ['grant', () => trip.grants.run()],
    ['signed', () => trip.records.run(signed)],
    ['broadcast', () => trip.records.run(broadcast)],
    ...(end === 'none' ? [] : [[end, () => trip.records.run(ended)] as Heard]),
    ...(vanishes ? [['reverted', () => trip.reversals.run(reverted)] as Heard] : []),
    ...(credits && asked ? [['credited', () => trip.credits.run(credited)] as Heard] : []),
    ...(late === 'nothing' || asked ? [] : [['paid', says(PAID)] as Heard]),
    ...(late === 'pays and takes back' && !asked ? [['cameBack', says(CAME_BACK)] as Heard] : []),
    ['request', () => trip.requestRefund()],
  ];
}

async function check({ trip }: Pick<Begun, 'trip'>): Promise<void> {
  await trip.attempts.checkAtOnce(trip.id, 1, trip.clock.now());
  await trip.call('watch');
}

/** Dead letters are ignored; an event that was overtaken three times is redelivered. */
async function hand(tell: () => Promise<unknown>): Promise<void> {
  for (let tries = 0; tries < 5; tries++) {
    try {
      await tell();
      return;
    } catch (error) {
      if (error instanceof PermanentEventError) return;
      if (tries === 4) throw error;
    }
  }
}

function mixed({ order, twice }: World, all: readonly Heard[]): Heard[] {
  const told = all.flatMap((one, n) => (twice[n] ? [one, one] : [one]));
  const shuffled = told
    .map((one, n) => [(order[n % order.length]! * (n + 1)) % 997, one] as const)
    .sort(([one], [other]) => one - other)
    .map(([, one]) => one);
  // The event bus keeps the order of one refund's events; only redeliveries come late.
  const [asTheyHappened, asTheyCame] = [all, [...new Set(shuffled)]].map((list) => list.filter(isOfframps)) as [
    Heard[],
    Heard[],
  ];
  return shuffled.map((one) => (isOfframps(one) ? asTheyHappened[asTheyCame.indexOf(one)]! : one));
}

const isOfframps = ([act]: Heard): boolean => RefundModel.OFFRAMPS.has(act);

/** One by one. offramp reports only granted refunds, except what people gave up. */
async function inOrder(of: World, begun: Begun): Promise<RefundModel> {
  const model = new RefundModel(of);
  for (const [act, tell] of mixed(of, heard(of, begun))) {
    for (const one of model.happens(act, tell)) await hand(one);
  }
  return model;
}

/** All at once; offramp's events follow the grant, once per time they come. */
async function allAtOnce(of: World, begun: Begun): Promise<void> {
  const all = mixed(of, heard(of, begun));
  const told = (acts: readonly Heard[]): Promise<unknown> => Promise.all(acts.map(([, tell]) => hand(tell)));
  const granted = async (): Promise<void> => {
    await told(all.filter(([act]) => act === 'grant'));
    if (!(await isGranted(begun))) return;
    for (const act of RefundModel.OFFRAMPS) await told(all.filter(([one]) => one === act));
  };
  await Promise.all([granted(), told(all.filter((one) => !isOfframps(one) && one[0] !== 'grant'))]);
  // An interrupted query is repeated at the next poll.
  if (!of.asked) await check(begun);
}

const isGranted = async ({ trip, refundId }: Begun): Promise<boolean> =>
  (await trip.toldOf(refundId)).includes('refund.granted');

async function placesAllowed(
  { asked, vanishes, credits }: World,
  { trip, provider, deposit, refundId }: Begun,
): Promise<Place[]> {
  if (vanishes) return ['reverted'];
  const { state, failure } = await trip.refundCheck(refundId);
  if (state === 'HELD' || state === 'GRANTED') return ['refunding'];
  if (state !== 'FAILED') return ['refunded'];
  if (failure === 'paid_after_all') return [provider.truth === PAID ? 'funding' : 'credited'];
  if (!asked) return ['credited'];
  const [again] = await pg.db.query(`select from refunds where deposit_id = $1 and state <> 'FAILED'`, [
    deposit.deposit_id,
  ]);
  return again ? ['refunding'] : [credits ? 'credited' : 'unapplied'];
}

/** A whole deposit is worth `worth` in the wallet's currency. */
async function expectConserved({ end, vanishes }: World, begun: Begun): Promise<void> {
  const { trip, provider, deposit } = begun;
  const received = BigInt(deposit.received_minor);
  const worth = (received * 1_293_517n * 100n) / (10_000n * 1_000_000n);
  const { unapplied = 0n, refunding = 0n, wallet = 0n, chain = 0n, owed = 0n } = await trip.money();
  const left = (vanishes ? 0n : 1n) - (end === 'confirmed' && (await isGranted(begun)) ? 1n : 0n);
  const behind = (await trip.depositStates())[0]?.[1] === 'funding' ? worth - AMOUNT : 0n;
  const paid = provider.truth === PAID ? AMOUNT : 0n;
  expect([chain, (unapplied + refunding) * worth + (wallet + owed) * received]).toEqual([
    -left * received,
    (left * worth - paid) * received,
  ]);
  // A payout from the deposit itself leaves the surplus, and no debt.
  if (behind > 0n) expect([wallet, owed, refunding]).toEqual([behind, 0n, 0n]);
}

/** Each step once, in its place; the outcome last. */
async function expectTold({ trip, refundId }: Begun): Promise<void> {
  const rows = await pg.db.query<{ told: string; sequence: number }>(
    `select envelope::jsonb -> 'data' ->> 'told' as told, sequence from outbox where key = $1 and topic = 'payments.transaction.events.v1' order by sequence`,
    [String(refundId)],
  );
  expect(new Set(rows.map(({ sequence }) => sequence)).size).toBe(rows.length);
  const { state } = await trip.refundCheck(refundId);
  const last = {
    HELD: 'refund.held',
    GRANTED: 'refund.held',
    SIGNED: null,
    BROADCAST: 'refund.sent',
    CONFIRMED: 'refund.confirmed',
    FAILED: 'refund.failed',
  }[state];
  expect(rows[0]?.told).toBe('refund.held');
  if (last !== null) expect(rows.at(-1)?.told).toBe(last);
}

describe("orders of a refund's events, its grant and its payout's late news", () => {
  it('leave the value where the model says, the partner what was left to it, and the ledger at zero', async () => {
    const whale = new RefundHarness(pg);
    await whale.underpaid(whale.facts({ received_minor: MORE_THAN_VANISHES }));
    await fc.assert(
      fc.asyncProperty(world, async (of) => {
        const begun = await begin(of);
        const model = of.atOnce ? await allAtOnce(of, begun) : await inOrder(of, begun);
        const [place] = (await begun.trip.depositStates()).map(([, state]) => state);
        expect([place]).toEqual(await placesAllowed(of, begun));
        if (model)
          expect({
            place,
            refund: (await begun.trip.refundCheck(begun.refundId)).state,
            owes: (await begun.trip.money()).owed! < 0n,
          }).toEqual(model.end());
        await expectConserved(of, begun);
        await expectTold(begun);
      }),
      { numRuns: atDepth({ commit: 30, whole: 200 }) },
    );
    expect(await pg.broken()).toEqual([]);
  }, 240_000);
});
