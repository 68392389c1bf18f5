import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';

import { type ConnectedProvider, type PayoutInstruction, type SandboxPayoutControl } from '../payout-provider.js';
import { hasStatement } from '../statement-provider.js';
import { expectOutcome } from './expect-outcome.js';
import {
  type HonestCase,
  type HonestHarness,
  type HonestSimulator,
  SHORT_TIMEOUT_MS,
  type Troubles,
} from './harness.js';

type TroubleCase = (
  provider: ConnectedProvider,
  simulator: HonestSimulator,
  payout: PayoutInstruction,
) => Promise<void>;

/** Tests only the troubles that the harness can make. */
export function troubleCases(harness: HonestHarness): Record<string, HonestCase> {
  const cases: Record<string, HonestCase> = {};
  for (const [trouble, [title, body]] of Object.entries(casesOf(harness)) as [
    keyof Troubles,
    [string, TroubleCase],
  ][]) {
    const make = harness.troubles?.[trouble];
    if (make !== undefined) cases[title] = (provider, simulator) => body(provider, simulator, make());
  }
  return cases;
}

function casesOf(harness: HonestHarness): Record<keyof Troubles, readonly [string, TroubleCase]> {
  return {
    nameless: [
      'a name the provider cannot tell is none, never a placeholder',
      async (provider, simulator, payout) => {
        await submitAndSettle(provider, simulator, payout);
        assert.equal(expectOutcome(await provider.query(payout), 'succeeded').publicName, null);
      },
    ],
    unansweredPaid: [
      'a submit without an answer is unknown, and paid when asked about',
      async (provider, simulator, payout) => {
        await expectUnanswered(harness, simulator, payout);
        expectOutcome(await provider.query(payout), 'submitted');
        await simulator.settle();
        expectOutcome(await provider.query(payout), 'succeeded');
        assert.equal(await simulator.timesPaid(payout.attemptId), 1);
      },
    ],
    unansweredExpired: [
      'a submit without an answer is unknown, and expired when asked about',
      async (provider, simulator, payout) => {
        await expectUnanswered(harness, simulator, payout);
        await simulator.settle();
        const answer = expectOutcome(await provider.query(payout), 'not_paid');
        assert.deepEqual([answer.code, answer.routeLeft], ['expired_at_rail', false]);
      },
    ],
    held: [
      'a held payout stays on its way, holds up no other, and is paid when released',
      async (provider, simulator, payout) => {
        await submitAndSettle(provider, simulator, payout);
        const next = harness.payable();
        await submitAndSettle(provider, simulator, next);
        expectOutcome(await provider.query(payout), 'submitted');
        expectOutcome(await provider.query(next), 'succeeded');
        assert.equal(await controlOf(simulator).release(payout.attemptId), true);
        expectOutcome(await provider.query(payout), 'succeeded');
        assert.equal(await controlOf(simulator).release(payout.attemptId), false);
        assert.equal(await simulator.timesPaid(payout.attemptId), 1);
      },
    ],
    reversed: [
      'a payment that comes back is reversed under the receipt it had',
      async (provider, simulator, payout) => {
        await submitAndSettle(provider, simulator, payout);
        const { receipt } = expectOutcome(await provider.query(payout), 'succeeded');
        await simulator.settle();
        assert.equal(expectOutcome(await provider.query(payout), 'reversed').receipt, receipt);
        await expectStated(provider, payout, [
          ['paid', receipt],
          ['reversed', receipt],
        ]);
      },
    ],
    ...steeredCases(harness),
  };
}

function steeredCases(
  harness: HonestHarness,
): Pick<
  Record<keyof Troubles, readonly [string, TroubleCase]>,
  'paidTwice' | 'withoutFloat' | 'anotherAmount' | 'routeLeft'
> {
  return {
    paidTwice: [
      'a second payment under one id is told beside the first, and so is its return',
      async (provider, simulator, payout) => {
        await submitAndSettle(provider, simulator, payout);
        const { receipt } = expectOutcome(await provider.query(payout), 'succeeded');
        await simulator.settle();
        const twice = expectOutcome(await provider.query(payout), 'succeeded');
        assert.equal(twice.receipt, receipt);
        const [second, ...more] = twice.otherPayments ?? [];
        assert.ok(second !== undefined && second.receipt !== receipt && !second.reversed && more.length === 0);
        await expectStated(provider, payout, [
          ['paid', receipt],
          ['paid', second.receipt],
        ]);
        assert.equal(await controlOf(simulator).reverse(payout.attemptId), true);
        assert.deepEqual(expectOutcome(await provider.query(payout), 'succeeded').otherPayments, [
          { ...second, reversed: true },
        ]);
        assert.equal(await controlOf(simulator).reverse(payout.attemptId), true);
        assert.equal(expectOutcome(await provider.query(payout), 'reversed').receipt, receipt);
        assert.equal(await controlOf(simulator).reverse(payout.attemptId), false);
      },
    ],
    withoutFloat: [
      'a provider without float has taken nothing, and takes that order alone for which it is topped up',
      async (provider, simulator, payout) => {
        const other = { ...payout, attemptId: randomUUID(), orderId: randomUUID() };
        assert.equal(expectOutcome(await provider.submit(payout), 'deferred').reason, 'float');
        expectOutcome(await provider.query(payout), 'unknown');
        assert.equal(await controlOf(simulator).topUp(harness.payable()), false);
        assert.equal(await controlOf(simulator).topUp(payout), true);
        assert.equal(await controlOf(simulator).topUp(payout), false);
        assert.equal(expectOutcome(await provider.submit(other), 'deferred').reason, 'float');
        const next = { ...payout, attemptId: randomUUID() };
        await submitAndSettle(provider, simulator, next);
        expectOutcome(await provider.query(next), 'succeeded');
        assert.equal(expectOutcome(await provider.submit(other), 'deferred').reason, 'float');
      },
    ],
    anotherAmount: [
      'a record of another amount is a mismatch, before and after it is paid',
      async (provider, simulator, payout) => {
        expectOutcome(await provider.submit(payout), 'submitted');
        expectOutcome(await provider.query(payout), 'mismatch');
        await simulator.settle();
        expectOutcome(await provider.query(payout), 'mismatch');
      },
    ],
    routeLeft: [
      'a channel that is down leaves another route, and may still pay late',
      async (provider, simulator, payout) => {
        await submitAndSettle(provider, simulator, payout);
        const answer = expectOutcome(await provider.query(payout), 'not_paid');
        assert.deepEqual([answer.code, answer.routeLeft], ['rail_unavailable', true]);
        assert.equal(await controlOf(simulator).pay(payout.attemptId), true);
        expectOutcome(await provider.query(payout), 'succeeded');
      },
    ],
  };
}

async function submitAndSettle(
  provider: ConnectedProvider,
  simulator: HonestSimulator,
  payout: PayoutInstruction,
): Promise<void> {
  expectOutcome(await provider.submit(payout), 'submitted');
  await simulator.settle();
}

/** A short timeout, because no answer will come. */
async function expectUnanswered(
  harness: HonestHarness,
  simulator: HonestSimulator,
  payout: PayoutInstruction,
): Promise<void> {
  const { baseUrl, credential } = simulator;
  const impatient = harness.connect({ baseUrl, credential, callTimeoutMs: SHORT_TIMEOUT_MS });
  expectOutcome(await impatient.submit(payout), 'unknown');
  await impatient.close();
}

async function expectStated(
  provider: ConnectedProvider,
  payout: PayoutInstruction,
  events: [string, string][],
): Promise<void> {
  if (!hasStatement(provider) || provider.capabilities.statementEveryMs !== undefined) return;
  const page = await provider.statement(null);
  const own = page?.entries.filter(({ attemptId }) => attemptId === payout.attemptId);
  assert.deepEqual(
    own?.map(({ event, receipt }) => [event, receipt]),
    events,
  );
}

function controlOf(simulator: HonestSimulator): SandboxPayoutControl {
  assert.ok(simulator.control !== undefined, 'this trouble needs a control of the provider');
  return simulator.control;
}
