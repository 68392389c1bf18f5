import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { loadSettings } from '@vuka/config';
import type { AvailabilityAnswer, AvailabilityProvider, CorridorAvailability, ProviderAnswer } from '@vuka/payouts';
import { Metrics } from '@vuka/runtime';
import { LOGGER, SETTINGS } from '@vuka/service-host';

import { CallProvider } from '../payouts/call-provider.js';
import { StartPayout } from '../payouts/start-payout.js';
import type { Parts } from '../testing/parts.spec-support.js';
import { Harness, ScriptedProvider } from '../testing/payout-harness.spec-support.js';
import { startPaymentsDatabase, type PaymentsDatabase } from '../testing/payments-database.spec-support.js';
import { NO_FLOAT, paid, SUBMITTED, UNKNOWN } from '../testing/provider-answers.spec-support.js';
import { CorridorHealth } from './corridor-health.js';
import { CorridorStateStore } from './corridor-state.store.js';
import { CorridorWatch } from './corridor-watch.js';
import { ReadAvailability } from './read-availability.js';

let pg: PaymentsDatabase;

beforeAll(async () => {
  pg = await startPaymentsDatabase();
}, 60_000);
beforeEach(async () => {
  for (const table of ['corridor_outcomes', 'corridor_health', 'corridor_notices', 'corridor_switches'])
    await pg.db.query(`delete from ${table}`);
  receipts = 0;
});
afterAll(() => pg.stopWhole());

const DOWN: ProviderAnswer = { outcome: 'deferred', reason: 'unreachable', detail: 'ECONNREFUSED' };
const BANKS = { currency: 'KES', kind: 'bank', network: null } as const;
let receipts = 0;

class TellingProvider extends ScriptedProvider implements AvailabilityProvider {
  answer: AvailabilityAnswer = { outcome: 'failed', detail: 'down' };
  availability(): Promise<AvailabilityAnswer> {
    return Promise.resolve(this.answer);
  }
  says(...states: CorridorAvailability['state'][]): this {
    const corridors = states.map((state) => ({ ...BANKS, state }));
    this.answer = { outcome: 'told', corridors, at: new Date() };
    return this;
  }
}

/** Payments of a live deployment, each of a partner of its own, at one time. */
class Traffic {
  readonly first = new TellingProvider([]);
  readonly second = new ScriptedProvider([], false, 'sandbox_b');
  readonly lines: Record<string, unknown>[] = [];
  private readonly base: Harness;
  private parts: Parts | undefined;

  constructor(private readonly isFirstAlone = false) {
    this.base = this.harness();
  }

  get all(): Parts {
    const told = (fields: Record<string, unknown>): unknown => this.lines.push(fields);
    const log = { error: told, warn: told, info: () => undefined };
    return (this.parts ??= this.base.partsWith([SETTINGS, { ...loadSettings({}), env: 'live' }], [LOGGER, log]));
  }

  /** Resolves with the payment, after its first provider has answered. */
  async pay(...answers: ProviderAnswer[]): Promise<Harness> {
    const trip = await this.accepted();
    await this.go(trip, ...answers);
    return trip;
  }

  async accepted(): Promise<Harness> {
    const trip = this.harness();
    if (this.base.clock.now() < trip.clock.now()) trip.clock.set(this.base.clock.now());
    return trip.accepted();
  }

  async go(trip: Harness, ...answers: ProviderAnswer[]): Promise<void> {
    for (const answer of answers) {
      const { first, second } = this;
      await this.startOf(trip);
      const [attempt] = await this.claimOf(trip);
      if (attempt === undefined) return;
      (attempt.provider === first.id ? first : second).will(answer);
      await this.all.get(CallProvider).run('submit', attempt);
    }
    await this.all.get(CorridorHealth).judge();
  }

  advance(ms: number): void {
    this.base.clock.advance(ms);
  }

  get now(): Date {
    return this.base.clock.now();
  }

  sent(): number[] {
    return [this.first, this.second].map(({ submitted }) => submitted.length);
  }

  private async startOf(trip: Harness): Promise<void> {
    const due = await trip.store.dueForStart(this.now, 1_000);
    for (const one of due.filter(({ details }) => details.id === trip.id)) await this.all.get(StartPayout).run(one);
  }

  private async claimOf(trip: Harness): ReturnType<Harness['claim']> {
    trip.clock.advance(this.base.clock.monotonicMs() - trip.clock.monotonicMs());
    trip.clock.set(this.now);
    return trip.claim('submit');
  }

  private harness(): Harness {
    return new Harness(pg, this.first, ...(this.isFirstAlone ? [] : [this.second]));
  }
}

const receipt = (): ProviderAnswer => paid(`R${String(++receipts)}`);

async function died(traffic: Traffic): Promise<void> {
  for (let payments = 0; payments < 4; payments++) await traffic.pay(UNKNOWN);
  traffic.advance(1_000);
}

describe('a corridor whose payments fail', () => {
  it('comes last within a minute, and what may have been taken stays where it is', async () => {
    const traffic = new Traffic();
    const doubtful = await traffic.pay(UNKNOWN);
    for (let payments = 0; payments < 3; payments++) await traffic.pay(UNKNOWN);
    expect(traffic.lines).toEqual([
      {
        code: 'corridor_unhealthy',
        provider: 'sandbox',
        ...BANKS,
        network: 'none',
        state: 'ill',
        detail: '4 of 4 within a minute',
      },
    ]);
    traffic.advance(1_000);
    expect(await (await traffic.pay(receipt())).state()).toBe('COMPLETE');
    expect([traffic.sent(), await doubtful.state()]).toEqual([[4, 1], 'IN_DOUBT']);
  });

  it('is tried by one payment in ten seconds, and is the first choice again when three in a row were paid', async () => {
    const traffic = new Traffic();
    await died(traffic);
    const payTwice = async (...answers: ProviderAnswer[]): Promise<number[]> => {
      traffic.advance(10_000);
      await traffic.pay(...answers);
      await traffic.pay(receipt());
      return traffic.sent();
    };
    expect(await payTwice(receipt())).toEqual([5, 1]);
    // A failure begins anew, and the payment goes on elsewhere.
    expect(await payTwice(DOWN, receipt())).toEqual([6, 3]);
    expect(await payTwice(receipt())).toEqual([7, 4]);
    expect(await payTwice(receipt())).toEqual([8, 5]);
    expect(await payTwice(receipt())).toEqual([9, 6]);
    traffic.advance(1_000);
    await traffic.pay(receipt());
    expect([traffic.sent(), await new CorridorStateStore(pg.db).ill()]).toEqual([[10, 6], []]);
    // What was counted before says nothing any more: one that fails now is no second episode.
    await traffic.pay(UNKNOWN);
    expect(traffic.lines.filter(({ code }) => code === 'corridor_unhealthy').length).toBe(1);
  });

  it('that is the only way is tried by few; the others wait, and are due when it pays again', async () => {
    const traffic = new Traffic(true);
    await died(traffic);
    const waiting = await traffic.accepted();
    await traffic.go(waiting, receipt());
    expect([await waiting.state(), traffic.sent()]).toEqual(['QUEUED', [4, 0]]);
    for (let payments = 0; payments < 3; payments++) {
      traffic.advance(10_000);
      await traffic.pay(receipt());
    }
    traffic.advance(1_000);
    await traffic.go(waiting, receipt());
    expect([await waiting.state(), traffic.sent()]).toEqual(['COMPLETE', [8, 0]]);
  });

  it('counts as well when no payment has tried it for an hour', async () => {
    const traffic = new Traffic();
    await died(traffic);
    const illAfter = async (ms: number): Promise<number> => {
      traffic.advance(ms);
      await traffic.all.get(CorridorHealth).judge();
      return (await new CorridorStateStore(pg.db).ill()).length;
    };
    expect([await illAfter(3_600_000), await illAfter(60_000)]).toEqual([1, 0]);
  });

  it('is not ill by a few of many, by an empty float, out of its hours, or by its recipients', async () => {
    const traffic = new Traffic(true);
    const refused: ProviderAnswer = { outcome: 'not_paid', code: 'recipient_not_found', routeLeft: false, detail: '' };
    const outOfHours: ProviderAnswer = { outcome: 'deferred', reason: 'corridor_off', detail: '', isPlanned: true };
    for (const answer of [
      outOfHours,
      outOfHours,
      outOfHours,
      outOfHours,
      receipt(),
      receipt(),
      receipt(),
      UNKNOWN,
      NO_FLOAT,
      NO_FLOAT,
      NO_FLOAT,
      NO_FLOAT,
      refused,
      refused,
      SUBMITTED,
    ])
      // prettier-ignore
      await traffic.pay(answer);
    expect(await new CorridorStateStore(pg.db).ill()).toEqual([]);
  });
});

describe('a provider that tells which corridors it can pay', () => {
  const read = (traffic: Traffic): Promise<void> => traffic.all.get(ReadAvailability).run();

  it('gets nothing while one is closed, and again when it is open or says nothing for five minutes', async () => {
    const traffic = new Traffic();
    traffic.first.says('closed');
    await read(traffic);
    await traffic.pay(receipt());
    expect(traffic.sent()).toEqual([0, 1]);
    traffic.first.answer = { outcome: 'failed', detail: 'down' };
    await read(traffic);
    traffic.advance(299_000);
    await traffic.pay(receipt());
    traffic.advance(2_000);
    await traffic.pay(receipt());
    expect(traffic.sent()).toEqual([1, 2]);
  });

  it('comes last while one is slow', async () => {
    const traffic = new Traffic();
    traffic.first.says('slow');
    await read(traffic);
    await traffic.pay(receipt());
    traffic.first.says('open');
    await read(traffic);
    traffic.advance(1_000);
    await traffic.pay(receipt());
    expect(traffic.sent()).toEqual([1, 1]);
  });

  it('makes payments wait that have no other way, which are due when it is open', async () => {
    const traffic = new Traffic(true);
    traffic.first.says('closed');
    await read(traffic);
    const trip = await traffic.accepted();
    await traffic.go(trip, receipt());
    expect([await trip.state(), traffic.sent()]).toEqual(['QUEUED', [0, 0]]);
    traffic.first.says();
    await read(traffic);
    traffic.advance(1_000);
    await traffic.go(trip, receipt());
    expect([await trip.state(), traffic.sent()]).toEqual(['COMPLETE', [1, 0]]);
  });

  it('is told to people and shown, for as long as it lasts', async () => {
    const traffic = new Traffic();
    traffic.first.says('closed');
    await read(traffic);
    await traffic.all.get(CorridorWatch).alert();
    expect(traffic.lines).toMatchObject([{ code: 'corridor_unhealthy', provider: 'sandbox', state: 'closed' }]);
    const shown = async (): Promise<string | undefined> =>
      /^vuka_payments_corridor_trouble\{.*state="closed".*\} (\d)$/m.exec(await traffic.all.get(Metrics).text())?.[1];
    expect(await shown()).toBe('1');
    traffic.first.says('open');
    await read(traffic);
    expect(await shown()).toBe('0');
  });
});
