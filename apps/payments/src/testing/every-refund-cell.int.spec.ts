import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DepositFacts } from '@vuka/contracts';
import { POSTINGS } from '@vuka/domain';
import type { ProviderAnswer } from '@vuka/payouts';

import { goldenChoices } from './golden-cells.spec-support.js';
import { fundProviders } from './pay-harness.spec-support.js';
import { ScriptedProvider } from './payout-harness.spec-support.js';
import type { RefundEvent } from '../refunds/record-refund.js';
import { RefundHarness } from './refund-harness.spec-support.js';
import { startPaymentsDatabase, type PaymentsDatabase } from './payments-database.spec-support.js';

/** Model test of refunds: each event in each state, against the reviewed golden copy. */
let pg: PaymentsDatabase;

beforeAll(async () => {
  pg = await startPaymentsDatabase();
  await fundProviders(pg);
}, 60_000);
afterAll(() => pg.stopWhole());

const REFUSED: ProviderAnswer = { outcome: 'not_paid', code: 'rail_rejected', routeLeft: false, detail: '' };
const HARNESS_TO: Readonly<Record<string, readonly RefundEvent['type'][]>> = {
  HELD: [],
  GRANTED: [],
  SIGNED: ['refund.signed'],
  BROADCAST: ['refund.signed', 'refund.broadcast'],
  CONFIRMED: ['refund.signed', 'refund.broadcast', 'refund.confirmed'],
  FAILED: ['refund.failed'],
};

interface Stand {
  readonly trip: RefundHarness;
  readonly deposit: DepositFacts;
  readonly refundId: number;
}

async function held(ofUnapplied: boolean): Promise<Stand> {
  const trip = new RefundHarness(pg, new ScriptedProvider([REFUSED]));
  if (!ofUnapplied) return { trip, ...(await trip.failedPay()) };
  const deposit = await trip.underpaid();
  return { trip, deposit, refundId: await trip.refunded() };
}

async function at(state: string, event: string, when: string): Promise<Stand> {
  const stand = await held(event !== 'refund.failed' || when === 'of unapplied value');
  const { trip, deposit, refundId } = stand;
  if (when === 'it failed by the reversal') await trip.reverted(deposit);
  else if (state === 'GRANTED') await trip.grants.run();
  else for (const step of HARNESS_TO[state] ?? []) await trip.tellRefund(step, refundId);
  if (when === 'the deposit was reverted') await trip.reverted(deposit);
  const { state: now } = await trip.refundCheck(refundId);
  expect(now).toBe(state);
  return stand;
}

function spoken({ trip, refundId }: Stand, event: string, when: string): () => Promise<unknown> {
  if (event === 'refund.granted') return () => trip.grants.run();
  const said = trip.refundEvent(event as RefundEvent['type'], refundId, {
    ...(when === 'older than what was told' ? { sequence: 1 } : {}),
    ...(when === 'another transfer' ? { hash: '0xanother' } : {}),
    ...(when === 'because the deposit vanished' ? { reason: 'deposit_reverted' as const } : {}),
  });
  return () => trip.records.run(said);
}

async function check({ trip, refundId }: Stand): Promise<{ state: string; postings: string[]; incidents: number }> {
  const { state } = await trip.refundCheck(refundId);
  const incidents = (await trip.incidents()).reduce((sum, { times }) => sum + times, 0);
  return { state, postings: [...(await trip.posted())].sort(), incidents };
}

type Check = Awaited<ReturnType<typeof check>>;

function expected(before: Check, then: string): Check {
  const words = then.split(' ').filter((word) => !['!', 'ignore', 'record'].includes(word));
  const [state = before.state] = words.filter((word) => word in HARNESS_TO);
  const posted = words
    .filter((word) => word.split('+').every((name) => name in POSTINGS))
    .flatMap((word) => word.split('+'));
  return {
    state,
    postings: [...before.postings, ...posted].sort(),
    incidents: before.incidents + (then.startsWith('!') ? 1 : 0),
  };
}

/** A reversal before the signature fails the refund in its commit, so these states cannot have one. */
const cells = goldenChoices('refund', 0).filter(
  ([state, , when]) => !((state === 'HELD' || state === 'GRANTED') && when === 'the deposit was reverted'),
);

describe('every event of a refund in every state', () => {
  it('is written down', () => {
    expect(cells).toHaveLength(54);
  });

  it.each(cells)('%s + %s (%s): %s; and once more changes nothing', async (state, event, when, then) => {
    const stand = await at(state, event, when);
    const before = await check(stand);
    const said = spoken(stand, event, when);
    await said();
    const after = expected(before, then);
    expect(await check(stand)).toEqual(after);
    await Promise.all([said(), said()]);
    expect(await check(stand)).toEqual(after);
    if (when === 'another transfer' && then === 'record')
      expect((await stand.trip.refundCheck(stand.refundId)).transaction_hash).toBe('0xanother');
  });
});
