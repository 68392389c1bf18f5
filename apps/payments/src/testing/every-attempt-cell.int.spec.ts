import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { money, type AttemptState } from '@vuka/domain';
import type { ProviderAnswer } from '@vuka/payouts';

import { AMOUNT, LEASE_MS, Harness, ScriptedProvider } from './payout-harness.spec-support.js';
import { startPaymentsDatabase, type PaymentsDatabase } from './payments-database.spec-support.js';

/** Model test of attempts (docs/generated/coverage.md): each state and answer, PostgreSQL against the golden copy. */
let pg: PaymentsDatabase;

beforeAll(async () => {
  pg = await startPaymentsDatabase();
}, 60_000);
afterAll(() => pg.stop());

const SUBMITTED: ProviderAnswer = { outcome: 'submitted' };
const UNKNOWN: ProviderAnswer = { outcome: 'unknown', detail: '' };
const PAID: ProviderAnswer = {
  outcome: 'succeeded',
  receipt: 'R1',
  publicName: null,
  amount: money(AMOUNT, 'KES'),
  recipient: '1',
};
const notPaid = (routeLeft: boolean): ProviderAnswer => ({
  outcome: 'not_paid',
  code: 'rail_rejected',
  routeLeft,
  detail: '',
});

/** Answers that lead to the state, and the next call's purpose. */
const STATES = {
  SENDING: { before: [], purpose: 'submit' },
  PENDING: { before: [SUBMITTED], purpose: 'poll' },
  UNKNOWN: { before: [UNKNOWN], purpose: 'poll' },
  PAID: { before: [PAID], purpose: 'watch' },
  NOT_PAID: { before: [notPaid(false)], purpose: 'watch' },
} as const satisfies Partial<
  Record<AttemptState, { before: readonly ProviderAnswer[]; purpose: 'submit' | 'poll' | 'watch' }>
>;

const ANSWERS: Readonly<Record<string, ProviderAnswer>> = {
  submitted: SUBMITTED,
  unknown: UNKNOWN,
  succeeded: PAID,
  not_paid_route_left: notPaid(true),
  not_paid_last: notPaid(false),
  deferred: { outcome: 'deferred', reason: 'float', detail: '' },
  reversed: { outcome: 'reversed', receipt: 'R1', detail: '' },
  mismatch: { outcome: 'mismatch', detail: '' },
};

function goldenCells(): (readonly [string, string, string])[] {
  const text = readFileSync(join(import.meta.dirname, '../../../../libs/domain/src/machine/golden/attempt.md'), 'utf8');
  const block = text.split('\n\n').find((one) => one.startsWith('|')) ?? '';
  const [head = [], , ...rows] = block
    .trim()
    .split('\n')
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  return rows.flatMap(([state = '', ...cells]) =>
    cells.flatMap((cell, index) => (head[index + 1] ?? '').split(', ').map((event) => [state, event, cell] as const)),
  );
}

async function attemptAt(state: keyof typeof STATES, dedupes = false): Promise<Harness> {
  const second = new ScriptedProvider([], false, 'sandbox_b');
  const trip = await (
    await new Harness(pg, new ScriptedProvider([...STATES[state].before], dedupes), second).accepted()
  ).start();
  if (STATES[state].before.length > 0) await trip.call('submit');
  trip.clock.advance(10_000);
  return trip;
}

async function stateOf(trip: Harness): Promise<AttemptState> {
  return (await trip.attempts.historyOf(trip.id)).attempts[0]!.state;
}

const said = goldenCells().filter(([state, event]) => state in STATES && event in ANSWERS);

describe('every cell of the attempt table that a provider can bring about', () => {
  it.each(said)('%s + %s: %s', async (state, event, cell) => {
    const trip = await attemptAt(state as keyof typeof STATES);
    trip.provider!.will(ANSWERS[event]!);
    expect(await trip.call(STATES[state as keyof typeof STATES].purpose)).toBe(1);
    // Only the single submit's answer proves that nothing was taken.
    const [, proven = cell, otherwise = cell] = /^proven not taken: (.*) \/ else: (.*)$/.exec(cell) ?? [];
    const text = STATES[state as keyof typeof STATES].purpose === 'submit' ? proven : otherwise;
    const isSame = ['ignore', 'record', 'refuse', '!'].includes(text);
    expect(await stateOf(trip)).toBe(isSame ? state : text.replace('! ', ''));
  });
});

describe('sending', () => {
  it('INTENT: is committed before the call', async () => {
    const trip = await (await new Harness(pg, new ScriptedProvider([])).accepted()).start();
    expect(await stateOf(trip)).toBe('INTENT');
    await trip.claim('submit');
    expect([await stateOf(trip), trip.provider!.submitted]).toEqual(['SENDING', []]);
  });

  it.each([true, false])('SENDING: again only where the provider dedupes (%s)', async (dedupes) => {
    const trip = await attemptAt('SENDING', dedupes);
    await trip.claim('submit');
    trip.provider!.will(SUBMITTED);
    trip.clock.advance(LEASE_MS + 1);
    await trip.call('submit');
    expect([await stateOf(trip), trip.provider!.submitted.length]).toEqual(dedupes ? ['PENDING', 1] : ['UNKNOWN', 0]);
  });

  it.each([true, false])('UNKNOWN: again only where the provider dedupes (%s)', async (dedupes) => {
    const trip = await attemptAt('UNKNOWN', dedupes);
    trip.provider!.will(UNKNOWN, SUBMITTED);
    await trip.call('poll');
    expect([await stateOf(trip), trip.provider!.submitted.length]).toEqual(dedupes ? ['PENDING', 2] : ['UNKNOWN', 1]);
  });

  it.each(['PENDING', 'PAID', 'NOT_PAID'] as const)('%s: never again', async (state) => {
    const trip = await attemptAt(state, true);
    trip.provider!.will(UNKNOWN);
    expect(await trip.call('submit')).toBe(0);
    await trip.call(STATES[state].purpose);
    expect(trip.provider!.submitted).toHaveLength(1);
  });
});

describe('stopped', () => {
  /** The first attempt has paid while the second is in this state. */
  async function overtaken(second: ProviderAnswer | null): Promise<Harness> {
    const trip = await (
      await new Harness(
        pg,
        new ScriptedProvider([notPaid(true), PAID]),
        new ScriptedProvider(second ? [second] : [], false, 'sandbox_b'),
      ).accepted()
    ).start();
    await trip.call('submit');
    await trip.start();
    if (second) await trip.call('submit');
    return trip;
  }
  const secondOf = async (trip: Harness): Promise<unknown> => (await trip.attempts.historyOf(trip.id)).attempts[1];

  it('INTENT: given up, in the commit that completes by the older attempt', async () => {
    const trip = await overtaken(null);
    trip.clock.advance(10_000);
    await trip.call('watch');
    expect([await trip.state(), await secondOf(trip)]).toEqual([
      'COMPLETE',
      expect.objectContaining({ state: 'NOT_PAID', endedBy: 'stopped' }),
    ]);
  });

  it('INTENT: goes out where its claim was faster, and the older payment is then one too many', async () => {
    const trip = await overtaken(null);
    trip.clock.advance(10_000);
    const [older] = await trip.claim('watch');
    const historyOf = trip.attempts.historyOf.bind(trip.attempts);
    let claimed = false;
    // The newer attempt is claimed between read and commit.
    trip.attempts.historyOf = async (id) => {
      const history = await historyOf(id);
      if (!claimed) {
        claimed = true;
        await trip.claim('submit');
      }
      return history;
    };
    await trip.caller.run('watch', older!);
    expect([await trip.state(), await trip.posted(), await secondOf(trip)]).toEqual([
      'SUBMITTING',
      ['payout_held', 'duplicate_payment_ours'],
      expect.objectContaining({ state: 'SENDING' }),
    ]);
  });

  it.each([
    ['PENDING', SUBMITTED],
    ['UNKNOWN', UNKNOWN],
  ] as const)('%s: is not given up, for it is out', async (state, answer) => {
    const trip = await overtaken(answer);
    await trip.call('watch');
    trip.clock.advance(10_000);
    await trip.call('watch');
    expect(await secondOf(trip)).toMatchObject({ state, endedBy: null });
  });
});
