import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { atDepth, drawn } from '@vuka/testing';

import { dice } from '../payout-chaos.spec-support.js';
import { startPaymentsDatabase, type PaymentsDatabase } from '../payments-database.spec-support.js';
import type { Troubles } from './payments-process.spec-support.js';
import { type Ended, SimulatedPayouts } from './simulated-payouts.spec-support.js';
import type { BookedPayment } from './simulator-row.spec-support.js';
import { SIMULATORS } from './simulators.spec-support.js';

/**
 * Thousands of payouts through a provider that misbehaves in every way its simulator knows, while processes of ours
 * die, pause and lose answers. The provider's own book decides what is true.
 */
const PAYOUTS = Number(process.env['VUKA_TEST_PAYOUTS'] ?? atDepth({ commit: 160, whole: 2_000 }));
const SEED = Number(process.env['VUKA_TEST_PAYOUTS_SEED'] ?? process.env['VUKA_TEST_DRAW'] ?? 1);
const LIMIT_MS = 120_000 + PAYOUTS * 400;

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
/** Rounds of trouble: how many, and how long each one may be. Payouts come in during the first. */
const PAYING = { rounds: 24, ms: 15 * SECOND_MS };
const TROUBLED = [PAYING, { rounds: 24, ms: 2 * MINUTE_MS }, { rounds: 10, ms: 12 * MINUTE_MS }];
/** Beyond what "not found" takes to prove something, and what people wait for a provider. */
const CALM_ROUNDS = 14;
const CALM_MS = 20 * MINUTE_MS;
const TROUBLES: Troubles = {
  diesClaimed: 0.05,
  diesAnswered: 0.05,
  diesCalledBack: 0.1,
  pauses: 0.05,
  restarts: 0.1,
};

const stands = (payments: readonly BookedPayment[]): readonly BookedPayment[] =>
  payments.filter(({ reversed }) => !reversed);

async function playTrouble(payouts: SimulatedPayouts, random: () => number): Promise<void> {
  payouts.trouble(TROUBLES, () => {
    const fate = random();
    return fate < 0.1 ? 'lost' : fate < 0.2 ? 'unanswered' : 'kept';
  });
  let left = PAYOUTS;
  for (const { rounds, ms } of TROUBLED)
    for (let round = 0; round < rounds; round += 1) {
      const count = Math.min(left, Math.ceil(PAYOUTS / PAYING.rounds));
      left -= count;
      await payouts.pay(count);
      await payouts.round(Math.ceil(random() * ms));
    }
}

/** Everything that has not ended is listed, and two people end it. */
async function settleWhatIsStuck(payouts: SimulatedPayouts): Promise<number> {
  let settled = 0;
  for (;;) {
    await payouts.catchUp();
    const open = await payouts.open();
    if (open.length === 0) return settled;
    const { in_doubt, review, parked, overdue, cut } = await payouts.stuck();
    expect({ parked, overdue }).toEqual({ parked: [], overdue: [] });
    const listed = [...in_doubt, ...review];
    const ids = listed.map(({ transaction_id }) => transaction_id).sort((a, b) => a - b);
    if (cut.length === 0) expect(ids).toEqual(open.map(({ id }) => id));
    else expect(ids.length).toBeGreaterThan(0);
    for (const one of listed) await payouts.settle(one);
    await payouts.executeSettlements();
    settled += listed.length;
  }
}

/** So many have met every number. */
const SURELY_ALL = 1_000;

describe.each(drawn('which provider misbehaves', SIMULATORS, 1))('payouts by $id, which misbehaves', (row) => {
  let pg: PaymentsDatabase;
  beforeAll(async () => {
    pg = await startPaymentsDatabase();
  }, 60_000);
  afterAll(() => pg.stopWhole());

  it(
    `are paid once at most, and end as its book has them (VUKA_TEST_PAYOUTS=${PAYOUTS} VUKA_TEST_PAYOUTS_SEED=${SEED})`,
    async () => {
      const random = dice(SEED);
      const payouts = await SimulatedPayouts.start(pg, row, random);
      try {
        await playTrouble(payouts, random);
        payouts.calmDown();
        for (let round = 0; round < CALM_ROUNDS; round += 1) await payouts.round(CALM_MS);
        const settled = await settleWhatIsStuck(payouts);
        await payouts.resolveIncidents();
        await payouts.postFees();

        const ended = await payouts.ended();
        const returned = await expectTrue(payouts, ended);
        await expectFloat(payouts, returned);
        expect(await pg.broken()).toEqual([]);
        const counts = countsOf(ended);
        // The dice must have produced these ends.
        for (const state of ['COMPLETE', 'FAILED']) expect([state, counts[state] ?? 0]).not.toEqual([state, 0]);
        expect(settled).toBeGreaterThan(0);
        const outcomes = await payouts.callbackOutcomes();
        expect(Object.keys(outcomes)).toEqual(expect.arrayContaining(['recorded', 'known', 'asked']));
        // About a payout of nobody, which few numbers bring: where its id has no form of ours, it cannot be read.
        if (PAYOUTS >= SURELY_ALL)
          expect((outcomes['unknown'] ?? 0) + (outcomes['unreadable'] ?? 0)).toBeGreaterThan(0);
        expect(outcomes['open'] ?? 0).toBe(0);
        process.stdout.write(
          `${row.id}: ${JSON.stringify({ payouts: ended.length, ...counts, settled, payments: payouts.simulator.countPayments(), ...outcomes })}\n`,
        );
      } finally {
        await payouts.stop();
      }
    },
    LIMIT_MS,
  );
});

/** Resolves with those whose payment came back, which only an incident tells. */
async function expectTrue(payouts: SimulatedPayouts, ended: readonly Ended[]): Promise<readonly Ended[]> {
  const incidents = await payouts.withIncident();
  const returned: Ended[] = [];
  let paymentsOfOurs = 0;
  for (const one of ended) {
    const { id, state, standing, attemptIds, paidAttempts } = one;
    const who = `${id}, to ${payouts.behaviours.get(id)}, is ${state}`;
    const payments = attemptIds.flatMap((attempt) => payouts.simulator.paymentsOf(attempt));
    paymentsOfOurs += payments.length;
    expect([who, payments.length <= 1, paidAttempts <= 1]).toEqual([who, true, true]);
    const booked = stands(payments).length;
    if (standing > booked && state === 'COMPLETE' && payments.length === 1 && incidents.has(id)) returned.push(one);
    else expect([who, standing]).toEqual([who, booked]);
    if (state === 'FAILED')
      expect([who, await payouts.correctionOf(id)]).toEqual([who, booked === 1 ? 'paid_after_failure' : null]);
  }
  expect(paymentsOfOurs).toBe(payouts.simulator.countPayments());
  expect(payouts.simulator.mostTaken?.() ?? 1).toBe(1);
  return returned;
}

/** The provider holds what the ledger says, and what came back besides. */
async function expectFloat(payouts: SimulatedPayouts, returned: readonly Ended[]): Promise<void> {
  const { told_minor, least_minor, most_minor } = await payouts.float();
  const back = await payouts.amountOf(returned.map(({ id }) => id));
  expect({ least: least_minor, most: most_minor }).toEqual({ least: told_minor - back, most: told_minor - back });
}

function countsOf(ended: readonly Ended[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { state } of ended) counts[state] = (counts[state] ?? 0) + 1;
  return counts;
}
