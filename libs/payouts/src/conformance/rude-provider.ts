import assert from 'node:assert/strict';

import { money, shortcodeOf, WALLET_CURRENCIES } from '@vuka/domain';

import {
  type ConnectedProvider,
  type PayoutDestination,
  type PayoutInstruction,
  type ProviderOutcome,
} from '../payout-provider.js';
import { hasStatement } from '../statement-provider.js';
import { expectOutcome } from './expect-outcome.js';
import {
  CREDENTIAL,
  type Forge,
  LONG_TIMEOUT_MS,
  type RudeCase,
  type RudeHarness,
  SHORT_TIMEOUT_MS,
  type TestRunner,
} from './harness.js';
import { callbackCases, leaseCases } from './leases-and-callbacks.js';
import { rudeNameCases } from './name-lookups.js';
import { type ForgedAnswer, RUDE_ANSWERS, type RudeAnswer, type RudeServer, startRudeServer } from './rude-server.js';

const NO_ANSWER = { submit: 'unknown', query: 'query_failed' } as const;
/** For a busy machine. */
const SLACK_MS = 2_000;

export function describeRudeSimulator(name: string, runner: TestRunner, harness: RudeHarness): void {
  const withServer =
    (callTimeoutMs: number, body: (provider: ConnectedProvider, server: RudeServer) => Promise<void>) => async () => {
      const server = await startRudeServer(harness.before);
      const provider = harness.connect({ baseUrl: server.baseUrl, credential: CREDENTIAL, callTimeoutMs });
      try {
        await body(provider, server);
      } finally {
        await provider.close();
        await server.stop();
      }
    };
  runner.describe(`${name} on a rude provider`, () => {
    for (const rude of Object.keys(RUDE_ANSWERS) as RudeAnswer[]) {
      const { submit, query } = harness.documented?.[rude] ?? NO_ANSWER;
      const title = `${rude}: ${submit} on submit, ${query} on query, no statement`;
      runner.it(
        title,
        withServer(SHORT_TIMEOUT_MS, (provider, server) => expectNoAnswer(provider, server, harness, rude)),
      );
    }
    for (const [title, { forge, submit, query }] of Object.entries({ ...lies(harness), ...oddities(harness) })) {
      runner.it(title, withServer(LONG_TIMEOUT_MS, async (provider, server) => {
        for (const payout of harness.payables?.() ?? [harness.payable()]) {
          server.answerWith(forge(payout));
          expectOutcome(await provider.query(payout), query);
          if (submit !== undefined) expectOutcome(await provider.submit(payout), submit);
        }
      })); // prettier-ignore
    }
    const cases = {
      ...recipientCases(harness),
      ...duplicateCases(harness),
      ...forgottenCases(harness),
      ...repeatedPaymentCases(harness),
      ...refusalCases(harness),
      ...statementCases(harness),
      ...rudeNameCases(harness),
      ...leaseCases(harness),
      ...callbackCases(harness),
    };
    for (const [title, body] of Object.entries(cases)) runner.it(title, withServer(LONG_TIMEOUT_MS, body));
  });
}

async function expectNoAnswer(
  provider: ConnectedProvider,
  server: RudeServer,
  harness: RudeHarness,
  rude: RudeAnswer,
): Promise<void> {
  const payout = harness.payable();
  server.answerWith(rude);
  const started = performance.now();
  const outcomes = harness.documented?.[rude] ?? NO_ANSWER;
  expectOutcome(await provider.submit(payout), outcomes.submit);
  assert.equal(server.requests(), callsOf(harness), 'a submit must not be sent again on its own');
  expectOutcome(await provider.query(payout), outcomes.query);
  if (hasStatement(provider)) assert.equal(await provider.statement(null), null);
  const elapsed = performance.now() - started;
  assert.ok(elapsed < 3 * provider.capabilities.callTimeoutMs + SLACK_MS, `the calls took ${Math.round(elapsed)} ms`);
  server.answerWith(harness.accepted(payout));
  expectOutcome(await provider.submit(payout), 'submitted');
}

const callsOf = ({ before }: RudeHarness): number => (before === undefined ? 1 : 2);

interface Forgery {
  readonly forge: Forge;
  readonly query: ProviderOutcome;
  readonly submit?: ProviderOutcome;
}

/** Answers about another payout. */
function lies(harness: RudeHarness): Record<string, Forgery> {
  const { paid } = harness;
  return {
    'paid as instructed is paid': { forge: paid, query: 'succeeded' },
    "another's acceptance says nothing of ours": {
      forge: (payout) => harness.accepted({ ...payout, attemptId: harness.payable().attemptId }),
      query: 'query_failed',
      submit: 'unknown',
    },
    "another's payment says nothing of ours": {
      forge: (payout) => paid({ ...payout, attemptId: harness.payable().attemptId }),
      query: 'query_failed',
      submit: 'unknown',
    },
    'another amount is a mismatch': {
      forge: (payout) => paid({ ...payout, amount: money(payout.amount.minor - 1n, payout.amount.currency) }),
      query: 'mismatch',
    },
    'another currency is a mismatch': {
      forge: (payout) =>
        paid({
          ...payout,
          amount: {
            ...payout.amount,
            currency: WALLET_CURRENCIES.find((other) => other !== payout.amount.currency) ?? '',
          },
        }),
      query: 'mismatch',
    },
  };
}

function oddities(harness: RudeHarness): Record<string, Forgery> {
  return {
    'a status in no table is pending': { forge: harness.unknownStatus, query: 'submitted' },
    'a failure code in no table is pending, not failed': { forge: harness.unknownFailure, query: 'submitted' },
    'paid without a receipt is not paid yet': { forge: harness.paidWithoutReceipt, query: 'query_failed' },
    'paid with a receipt of nothing but control characters is not paid yet': {
      forge: harness.paidWith('\u0000\u0007', 'TEST'),
      query: 'query_failed',
    },
    // expectOutcome checks each text.
    'paid with texts that no database takes is paid, with clean ones': {
      forge: harness.paidWith('R\u0000CPT\uD800-1', 'MARY\u0000 \uDC00WANJIKU\u001b'),
      query: 'succeeded',
    },
    'paid with texts without end is paid, with short ones': {
      forge: harness.paidWith('9'.repeat(5_000), '💶'.repeat(5_000)),
      query: 'succeeded',
    },
  };
}

function recipientCases(harness: RudeHarness): Record<string, RudeCase> {
  return {
    'another recipient is a mismatch, whatever it differs in': async (provider, server) => {
      for (const payout of harness.payables?.() ?? [harness.payable()]) {
        for (const destination of otherRecipients(payout.destination)) {
          server.answerWith(harness.paid({ ...payout, destination }));
          expectOutcome(await provider.query(payout), 'mismatch');
        }
      }
    },
  };
}

function otherRecipients(destination: PayoutDestination): PayoutDestination[] {
  switch (destination.kind) {
    case 'bank':
      return [
        { ...destination, account_number: '990099009900' },
        { ...destination, bank_code: 'other' },
        { kind: 'till', shortcode: destination.account_number },
      ];
    case 'mobile':
      return [
        { ...destination, phone: `${destination.phone.slice(0, -4)}0099` },
        { ...destination, mobile_network: 'Other' },
        { kind: 'till', shortcode: shortcodeOf(destination) },
      ];
    case 'paybill':
      return [
        { ...destination, shortcode: '990099' },
        { ...destination, account_number: '990099009900' },
        { kind: 'till', shortcode: destination.shortcode },
      ];
    case 'till':
      return [
        { ...destination, shortcode: '990099' },
        { kind: 'paybill', shortcode: destination.shortcode, account_number: destination.shortcode },
      ];
  }
}

/** If the provider knows the id and says no more, the adapter must query it. */
function duplicateCases({ duplicate, ...harness }: RudeHarness): Record<string, RudeCase> {
  if (duplicate === undefined) return {};
  const submitted =
    (record: (payout: PayoutInstruction) => RudeAnswer | ForgedAnswer, outcome: ProviderOutcome): RudeCase =>
    async (provider, server) => {
      const payout = harness.payable();
      server.answerWith(duplicate(payout), harness.payMethod ?? 'POST');
      server.answerWith(record(payout), 'GET');
      expectOutcome(await provider.submit(payout), outcome);
      assert.equal(server.requests(), callsOf(harness) + 1, 'one submit, one query');
    };
  return {
    'a duplicate is what its record says': submitted(harness.paid, 'succeeded'),
    'a duplicate whose record says another amount is a mismatch': submitted(
      (payout) => harness.paid({ ...payout, amount: money(payout.amount.minor + 1n, payout.amount.currency) }),
      'mismatch',
    ),
    'a duplicate whose record is HTML is submitted: the provider holds it': submitted(
      () => 'HTML with status 200',
      'submitted',
    ),
    'a duplicate whose record is cut off is submitted': submitted(() => 'truncated JSON', 'submitted'),
    'a duplicate whose id is then not found is submitted: what is acknowledged is not forgotten with it': submitted(
      () => harness.notFound,
      'submitted',
    ),
    "a duplicate whose record is another's is submitted": submitted(
      (payout) => harness.paid({ ...payout, attemptId: harness.payable().attemptId }),
      'submitted',
    ),
    "another's duplicate says nothing of ours": async (provider, server) => {
      server.answerWith(duplicate(harness.payable()));
      expectOutcome(await provider.submit(harness.payable()), 'unknown');
    },
  };
}

function repeatedPaymentCases({ paidAs, ...harness }: RudeHarness): Record<string, RudeCase> {
  if (paidAs === undefined) return {};
  const first = { receipt: 'RCPT-1', reversed: false };
  const second = { receipt: 'RCPT-2', reversed: false };
  return {
    'payments besides the first are told, each once': async (provider, server) => {
      const payout = harness.payable();
      server.answerWith(paidAs([first, second, second])(payout));
      const answer = expectOutcome(await provider.query(payout), 'succeeded');
      assert.deepEqual([answer.receipt, answer.otherPayments], [first.receipt, [second]]);
    },
    'the first one back is reversed, with the others told': async (provider, server) => {
      const payout = harness.payable();
      server.answerWith(paidAs([{ ...first, reversed: true }, second])(payout));
      const answer = expectOutcome(await provider.query(payout), 'reversed');
      assert.deepEqual([answer.receipt, answer.otherPayments], [first.receipt, [second]]);
    },
    'a payment that cannot be named is asked about again': async (provider, server) => {
      const payout = harness.payable();
      server.answerWith(paidAs([first, { ...second, receipt: '\u0007' }])(payout));
      expectOutcome(await provider.query(payout), 'query_failed');
    },
  };
}

/** "Not found" proves nothing by itself: the adapter does not know how old the submit is. */
function forgottenCases(harness: RudeHarness): Record<string, RudeCase> {
  return {
    'an id that is not found after it was acknowledged is unknown, and is said not to be found': async (
      provider,
      server,
    ) => {
      const payout = harness.payable();
      server.answerWith(harness.accepted(payout), harness.payMethod ?? 'POST');
      server.answerWith(harness.notFound, 'GET');
      expectOutcome(await provider.submit(payout), 'submitted');
      for (let asked = 0; asked < 3; asked++)
        assert.equal(expectOutcome(await provider.query(payout), 'unknown').notFound, true);
    },
    'a submit without an answer is not said to be not found': async (provider, server) => {
      server.answerWith('status 500');
      assert.notEqual(expectOutcome(await provider.submit(harness.payable()), 'unknown').notFound, true);
    },
  };
}

function refusalCases({ refusals = {}, ...harness }: RudeHarness): Record<string, RudeCase> {
  return Object.fromEntries(
    Object.entries(refusals).map(([name, answer]): [string, RudeCase] => [
      `${name}: deferred on submit, since nothing was taken; no event on query`,
      async (provider, server) => {
        server.answerWith(answer);
        expectOutcome(await provider.submit(harness.payable()), 'deferred');
        expectOutcome(await provider.query(harness.payable()), 'query_failed');
      },
    ]),
  );
}

function statementCases({ statement }: RudeHarness): Record<string, RudeCase> {
  if (statement === undefined) return {};
  const cases: Record<string, RudeCase> = {
    'a statement as it should be is read, whatever the page before was': async (provider, server) => {
      assert.ok(hasStatement(provider), 'the harness has a statement and the provider has none');
      server.answerWith('HTML with status 200');
      assert.equal(await provider.statement(null), null);
      server.answerWith(statement.good);
      assert.ok((await provider.statement(null))?.entries.length, 'nothing was read');
    },
  };
  for (const [name, page] of Object.entries(statement.broken)) {
    cases[`a statement is not relied on: ${name}`] = async (provider, server) => {
      server.answerWith(page);
      assert.ok(hasStatement(provider));
      assert.equal(await provider.statement(null), null);
    };
  }
  return cases;
}
