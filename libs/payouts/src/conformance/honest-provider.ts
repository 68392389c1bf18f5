import assert from 'node:assert/strict';

import { accountName, shortcodeOf } from '@vuka/domain';

import { type ConnectedProvider, type PayoutInstruction, type SandboxPayoutControl } from '../payout-provider.js';
import { hasStatement } from '../statement-provider.js';
import { expectOutcome } from './expect-outcome.js';
import {
  CREDENTIAL,
  type HonestCase,
  type HonestHarness,
  type HonestSimulator,
  LONG_TIMEOUT_MS,
  type TestRunner,
} from './harness.js';
import { honestNameCases } from './name-lookups.js';
import { troubleCases } from './troubled-provider.js';

export function describeHonestSimulator(name: string, runner: TestRunner, harness: HonestHarness): void {
  const withProvider = (body: HonestCase) => async () => {
    const simulator = await harness.startProvider();
    const provider = harness.connect({
      baseUrl: simulator.baseUrl,
      credential: simulator.credential,
      callTimeoutMs: LONG_TIMEOUT_MS,
    });
    try {
      await body(provider, simulator);
    } finally {
      await provider.close();
      await simulator.stop();
    }
  };
  runner.describe(`${name} on an honest provider`, () => {
    const cases = {
      ...payingCases(harness),
      ...floatCases(harness),
      ...refusingCases(harness),
      ...statementCases(harness),
      ...troubleCases(harness),
      ...honestNameCases(harness),
    };
    for (const [title, body] of Object.entries(cases)) runner.it(title, withProvider(body));
  });
}

function floatCases(harness: HonestHarness): Record<string, HonestCase> {
  return {
    'names the float that pays each recipient: one of its own, each of which makes an account of its own': (
      provider,
    ) => {
      const accounts = provider.floats.map(({ wallet, currency }) => accountName.rail(provider.id, wallet, currency));
      assert.equal(new Set(accounts).size, accounts.length);
      for (const { destination, amount } of harness.payables?.() ?? [harness.payable()]) {
        const mobileNetwork = destination.kind === 'mobile' ? destination.mobile_network : '';
        const wallet = provider.walletOf({ kind: destination.kind, mobileNetwork }, amount.currency);
        assert.ok(provider.floats.some((float) => float.wallet === wallet && float.currency === amount.currency));
      }
      return Promise.resolve();
    },
  };
}

function payingCases(harness: HonestHarness): Record<string, HonestCase> {
  return {
    'is submitted, then paid with receipt, name, amount and recipient': async (provider, simulator) => {
      for (const payout of harness.payables?.() ?? [harness.payable()]) {
        const submitted = expectOutcome(await provider.submit(payout), 'submitted');
        const { providerPaymentId } = submitted;
        const named = { ...payout, ...(providerPaymentId !== undefined && { providerPaymentId }) };
        const open = expectOutcome(await provider.query(named), 'submitted');
        await simulator.settle();
        const paid = expectOutcome(await provider.query(named), 'succeeded');
        const ids = [submitted, open, paid].flatMap((answer) => answer.providerPaymentId ?? []);
        assert.ok(new Set(ids).size <= 1, 'its own id of a payment changes');
        assert.match(paid.receipt, /\S/);
        assert.equal(paid.publicName !== null, provider.capabilities.resolvesNames);
        assert.deepEqual(paid.amount, payout.amount);
        assert.ok(
          [shortcodeOf(payout.destination), ...(Object.values(payout.destination) as string[])].includes(
            paid.recipient,
          ),
          'the recipient is none of the instruction',
        );
        assert.equal(paid.otherPayments, undefined);
      }
    },
    'submitted again it is the same payment where the simulator dedupes, else a second one, told where its record is of more than one':
      async (provider, simulator) => {
        const payout = harness.payable();
        expectOutcome(await provider.submit(payout), 'submitted');
        expectOutcome(await provider.submit(payout), 'submitted');
        await simulator.settle();
        const first = expectOutcome(await provider.query(payout), 'succeeded');
        const times = dedupes(provider, simulator) ? 1 : 2;
        assert.equal(await simulator.timesPaid(payout.attemptId), times);
        const told = provider.capabilities.onePaymentPerId === true ? 1 : times;
        assert.equal(first.otherPayments?.length ?? 0, told - 1);
        if (!dedupes(provider, simulator)) return;
        const again = expectOutcome(await provider.submit(payout), 'succeeded');
        assert.equal(again.receipt, first.receipt);
        assert.equal(await simulator.timesPaid(payout.attemptId), 1);
      },
    'submitted many times at once it is paid once where the simulator dedupes, else each time': async (
      provider,
      simulator,
    ) => {
      const payout = harness.payable();
      const answers = await Promise.all(Array.from({ length: 20 }, () => provider.submit(payout)));
      for (const answer of answers) expectOutcome(answer, 'submitted');
      await simulator.settle();
      expectOutcome(await provider.query(payout), 'succeeded');
      assert.equal(await simulator.timesPaid(payout.attemptId), dedupes(provider, simulator) ? 1 : 20);
    },
  };
}

function dedupes({ capabilities }: ConnectedProvider, simulator: HonestSimulator): boolean {
  return simulator.dedupes ?? capabilities.dedupesForMs !== null;
}

function refusingCases(harness: HonestHarness): Record<string, HonestCase> {
  const { recipientNotFound } = harness;
  return {
    'an id the provider does not know is unknown, not failed': async (provider) => {
      assert.equal(expectOutcome(await provider.query(harness.payable()), 'unknown').notFound, true);
    },
    'what it promises of ids lasts longer than a call takes, or is not promised': async (provider) => {
      const { callTimeoutMs, dedupesForMs, notFoundProvesAfterMs } = provider.capabilities;
      for (const promisedMs of [dedupesForMs, notFoundProvesAfterMs])
        assert.ok(promisedMs === null || (Number.isSafeInteger(promisedMs) && promisedMs > callTimeoutMs));
      await Promise.resolve();
    },
    'a submit after its lease takes nothing': async (provider, simulator) => {
      const payout = harness.payable();
      expectOutcome(await provider.submit(payout, { mayPay: () => false }), 'too_late');
      assert.equal(expectOutcome(await provider.query(payout), 'unknown').notFound, true);
      await simulator.settle();
      assert.equal(await simulator.timesPaid(payout.attemptId), 0);
    },
    ...(recipientNotFound && {
      'a recipient that does not exist is proven not paid, for good': async (
        provider: ConnectedProvider,
        simulator: HonestSimulator,
      ) => {
        await expectNotPaid(provider, simulator, recipientNotFound(), 'recipient_not_found');
      },
    }),
    'a rejection after acceptance is proven not paid, for good': async (provider, simulator) => {
      await expectNotPaid(provider, simulator, harness.rejected(), 'rail_rejected');
    },
    'an id that stands for another payout there is a mismatch': async (provider, simulator) => {
      const payout = harness.payable();
      const other = { ...payout, amount: { ...payout.amount, minor: payout.amount.minor + 100n } };
      expectOutcome(await provider.submit(payout), 'submitted');
      // Where a repeat is paid again it is taken.
      if (simulator.dedupes !== false) expectOutcome(await provider.submit(other), 'mismatch');
      expectOutcome(await provider.query(other), 'mismatch');
      await simulator.settle();
      expectOutcome(await provider.query(payout), 'succeeded');
    },
    'a wrong credential is our fault: deferred, and nothing was taken': async (provider, simulator) => {
      const payout = harness.payable();
      const stranger = harness.connect({
        baseUrl: simulator.baseUrl,
        credential: `${CREDENTIAL}-wrong`,
        callTimeoutMs: LONG_TIMEOUT_MS,
      });
      try {
        assert.equal(expectOutcome(await stranger.submit(payout), 'deferred').reason, 'config');
        expectOutcome(await stranger.query(payout), 'query_failed');
        if (hasStatement(stranger)) assert.equal(await stranger.statement(null), null);
      } finally {
        await stranger.close();
      }
      expectOutcome(await provider.query(payout), 'unknown');
    },
    'a provider that has gone away leaves submit unsent, query failed and the statement unread': async (
      provider,
      simulator,
    ) => {
      const payout = harness.payable();
      expectOutcome(await provider.submit(payout), 'submitted');
      await simulator.stop();
      expectOutcome(await provider.query(payout), 'query_failed');
      // The server is closed, so the submit cannot have been taken: this is not `unknown`.
      assert.equal(expectOutcome(await provider.submit(harness.payable()), 'deferred').reason, 'unreachable');
      if (hasStatement(provider)) assert.equal(await provider.statement(null), null);
    },
  };
}

function statementCases(harness: HonestHarness): Record<string, HonestCase> {
  return {
    'a statement lists each end once, oldest first, and goes on where it was left': async (provider, simulator) => {
      // One that is made on demand is read over many calls: its provider's own suite does that.
      if (!hasStatement(provider) || provider.capabilities.statementEveryMs !== undefined) return;
      if (harness.statementIsOfStatuses === true) return;
      const [paid, failed, later] = [harness.payable(), harness.rejected(), harness.payable()];
      for (const payout of [paid, failed]) expectOutcome(await provider.submit(payout), 'submitted');
      const open = await provider.statement(null);
      assert.deepEqual(open?.entries, []);
      await simulator.settle();
      const { receipt } = expectOutcome(await provider.query(paid), 'succeeded');
      const first = await provider.statement(open.next);
      assert.deepEqual(first?.entries, [
        { attemptId: paid.attemptId, event: 'paid', receipt },
        { attemptId: failed.attemptId, event: 'not_paid', receipt: null },
      ]);
      assert.deepEqual(await provider.statement(first.next), { entries: [], next: first.next, more: false });
      expectOutcome(await provider.submit(later), 'submitted');
      await simulator.settle();
      const rest = await provider.statement(first.next);
      assert.deepEqual(
        rest?.entries.map(({ attemptId, event }) => [attemptId, event]),
        [[later.attemptId, 'paid']],
      );
      assert.deepEqual((await provider.statement(null))?.entries, [...first.entries, ...rest.entries]);
    },
    'its control finds nothing to do for an id the provider does not know': async (_provider, simulator) => {
      const { control } = simulator;
      if (control === undefined) return;
      const { attemptId } = harness.payable();
      for (const action of ['release', 'pay', 'reverse'] as const satisfies readonly (keyof SandboxPayoutControl)[]) {
        assert.equal(await control[action](attemptId), false);
      }
    },
  };
}

async function expectNotPaid(
  provider: ConnectedProvider,
  simulator: HonestSimulator,
  payout: PayoutInstruction,
  code: string,
): Promise<void> {
  expectOutcome(await provider.submit(payout), 'submitted');
  await simulator.settle();
  const again = dedupes(provider, simulator) ? await provider.submit(payout) : await provider.query(payout);
  for (const answer of [await provider.query(payout), await provider.query(payout), again]) {
    const notPaid = expectOutcome(answer, 'not_paid');
    assert.equal(notPaid.code, code);
    assert.equal(notPaid.routeLeft, false);
  }
  assert.equal(await simulator.timesPaid(payout.attemptId), 0);
}
