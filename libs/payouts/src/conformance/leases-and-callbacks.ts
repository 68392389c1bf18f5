import assert from 'node:assert/strict';

import { money, WALLET_CURRENCIES } from '@vuka/domain';

import { asksForApproval, callsBack, type CallLease, type PayoutInstruction } from '../payout-provider.js';
import { expectOutcome } from './expect-outcome.js';
import type { RudeCase, RudeHarness } from './harness.js';
import { isFirstCall } from './rude-server.js';

const OVER: CallLease = { mayPay: () => false };
const LEASE_MS = 100;
const SLOW_MS = 300;

/** A call that pays after the lease may be the second one: somebody else may have the attempt. */
export function leaseCases({ before, ...harness }: RudeHarness): Record<string, RudeCase> {
  return {
    'a submit makes no call that pays after its lease': async (provider, server) => {
      const payout = harness.payable();
      server.answerWith(harness.accepted(payout));
      expectOutcome(await provider.submit(payout, OVER), 'too_late');
      assert.deepEqual(
        server.received().filter((request) => !isFirstCall(before, request)),
        [],
      );
      expectOutcome(await provider.submit(payout, { mayPay: () => true }), 'submitted');
    },
    ...(before && {
      'a submit whose first call is slow does not pay after its lease': async (provider, server) => {
        const payout = harness.payable();
        server.answerWith(harness.accepted(payout));
        server.answerFirstWith({ ...before.answer, afterMs: SLOW_MS });
        const endsAt = performance.now() + LEASE_MS;
        expectOutcome(await provider.submit(payout, { mayPay: () => performance.now() < endsAt }), 'too_late');
        assert.deepEqual(
          server.received().map((request) => isFirstCall(before, request)),
          [true],
        );
      },
      'a first call that fails leaves nothing sent: deferred, not unknown': async (provider, server) => {
        server.answerFirstWith('status 500');
        expectOutcome(await provider.submit(harness.payable()), 'deferred');
        assert.equal(server.requests(), 1);
      },
    }),
  };
}

export function callbackCases({ asked, approvals, ...harness }: RudeHarness): Record<string, RudeCase> {
  return {
    'queries answered by callback are so by capability, and have a door for it': async (provider) => {
      const isAsked = provider.capabilities.queryAnswersByCallback === true;
      assert.equal(isAsked, asked !== undefined);
      assert.ok(!isAsked || callsBack(provider));
      assert.equal(asksForApproval(provider), approvals !== undefined);
      await Promise.resolve();
    },
    ...(asked && {
      'a question that was taken waits for its callback': async (provider, server) => {
        server.answerWith(asked, 'GET');
        expectOutcome(await provider.query(harness.payable()), 'asked');
      },
    }),
    ...(approvals && {
      'a question for approval is read, and held against the instruction': async (provider) => {
        assert.ok(asksForApproval(provider));
        const payout = harness.payable();
        const reading = await provider.decideApproval(approvals.question(payout));
        assert.ok(reading.signed, reading.detail);
        assert.ok(reading.attemptIds.includes(payout.attemptId));
        assert.equal(reading.differenceFrom(payout), null);
        for (const other of othersThan(payout)) {
          const changed = await provider.decideApproval(approvals.question(other));
          assert.notEqual(changed.differenceFrom(payout), null);
        }
        assert.notDeepEqual(provider.approvalReply(true), provider.approvalReply(false));
      },
      "a question for approval that is not signed is not the provider's": async (provider) => {
        assert.ok(asksForApproval(provider));
        const reading = await provider.decideApproval(approvals.forged(harness.payable()));
        assert.equal(reading.signed, false);
      },
    }),
  };
}

function othersThan(payout: PayoutInstruction): PayoutInstruction[] {
  const { minor, currency } = payout.amount;
  const other = WALLET_CURRENCIES.find((one) => one !== currency) ?? '';
  return [
    { ...payout, amount: money(minor + 1n, currency) },
    { ...payout, amount: { minor, currency: other } },
    { ...payout, destination: { kind: 'till', shortcode: '990099' } },
  ];
}
