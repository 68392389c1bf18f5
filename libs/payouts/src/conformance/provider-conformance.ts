import assert from 'node:assert/strict';

import type { ConnectedProvider, PayoutInstruction, RailAnswer, RailOutcome } from '../payout-provider.js';
import { MAX_TEXT } from '../rail-text.js';
import { type ForgedAnswer, RUDE_ANSWERS, type RudeAnswer, type RudeServer, startRudeServer } from './rude-server.js';

/** The test runner's two words; handed in, so that this package needs no runner. */
export interface TestRunner {
  describe(name: string, body: () => void): void;
  it(name: string, body: () => Promise<void>, timeoutMs?: number): void;
}

export interface ConnectOptions {
  readonly baseUrl: string;
  readonly credential: string;
  readonly callTimeoutMs: number;
}

/** A rail that keeps its word: the provider's own sandbox, or our stand-in for it. */
export interface HonestRail {
  readonly baseUrl: string;
  readonly credential: string;
  /** Makes everything accepted so far due. */
  settle(): void;
  /** How many times the rail's own book says that this id was paid. */
  timesPaid(attemptId: string): Promise<number>;
  stop(): Promise<void>;
}

export interface HonestHarness {
  connect(options: ConnectOptions): ConnectedProvider;
  startRail(): Promise<HonestRail>;
  /** A new instruction, under a new id, that this rail pays. */
  payable(): PayoutInstruction;
  /** One whose recipient this rail does not find. */
  recipientNotFound(): PayoutInstruction;
  /** One that this rail turns down after it was accepted. */
  rejected(): PayoutInstruction;
}

/** Writes down what the rail would answer about an instruction. */
export type Forge = (instruction: PayoutInstruction) => ForgedAnswer;

export interface RudeHarness {
  connect(options: ConnectOptions): ConnectedProvider;
  payable(): PayoutInstruction;
  /** The rail's acceptance of an instruction. */
  readonly accepted: Forge;
  /** The rail's answer that an instruction was paid. */
  readonly paid: Forge;
  /** PAID without what proves it. */
  readonly paidWithoutReceipt: Forge;
  /** Paid, with this receipt and (where the rail tells names) this name. */
  paidWith(receipt: string, name: string): Forge;
  /** A status, and the code of a failure, that are in no table. */
  readonly unknownStatus: Forge;
  readonly unknownFailure: Forge;
}

const CREDENTIAL = 'conformance-credential';
const SHORT_TIMEOUT_MS = 250;
const LONG_TIMEOUT_MS = 5_000;
/** A call may end this much after its timeout on a busy machine. */
const SLACK_MS = 2_000;

/** What every adapter must do on a rail that keeps its word. */
export function describeHonestRail(name: string, runner: TestRunner, harness: HonestHarness): void {
  const withRail = (body: (provider: ConnectedProvider, rail: HonestRail) => Promise<void>) => async () => {
    const rail = await harness.startRail();
    const provider = harness.connect({ baseUrl: rail.baseUrl, credential: rail.credential, callTimeoutMs: LONG_TIMEOUT_MS });
    try {
      await body(provider, rail);
    } finally {
      await provider.close();
      await rail.stop();
    }
  };
  runner.describe(`${name} on an honest rail`, () => {
    for (const [title, body] of Object.entries(honestCases(harness))) runner.it(title, withRail(body));
  });
}

type HonestCase = (provider: ConnectedProvider, rail: HonestRail) => Promise<void>;

function honestCases(harness: HonestHarness): Record<string, HonestCase> {
  return {
    'is submitted, then paid with receipt, name, amount and recipient': async (provider, rail) => {
      const payout = harness.payable();
      expectOutcome(await provider.submit(payout), 'submitted');
      expectOutcome(await provider.query(payout), 'submitted');
      rail.settle();
      const paid = expectOutcome(await provider.query(payout), 'succeeded');
      assert.match(paid.receipt, /\S/);
      assert.equal(paid.publicName !== null, provider.capabilities.resolvesNames);
      assert.equal(paid.amountMinor, payout.amountMinor);
      assert.equal(paid.recipient, payout.destination.account_number);
    },
    'submitted again it is the same payment with the same receipt': async (provider, rail) => {
      const payout = harness.payable();
      expectOutcome(await provider.submit(payout), 'submitted');
      expectOutcome(await provider.submit(payout), 'submitted');
      rail.settle();
      const first = expectOutcome(await provider.submit(payout), 'succeeded');
      const second = expectOutcome(await provider.query(payout), 'succeeded');
      assert.equal(first.receipt, second.receipt);
      assert.equal(await rail.timesPaid(payout.attemptId), 1);
    },
    'submitted many times at once it is paid once': async (provider, rail) => {
      const payout = harness.payable();
      const answers = await Promise.all(Array.from({ length: 20 }, () => provider.submit(payout)));
      for (const answer of answers) expectOutcome(answer, 'submitted');
      rail.settle();
      expectOutcome(await provider.query(payout), 'succeeded');
      assert.equal(await rail.timesPaid(payout.attemptId), 1);
    },
    'an id the rail does not know is unknown, not failed': async (provider) => {
      expectOutcome(await provider.query(harness.payable()), 'unknown');
    },
    'a recipient that does not exist is proven not paid, for good': async (provider, rail) => {
      await expectNotPaid(provider, rail, harness.recipientNotFound(), 'recipient_not_found');
    },
    'a rejection after acceptance is proven not paid, for good': async (provider, rail) => {
      await expectNotPaid(provider, rail, harness.rejected(), 'rail_rejected');
    },
    'an id that stands for another payout there is a mismatch': async (provider, rail) => {
      const payout = harness.payable();
      const other = { ...payout, amountMinor: payout.amountMinor + 100n };
      expectOutcome(await provider.submit(payout), 'submitted');
      expectOutcome(await provider.submit(other), 'mismatch');
      expectOutcome(await provider.query(other), 'mismatch');
      rail.settle();
      expectOutcome(await provider.query(payout), 'succeeded');
    },
    'a wrong credential is our fault: deferred, and nothing was taken': async (provider, rail) => {
      const payout = harness.payable();
      const stranger = harness.connect({ baseUrl: rail.baseUrl, credential: `${CREDENTIAL}-wrong`, callTimeoutMs: LONG_TIMEOUT_MS });
      try {
        assert.equal(expectOutcome(await stranger.submit(payout), 'deferred').reason, 'config');
        expectOutcome(await stranger.query(payout), 'query_failed');
      } finally {
        await stranger.close();
      }
      expectOutcome(await provider.query(payout), 'unknown');
    },
    'a rail that has gone away leaves submit unknown and query failed': async (provider, rail) => {
      const payout = harness.payable();
      expectOutcome(await provider.submit(payout), 'submitted');
      await rail.stop();
      expectOutcome(await provider.query(payout), 'query_failed');
      expectOutcome(await provider.submit(harness.payable()), 'unknown');
    },
  };
}

/** What every adapter must make of trouble and of lies. */
export function describeRudeRail(name: string, runner: TestRunner, harness: RudeHarness): void {
  const withServer = (callTimeoutMs: number, body: (provider: ConnectedProvider, server: RudeServer) => Promise<void>) => async () => {
    const server = await startRudeServer();
    const provider = harness.connect({ baseUrl: server.baseUrl, credential: CREDENTIAL, callTimeoutMs });
    try {
      await body(provider, server);
    } finally {
      await provider.close();
      await server.stop();
    }
  };
  runner.describe(`${name} on a rude rail`, () => {
    for (const rude of Object.keys(RUDE_ANSWERS) as RudeAnswer[]) {
      runner.it(`${rude}: unknown on submit, query_failed on query`, withServer(SHORT_TIMEOUT_MS, (provider, server) =>
        expectNoAnswer(provider, server, harness, rude),
      )); // prettier-ignore
    }
    for (const [title, { forge, submit, query }] of Object.entries(forgeries(harness))) {
      runner.it(title, withServer(LONG_TIMEOUT_MS, async (provider, server) => {
        const payout = harness.payable();
        server.answerWith(forge(payout));
        expectOutcome(await provider.query(payout), query);
        if (submit !== undefined) expectOutcome(await provider.submit(payout), submit);
      })); // prettier-ignore
    }
  });
}

async function expectNoAnswer(provider: ConnectedProvider, server: RudeServer, harness: RudeHarness, rude: RudeAnswer): Promise<void> {
  const payout = harness.payable();
  server.answerWith(rude);
  const started = performance.now();
  expectOutcome(await provider.submit(payout), 'unknown');
  assert.equal(server.requests(), 1, 'a submit must not be sent again on its own');
  expectOutcome(await provider.query(payout), 'query_failed');
  const elapsed = performance.now() - started;
  assert.ok(elapsed < 2 * provider.capabilities.callTimeoutMs + SLACK_MS, `two calls took ${Math.round(elapsed)} ms`);
  // The trouble must not outlast itself.
  server.answerWith(harness.accepted(payout));
  expectOutcome(await provider.submit(payout), 'submitted');
}

interface Forgery {
  readonly forge: Forge;
  readonly query: RailOutcome;
  readonly submit?: RailOutcome;
}

function forgeries(harness: RudeHarness): Record<string, Forgery> {
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
      forge: (payout) => paid({ ...payout, amountMinor: payout.amountMinor - 1n }),
      query: 'mismatch',
    },
    'another currency is a mismatch': {
      forge: (payout) => paid({ ...payout, currency: payout.currency === 'NGN' ? 'MWK' : 'NGN' }),
      query: 'mismatch',
    },
    'another account is a mismatch': {
      forge: (payout) => paid({ ...payout, destination: { ...payout.destination, account_number: '990099009900' } }),
      query: 'mismatch',
    },
    'another bank is a mismatch': {
      forge: (payout) => paid({ ...payout, destination: { ...payout.destination, bank_code: 'other' } }),
      query: 'mismatch',
    },
    'a status in no table is pending': { forge: harness.unknownStatus, query: 'submitted' },
    'a failure code in no table is pending, not failed': { forge: harness.unknownFailure, query: 'submitted' },
    'paid without a receipt is not paid yet': { forge: harness.paidWithoutReceipt, query: 'query_failed' },
    'paid with a receipt of nothing but control characters is not paid yet': {
      forge: harness.paidWith('\u0000\u0007', 'TEST'),
      query: 'query_failed',
    },
    // Each answer's texts are held against the port by expectOutcome.
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

async function expectNotPaid(provider: ConnectedProvider, rail: HonestRail, payout: PayoutInstruction, code: string): Promise<void> {
  expectOutcome(await provider.submit(payout), 'submitted');
  rail.settle();
  for (const answer of [await provider.query(payout), await provider.query(payout), await provider.submit(payout)]) {
    const notPaid = expectOutcome(answer, 'not_paid');
    assert.equal(notPaid.code, code);
    assert.equal(notPaid.routeLeft, false);
  }
  assert.equal(await rail.timesPaid(payout.attemptId), 0);
}

function expectOutcome<O extends RailOutcome>(answer: RailAnswer, outcome: O): Extract<RailAnswer, { outcome: O }> {
  expectStorable(answer);
  assert.equal(answer.outcome, outcome, `answered ${JSON.stringify(answer, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value))}`);
  return answer as Extract<RailAnswer, { outcome: O }>;
}

/** Every text of an answer fits the port, whatever the rail wrote. */
function expectStorable(answer: RailAnswer): void {
  const texts = {
    receipt: 'receipt' in answer ? answer.receipt : '',
    name: 'publicName' in answer ? (answer.publicName ?? '') : '',
    detail: 'detail' in answer ? answer.detail : '',
  };
  for (const field of Object.keys(MAX_TEXT) as (keyof typeof MAX_TEXT)[]) {
    const text = texts[field];
    assert.ok(text.length <= MAX_TEXT[field], `${field} has ${text.length} characters`);
    assert.ok(text.isWellFormed() && !/\p{Cc}/u.test(text), `${field} cannot be stored: ${JSON.stringify(text)}`);
  }
}
