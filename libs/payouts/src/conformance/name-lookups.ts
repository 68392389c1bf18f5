import assert from 'node:assert/strict';

import { type ConnectedProvider, looksUpNames, type NameAnswer, type NameProvider } from '../payout-provider.js';
import { MAX_TEXT } from '../provider-text.js';
import {
  CREDENTIAL,
  type HonestCase,
  type HonestHarness,
  LONG_TIMEOUT_MS,
  type Named,
  type RudeCase,
  type RudeHarness,
  SHORT_TIMEOUT_MS,
} from './harness.js';
import { type ForgedAnswer, RUDE_ANSWERS, type RudeAnswer } from './rude-server.js';

/** For a busy machine. */
const SLACK_MS = 2_000;
/** More than a submit and a query need, less than the provider's own timeout. */
const PATIENCE_MS = 1_500;

export function honestNameCases({ names, ...harness }: HonestHarness): Record<string, HonestCase> {
  if (names === undefined)
    return {
      'cannot be asked for names': (provider) =>
        Promise.resolve(assert.ok(!looksUpNames(provider), 'the harness has no names and the provider tells them')),
    };
  const cases: Record<string, HonestCase> = {
    'tells the name of each kind of recipient, and pays nobody by it': async (provider, simulator) => {
      for (const { name, ...named } of names.known())
        assert.equal((await expectName(provider, named, 'found')).name, name);
      const payout = harness.payable();
      assert.equal((await provider.query(payout)).outcome, 'unknown');
      assert.equal(await simulator.timesPaid(payout.attemptId), 0);
    },
    'tells a recipient that does not exist from a name that cannot be told': async (provider) => {
      await expectName(provider, names.nobody(), 'not_found');
      const nameless = names.nameless?.();
      if (nameless !== undefined) await expectName(provider, nameless, 'cannot_tell');
    },
    'a wrong credential and a provider that has gone away tell nothing of anybody': async (provider, simulator) => {
      const stranger = harness.connect({
        baseUrl: simulator.baseUrl,
        credential: `${CREDENTIAL}-wrong`,
        callTimeoutMs: LONG_TIMEOUT_MS,
      });
      try {
        for (const named of [...names.known(), names.nobody()]) await expectName(stranger, named, 'failed');
      } finally {
        await stranger.close();
      }
      await simulator.stop();
      for (const named of [...names.known(), names.nobody()]) await expectName(provider, named, 'failed');
    },
  };
  const unanswered = names.unanswered?.();
  if (unanswered === undefined) return cases;
  return {
    ...cases,
    'a name that is not told ends by the question’s own patience, and keeps nobody else from being told or paid':
      async (provider) => {
        const started = performance.now();
        let hasEnded = false;
        const waiting = Array.from({ length: provider.capabilities.callsAtOnce }, () =>
          expectName(provider, unanswered, 'failed', PATIENCE_MS).finally(() => (hasEnded = true)),
        );
        assert.equal((await provider.submit(harness.payable())).outcome, 'submitted');
        assert.equal((await provider.query(harness.payable())).outcome, 'unknown');
        assert.ok(!hasEnded, 'payouts have waited for names');
        await Promise.all(waiting);
        assert.ok(
          performance.now() - started < PATIENCE_MS + SLACK_MS,
          'the provider was given more time than there was',
        );
        for (const { name, ...named } of names.known())
          assert.equal((await expectName(provider, named, 'found')).name, name);
      },
  };
}

/** Never "no such recipient", and never an unprintable name. */
export function rudeNameCases({ names, ...harness }: RudeHarness): Record<string, RudeCase> {
  if (names === undefined)
    return {
      'cannot be asked for names': (provider) =>
        Promise.resolve(assert.ok(!looksUpNames(provider), 'the harness has no names and the provider tells them')),
    };
  const told = (
    title: string,
    answer: ForgedAnswer,
    outcome: NameAnswer['outcome'],
    name?: string,
  ): [string, RudeCase] => [
    `a name: ${title} is ${outcome}`,
    async (provider, server) => {
      server.answerWith(answer);
      const said: NameAnswer = await expectName(provider, names.asked(), outcome);
      if (name !== undefined) assert.equal('name' in said ? said.name : '', name);
    },
  ];
  const payout = harness.payable();
  return Object.fromEntries([
    told('as it should be', names.found('MARY WANJIKU'), 'found', 'MARY WANJIKU'),
    told('with what no database takes', names.found(' MARY\u0000\u001bWANJIKU\uDC00\n'), 'found', 'MARY WANJIKU\uFFFD'),
    told('without end, cut short,', names.found('💶x'.repeat(5_000)), 'found'),
    told('of nothing', names.found(''), 'cannot_tell'),
    told('of nothing but control characters', names.found('\u0000 \u0007\n'), 'cannot_tell'),
    told('of dashes', names.found('---'), 'cannot_tell'),
    told('nobody, by the provider’s own word,', names.nobody, 'not_found'),
    ...(names.nameless === undefined ? [] : [told('that cannot be told', names.nameless, 'cannot_tell')]),
    told('by an answer to a payout', harness.accepted(payout), 'failed'),
    told('by a payout’s record', harness.paid(payout), 'failed'),
    ...Object.entries(names.unreadable).map(([title, answer]) => told(title, answer, 'failed')),
    ...Object.entries(harness.refusals ?? {}).map(([title, answer]) => told(title, answer, 'failed')),
    ...(Object.keys(RUDE_ANSWERS) as RudeAnswer[]).map((rude): [string, RudeCase] => [
      `a name: ${rude} is failed, in the time there was`,
      (provider, server) => expectNothingTold(provider, server, names.asked(), rude),
    ]),
  ]);
}

async function expectNothingTold(
  provider: ConnectedProvider,
  server: Parameters<RudeCase>[1],
  named: Named,
  rude: RudeAnswer,
): Promise<void> {
  server.answerWith(rude);
  const started = performance.now();
  await expectName(provider, named, 'failed', SHORT_TIMEOUT_MS);
  assert.ok(
    performance.now() - started < SHORT_TIMEOUT_MS + SLACK_MS,
    'the provider was given more time than there was',
  );
  assert.ok(server.requests() <= 1, 'asked more than once on its own');
  const asked = server.requests();
  for (const timeoutMs of [0, -5]) await expectName(provider, named, 'failed', timeoutMs);
  assert.equal(server.requests(), asked);
}

async function expectName<O extends NameAnswer['outcome']>(
  provider: ConnectedProvider,
  named: Named,
  outcome: O,
  timeoutMs = LONG_TIMEOUT_MS,
): Promise<Extract<NameAnswer, { outcome: O }>> {
  assert.ok(looksUpNames(provider), 'the harness has names and the provider cannot be asked for them');
  const said = await (provider satisfies NameProvider).lookUpName({
    destination: named.destination,
    currency: named.currency,
    timeoutMs,
  });
  assert.equal(said.outcome, outcome, `answered ${JSON.stringify(said)}`);
  const text = 'name' in said ? said.name : 'detail' in said ? said.detail : '';
  assert.ok(text.length <= ('name' in said ? MAX_TEXT.name : MAX_TEXT.detail), `a text of ${text.length} characters`);
  assert.ok(text.isWellFormed() && !/\p{Cc}/u.test(text), `cannot be stored: ${JSON.stringify(text)}`);
  if ('name' in said) assert.notEqual(said.name, '');
  // Codes and shapes only: no name or number of a person.
  if ('detail' in said)
    for (const value of Object.values(named.destination) as string[])
      assert.ok(value.length < 3 || !said.detail.includes(value), 'the detail has the recipient in it');
  return said as Extract<NameAnswer, { outcome: O }>;
}
