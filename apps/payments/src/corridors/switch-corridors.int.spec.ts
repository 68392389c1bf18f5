import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { ProviderAnswer } from '@vuka/payouts';
import { listAuditEntries } from '@vuka/persistence';

import { CorridorAdmin } from '../admin/corridor-admin.js';
import { StartPayout } from '../payouts/start-payout.js';
import { Harness, later, FUNDS, ScriptedProvider, startedHarness } from '../testing/payout-harness.spec-support.js';
import { startPaymentsDatabase, type PaymentsDatabase } from '../testing/payments-database.spec-support.js';
import {
  NO_FLOAT,
  NOT_FOUND,
  NOT_PAID_HERE,
  paid,
  SUBMITTED,
  UNKNOWN,
} from '../testing/provider-answers.spec-support.js';
import { CorridorSwitchStore } from './corridor-switch.store.js';
import { type CorridorWish, SwitchCorridors } from './switch-corridors.js';

let pg: PaymentsDatabase;

beforeAll(async () => {
  pg = await startPaymentsDatabase();
}, 60_000);
afterEach(() => pg.db.query('delete from corridor_switches'));
afterAll(() => pg.stopWhole());

const ALL = { currency: null, kind: null, network: null };
const BANKS = { currency: 'KES', kind: 'bank', network: null };

const wish = (more: Partial<CorridorWish> = {}): CorridorWish => ({
  provider: 'sandbox',
  ...ALL,
  reason: 'it times out, ticket 40',
  by: 'Ann Otieno',
  ...more,
});
const accepted = (first: ProviderAnswer[], second?: ProviderAnswer[]): Promise<Harness> =>
  new Harness(
    pg,
    new ScriptedProvider(first),
    ...(second === undefined ? [] : [new ScriptedProvider(second, false, 'sandbox_b')]),
  ).accepted();
const sent = ({ providers }: Harness): number[] => providers.map(({ submitted }) => submitted.length);

async function off(trip: Harness, more: Partial<CorridorWish> = {}): Promise<void> {
  expect(await trip.partsWith().get(SwitchCorridors).switchOff(wish(more))).toMatchObject({ ok: true });
  trip.clock.advance(1_000);
}

async function on(trip: Harness, more: Partial<CorridorWish> = {}): Promise<void> {
  expect(await trip.partsWith().get(SwitchCorridors).switchOn(wish(more))).toMatchObject({ ok: true });
  trip.clock.advance(1_000);
}

describe('what people switch off', () => {
  it('is off once in the same words, with who, when and why, until somebody switches it on', async () => {
    const trip = await accepted([]);
    const parts = trip.partsWith();
    const [switching, admin] = [parts.get(SwitchCorridors), parts.get(CorridorAdmin)];
    expect(await switching.switchOff(wish({ ...BANKS }))).toMatchObject({ ok: true, value: { offBy: 'Ann Otieno', liftedAt: null } }); // prettier-ignore
    expect(await switching.switchOff(wish({ ...BANKS }))).toMatchObject({ error: { code: 'invalid_request' } });
    expect(await switching.switchOff(wish())).toMatchObject({ ok: true });
    const read = await admin.read();
    const [all, banks] = [2, 1].map((count) => read.corridors.filter(({ switched_off_by: by }) => by.length === count));
    expect(all).toMatchObject([{ provider: 'sandbox', ...BANKS, choice: 1 }]);
    expect(new Set(banks?.map(({ provider }) => provider))).toEqual(new Set(['sandbox']));
    expect(read.off.map(({ currency, off_by: by, reason }) => [currency, by, reason])).toEqual([
      ['KES', 'Ann Otieno', 'it times out, ticket 40'],
      [null, 'Ann Otieno', 'it times out, ticket 40'],
    ]);
    expect(await switching.switchOn(wish({ currency: 'KES' }))).toMatchObject({ error: { code: 'not_found' } });
    expect(await switching.switchOn(wish({ ...BANKS, by: 'Ben Mwangi', reason: 'up' }))).toMatchObject({ ok: true });
    expect((await admin.read()).before).toMatchObject([{ lifted_by: 'Ben Mwangi', lifted_why: 'up', ...BANKS }]);
    const audit = await listAuditEntries(pg.db, { limit: 3 });
    expect(audit.map(({ act, subject, by }) => [act, subject, by])).toEqual([
      ['corridor.switched_on', 'sandbox KES bank', 'Ben Mwangi'],
      ['corridor.switched_off', 'sandbox', 'Ann Otieno'],
      ['corridor.switched_off', 'sandbox KES bank', 'Ann Otieno'],
    ]);
  });

  it.each<[string, Partial<CorridorWish>, string]>([
    ['a provider without a route', { provider: 'pawapay' }, 'not_found'],
    ['a corridor that our rules do not know', { currency: 'KES', kind: 'mobile', network: 'Orange' }, 'invalid_request'],
    ['a network of a bank', { currency: 'KES', kind: 'bank', network: 'MTN' }, 'invalid_request'],
    ['a kind in no currency', { kind: 'bank' }, 'invalid_request'],
    ['without a reason', { reason: ' ' }, 'invalid_request'],
  ])('is not %s', async (_, more, code) => {
    const trip = await accepted([]);
    expect(await trip.partsWith().get(SwitchCorridors).switchOff(wish(more))).toMatchObject({ error: { code } });
    expect(await new CorridorSwitchStore(pg.db).standing()).toEqual([]);
  }); // prettier-ignore
});

describe('a payment whose first choice is switched off', () => {
  it('takes the next provider of its route; another corridor does not matter', async () => {
    const trip = await accepted([], [paid('B1')]);
    await off(trip);
    await off(trip, { provider: 'sandbox_b', currency: 'KES', kind: 'mobile' });
    await (await trip.start()).call('submit');
    expect([await trip.state(), sent(trip)]).toEqual(['COMPLETE', [0, 1]]);
  });

  it('that is its only way waits, does not fail before its deadline, and goes at once when it is on again', async () => {
    const trip = await accepted([paid('A1')]);
    await off(trip, BANKS);
    for (let tries = 0; tries < 3; tries++) {
      await trip.start();
      expect([await trip.state(), await trip.call('submit')]).toEqual(['QUEUED', 0]);
      trip.clock.advance(5_000);
    }
    await trip.start();
    await on(trip, BANKS);
    await (await trip.start()).call('submit');
    expect([await trip.state(), sent(trip)]).toEqual(['COMPLETE', [1]]);
  });

  it('fails with its money back when that lasts beyond its deadline', async () => {
    const trip = await accepted([]);
    await off(trip);
    await trip.start();
    trip.clock.advance(30_000);
    await trip.start();
    expect([await trip.state(), (await trip.row()).failure_code, await trip.wallet()]).toEqual([
      'FAILED',
      'rail_unavailable',
      FUNDS,
    ]);
  });

  it('is not tried again at once where the other provider has put it off, and waits for one that may still pay', async () => {
    const trip = await accepted([], [NO_FLOAT, NOT_PAID_HERE]);
    await off(trip);
    await (await trip.start()).call('submit');
    await trip.start();
    expect([await trip.state(), sent(trip)]).toEqual(['QUEUED', [0, 1]]);
    trip.clock.advance(1_000);
    await (await trip.start()).call('submit');
    await trip.start();
    expect([await trip.state(), sent(trip)]).toEqual(['QUEUED', [0, 2]]);
    trip.provider?.will(paid('A1'));
    await on(trip);
    await (await trip.start()).call('submit');
    expect([await trip.state(), sent(trip)]).toEqual(['COMPLETE', [1, 2]]);
  });

  it('is not left waiting if it was switched on before the payment began to wait', async () => {
    const trip = await accepted([paid('A1')]);
    await off(trip);
    const standing = CorridorSwitchStore.prototype.standing;
    let reads = 0;
    const overtaken = Object.assign(new CorridorSwitchStore(pg.db), {
      standing: async function standingThenLifted(this: CorridorSwitchStore) {
        const found = await standing.call(this);
        // The second read confirms.
        if (++reads === 2) await trip.partsWith().get(SwitchCorridors).switchOn(wish());
        return found;
      },
    });
    await trip.start(trip.partsWith([CorridorSwitchStore, overtaken]).get(StartPayout));
    expect([reads, await trip.state()]).toEqual([3, 'QUEUED']);
    await (await trip.start()).call('submit');
    expect(await trip.state()).toBe('COMPLETE');
  });
});

describe('an attempt of a provider that is switched off', () => {
  it('that was not sent yet is given up for the next provider', async () => {
    const trip = await (await accepted([], [paid('B1')])).start();
    await off(trip);
    await trip.call('submit');
    expect([await trip.state(), sent(trip)]).toEqual(['QUEUED', [0, 0]]);
    trip.clock.advance(1_000);
    await trip.start();
    await trip.call('submit');
    expect([await trip.state(), sent(trip)]).toEqual(['COMPLETE', [0, 1]]);
  });

  it('that may have been taken is asked about and never sent again, nor by another provider', async () => {
    const trip = await startedHarness(
      pg,
      new ScriptedProvider([UNKNOWN, NOT_FOUND, NOT_FOUND, paid('A1')]),
      new ScriptedProvider([], false, 'sandbox_b'),
    );
    await trip.call('submit');
    await off(trip);
    for (let polls = 0; polls < 2; polls++) {
      await later(trip, 'poll', 1_000);
      await trip.start();
      expect([await trip.state(), sent(trip)]).toEqual(['IN_DOUBT', [1, 0]]);
    }
    await later(trip, 'poll', 1_000);
    expect([await trip.state(), sent(trip)]).toEqual(['COMPLETE', [1, 0]]);
  });

  it('is sent again under the same id when it is on again', async () => {
    const trip = await startedHarness(pg, new ScriptedProvider([UNKNOWN, NOT_FOUND, NOT_FOUND, paid('A1')]));
    await trip.call('submit');
    await off(trip);
    await later(trip, 'poll', 1_000);
    await on(trip);
    await later(trip, 'poll', 1_000);
    expect([await trip.state(), new Set(trip.provider?.submitted).size, sent(trip)]).toEqual(['COMPLETE', 1, [2]]);
  });

  it('goes on where the provider has taken it', async () => {
    const trip = await startedHarness(pg, new ScriptedProvider([SUBMITTED, paid('A1')]));
    await trip.call('submit');
    await off(trip);
    await later(trip, 'poll');
    expect(await trip.state()).toBe('COMPLETE');
  });
});
