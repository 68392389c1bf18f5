import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { money } from '@vuka/domain';
import type { BalanceProvider, BalancesAnswer, ProviderAnswer } from '@vuka/payouts';
import { Metrics } from '@vuka/runtime';
import { LOGGER } from '@vuka/service-host';

import { CallProvider } from '../payouts/call-provider.js';
import type { Parts } from '../testing/parts.spec-support.js';
import { startPaymentsDatabase, type PaymentsDatabase } from '../testing/payments-database.spec-support.js';
import { AMOUNT, Harness, later, ScriptedProvider, startedHarness } from '../testing/payout-harness.spec-support.js';
import { FloatWatch } from './float-watch.js';
import { OpenAttempts } from './open-attempts.js';
import { ReadFloats } from './read-floats.js';

let pg: PaymentsDatabase;

beforeAll(async () => {
  pg = await startPaymentsDatabase();
}, 60_000);
afterAll(() => pg.stop());

const MINUTE_MS = 60_000;
const SUBMITTED: ProviderAnswer = { outcome: 'submitted' };
const PAID: ProviderAnswer = {
  outcome: 'succeeded',
  receipt: 'R1',
  publicName: null,
  amount: money(AMOUNT, 'KES'),
  recipient: '1234567890',
};

interface Watched {
  readonly trip: Harness;
  readonly parts: Parts;
  readonly alarms: Record<string, unknown>[];
  sample(name: string): Promise<[labels: string, value: number][]>;
}

function watchedBy(trip: Harness): Watched {
  const alarms: Record<string, unknown>[] = [];
  const log = { error: (fields: Record<string, unknown>) => alarms.push(fields), warn: () => undefined, info: () => undefined }; // prettier-ignore
  const parts = trip.partsWith([LOGGER, log]);
  const sample = async (name: string): Promise<[string, number][]> => {
    const found = [...(await parts.get(Metrics).text()).matchAll(new RegExp(`^${name}\\{(.*)\\} (\\S+)$`, 'gm'))];
    return found.map(([, labels = '', value]) => {
      const ours = labels.split(',').filter((label) => !label.startsWith('service='));
      return [ours.join(',').replaceAll('"', ''), Number(value)];
    });
  };
  return { trip, parts, alarms, sample };
}

/** A payout of somebody else that this provider ends so, `tookMs` after the call began. */
async function endedBy({ trip, parts }: Watched, answer: ProviderAnswer, tookMs = 0): Promise<void> {
  const other = new Harness(pg, trip.provider);
  // Accepted not later than it is started, and within the deadline of its request.
  if (trip.clock.now() < other.clock.now()) other.clock.set(trip.clock.now());
  await other.accepted();
  other.clock.advance(trip.clock.monotonicMs());
  other.clock.set(trip.clock.now());
  await other.start();
  trip.provider?.will(answer);
  const claimed = await other.claim('submit');
  trip.clock.advance(tookMs);
  for (const attempt of claimed) await parts.get(CallProvider).run('submit', attempt);
}

class TellingProvider extends ScriptedProvider implements BalanceProvider {
  at = (): Date => new Date();
  balanceRules = { holdsOpening: false };
  answer: BalancesAnswer = { outcome: 'failed', detail: 'down' };
  async balances(): Promise<BalancesAnswer> {
    if (this.answer.outcome === 'failed') return this.answer;
    return { outcome: 'told', balances: this.answer.balances.map((float) => ({ ...float, at: this.at() })) };
  }
  holds(minor: bigint): void {
    this.answer = { outcome: 'told', balances: [{ wallet: 'main', amount: money(minor, 'KES'), at: this.at() }] };
  }
}

describe('attempts that a provider ends', () => {
  it('are counted once, by corridor, with the time from the first call', async () => {
    const trip = await startedHarness(pg, new ScriptedProvider([SUBMITTED, PAID, PAID]));
    const { parts, sample } = watchedBy(trip);
    const call = async (purpose: 'submit' | 'poll' | 'watch'): Promise<void> => {
      for (const attempt of await trip.claim(purpose)) await parts.get(CallProvider).run(purpose, attempt);
    };
    await call('submit');
    expect(await sample('vuka_payments_ended_attempts_total')).toEqual([]);
    trip.clock.advance(40_000);
    await call('poll');
    trip.clock.advance(2_000);
    await call('watch');
    const corridor = 'provider=sandbox,currency=KES,kind=bank,network=none';
    expect(await sample('vuka_payments_ended_attempts_total')).toEqual([
      [`${corridor},outcome=succeeded,reason=none`, 1],
    ]);
    expect(await sample('vuka_payments_attempt_seconds_sum')).toEqual([[`${corridor},outcome=succeeded`, 40]]);
  });

  it('page where they wait for a person of ours, once a minute, and are no end', async () => {
    const waits: ProviderAnswer = { outcome: 'submitted', waitsForUs: 'OTP\u0000' };
    const trip = await startedHarness(pg, new ScriptedProvider([waits, waits, waits, PAID, PAID]));
    const { parts, alarms, sample } = watchedBy(trip);
    const call = async (purpose: 'submit' | 'poll'): Promise<void> => {
      for (const attempt of await trip.claim(purpose)) await parts.get(CallProvider).run(purpose, attempt);
    };
    await call('submit');
    for (const ms of [20_000, MINUTE_MS]) {
      trip.clock.advance(ms);
      await call('poll');
    }
    const alarm = { code: 'payout_waits_for_us', provider: 'sandbox', currency: 'KES', detail: 'OTP' };
    expect(alarms).toEqual([1, 2].map(() => ({ ...alarm, attempt_id: expect.stringMatching(/^[0-9a-f-]{36}$/) })));
    expect([await trip.state(), await sample('vuka_payments_ended_attempts_total')]).toEqual(['SUBMITTED', []]);
    trip.clock.advance(MINUTE_MS);
    await call('poll');
    expect([await trip.state(), alarms.length]).toEqual(['COMPLETE', 2]);
  });

  it('page at once where the fault is ours, and once a minute', async () => {
    const watched = watchedBy(new Harness(pg, new ScriptedProvider([])));
    const { trip, alarms, sample } = watched;
    const refused: ProviderAnswer = { outcome: 'deferred', reason: 'config', detail: 'HTTP 401' };
    for (const answer of [
      refused,
      refused,
      { outcome: 'deferred', reason: 'float', detail: 'NO_FUNDS' },
      { outcome: 'deferred', reason: 'corridor_off', detail: 'OFF' },
    ] as const)
      await endedBy(watched, answer);
    expect(alarms).toEqual([
      { code: 'provider_config_refused', provider: 'sandbox', currency: 'KES', detail: 'HTTP 401' },
      { code: 'float_empty', provider: 'sandbox', currency: 'KES', detail: 'NO_FUNDS' },
    ]);
    trip.clock.advance(MINUTE_MS);
    await endedBy(watched, refused);
    expect(alarms.slice(2).map(({ code }) => code)).toEqual(['provider_config_refused']);
    const counted = await sample('vuka_payments_ended_attempts_total');
    expect(counted.map(([labels, count]) => [labels.replace(/.*reason=/, ''), count])).toEqual([
      ['config', 3],
      ['float', 1],
      ['corridor_off', 1],
    ]);
    expect(await sample('vuka_payments_attempt_seconds_count')).toEqual([]);
  });

  it('call people where a corridor pays too few, but not for recipients that cannot be paid, or out of hours', async () => {
    const refused = (code: 'recipient_not_found' | 'rail_rejected'): ProviderAnswer => ({
      outcome: 'not_paid',
      code,
      routeLeft: false,
      detail: code,
    });
    const watched = watchedBy(new Harness(pg, new ScriptedProvider([])));
    const minuteOf = async (...answers: ProviderAnswer[]): Promise<unknown[]> => {
      watched.alarms.length = 0;
      watched.trip.clock.advance(MINUTE_MS);
      for (const answer of answers) await endedBy(watched, answer);
      return watched.alarms;
    };
    expect(await minuteOf(...Array<ProviderAnswer>(9).fill(PAID), refused('recipient_not_found'))).toEqual([]);
    const outOfHours: ProviderAnswer = {
      outcome: 'deferred',
      reason: 'corridor_off',
      detail: 'HOURS',
      isPlanned: true,
    };
    expect(await minuteOf(...Array<ProviderAnswer>(6).fill(outOfHours))).toEqual([]);
    expect(await minuteOf(...Array<ProviderAnswer>(3).fill(refused('rail_rejected')))).toEqual([]);
    const corridor = { provider: 'sandbox', currency: 'KES', kind: 'bank', network: 'none' };
    expect(await minuteOf(refused('rail_rejected'))).toEqual([
      { code: 'corridor_success_low', ...corridor, paid: 9, ended: 13, within_minutes: 60 },
    ]);
  });

  it('call people where a provider takes longer than usual', async () => {
    const provider = new ScriptedProvider([]);
    Object.assign(provider.promises, { usualPaceMs: 4_000 });
    const watched = watchedBy(new Harness(pg, provider));
    for (let payouts = 0; payouts < 12; payouts += 1) await endedBy(watched, PAID, 5_000);
    expect(watched.alarms).toEqual([]);
    await endedBy(watched, PAID, 5_000);
    const corridor = { provider: 'sandbox', currency: 'KES', kind: 'bank', network: 'none' };
    expect(watched.alarms).toEqual([
      { code: 'corridor_slow', ...corridor, ended: 13, p95_seconds: 5, usual_seconds: 4, within_minutes: 60 },
    ]);
  });
});

describe('attempts that are open', () => {
  it('are told by provider and state, with the age of the oldest', async () => {
    const provider = new ScriptedProvider([SUBMITTED, { outcome: 'unknown', detail: '' }], true, 'sandbox_b');
    const trip = await startedHarness(pg, provider);
    await trip.call('submit');
    const { parts, sample } = watchedBy(trip);
    parts.get(OpenAttempts);
    trip.clock.advance(91 * MINUTE_MS);
    expect(await sample('vuka_payments_open_attempts')).toEqual(
      expect.arrayContaining([
        ['provider=sandbox_b,state=SENDING', 0],
        ['provider=sandbox_b,state=PENDING', 1],
      ]),
    );
    expect(await sample('vuka_payments_oldest_attempt_seconds')).toContainEqual(['provider=sandbox_b,state=PENDING', 91 * 60]); // prettier-ignore
    await later(trip, 'poll');
    expect(await sample('vuka_payments_open_attempts')).toContainEqual(['provider=sandbox_b,state=UNKNOWN', 1]);
  });
});

describe('floats', () => {
  const watched = (id: string): Watched & { provider: TellingProvider } => {
    const provider = new TellingProvider([], true, id);
    const trip = new Harness(pg, provider);
    provider.at = () => trip.clock.now();
    return { provider, ...watchedBy(trip) };
  };

  it('are told as the provider and as the ledger says, with their age', async () => {
    const { provider, trip, parts, sample } = watched('sandbox');
    await trip.accepted();
    provider.holds(-5_00n);
    await parts.get(ReadFloats).run();
    parts.get(FloatWatch);
    trip.clock.advance(30_000);
    const float = 'provider=sandbox,wallet=main,currency=KES';
    expect(await sample('vuka_payments_float_minor')).toContainEqual([`${float},source=provider`, -500]);
    const [ledger] = await pg.db.query<{ held: string }>(
      `select sum(case when e.from_account = a.id then e.amount_minor else -e.amount_minor end)::text as held from accounts a join entries e on a.id in (e.from_account, e.to_account) where a.name like 'rail:sandbox:%KES'`,
    );
    expect(await sample('vuka_payments_float_minor')).toContainEqual([`${float},source=ledger`, Number(ledger?.held)]);
    expect(await sample('vuka_payments_float_age_seconds')).toEqual(expect.arrayContaining([[`${float},source=provider`, 30], [`${float},source=ledger`, 30]])); // prettier-ignore
  });

  it('page where less is left than was spent within a day, and no longer once there is more', async () => {
    const { provider, trip, parts, alarms } = watched('low_provider');
    const read = async (minor: bigint, afterMs: number): Promise<unknown[]> => {
      alarms.length = 0;
      trip.clock.advance(afterMs);
      provider.holds(minor);
      await parts.get(ReadFloats).run();
      await parts.get(FloatWatch).alert();
      return alarms.filter((alarm) => alarm['provider'] === provider.id);
    };
    expect(await read(1_000n, 0)).toEqual([]);
    expect(await read(600n, 5 * MINUTE_MS)).toEqual([]);
    const low = { code: 'float_low', provider: 'low_provider', wallet: 'main', currency: 'KES' };
    expect(await read(450n, 5 * MINUTE_MS)).toEqual([{ ...low, told_minor: '450', spent_minor: '550' }]);
    expect(await read(900n, 60 * MINUTE_MS)).toEqual([]);
    expect(await read(540n, 60 * MINUTE_MS)).toEqual([{ ...low, told_minor: '540', spent_minor: '910' }]);
    // Of a long gap nobody knows when it was spent.
    expect(await read(100n, 25 * 60 * MINUTE_MS)).toEqual([]);
  });

  it('page where a provider has not told them for half an hour, also after a restart', async () => {
    const { provider, trip, parts, alarms } = watched('silent_provider');
    const unread = async (of: Parts, afterMs: number): Promise<unknown[]> => {
      alarms.length = 0;
      trip.clock.advance(afterMs);
      await of.get(ReadFloats).run();
      await of.get(FloatWatch).alert();
      return alarms.filter(({ code, provider: id }) => code === 'provider_balance_unread' && id === provider.id);
    };
    expect(await unread(parts, 0)).toEqual([]);
    expect(await unread(parts, 30 * MINUTE_MS)).toMatchObject([{ minutes: 30 }]);
    provider.holds(7n);
    expect(await unread(parts, MINUTE_MS)).toEqual([]);
    provider.answer = { outcome: 'failed', detail: 'down' };
    expect(await unread(parts, 29 * MINUTE_MS)).toEqual([]);
    expect(await unread(parts, MINUTE_MS)).toMatchObject([{ minutes: 30 }]);
    const restarted = watchedBy(trip);
    expect(await unread(restarted.parts, 5 * MINUTE_MS)).toEqual([]);
    trip.clock.advance(6 * MINUTE_MS);
    await restarted.parts.get(FloatWatch).alert();
    expect(restarted.alarms).toContainEqual({ code: 'provider_balance_unread', provider: provider.id, minutes: 41 });
  });
});
