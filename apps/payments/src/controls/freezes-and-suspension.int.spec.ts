import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { money } from '@vuka/domain';
import { newEnvelope } from '@vuka/messaging';
import type { ProviderAnswer } from '@vuka/payouts';
import { listAuditEntries } from '@vuka/persistence';
import { atDepth } from '@vuka/testing';
import fc from 'fast-check';

import { AdjustWallet } from '../wallets/adjust-wallet.js';
import { MoneyTroubleReader } from '../admin/readers/money-trouble-reader.js';
import { FreezePayouts } from './freeze-payouts.js';
import { FrozenPartners, RefuseFrozen, type Freeze } from './frozen-partners.js';
import { fundProviders } from '../testing/pay-harness.spec-support.js';
import { AMOUNT, nextPartner, Harness, ScriptedProvider } from '../testing/payout-harness.spec-support.js';
import { RecordPartnerStatus } from './record-partner-status.js';
import { RefundHarness } from '../testing/refund-harness.spec-support.js';
import { ReleaseParked } from './release-parked.js';
import { startPaymentsDatabase, type PaymentsDatabase } from '../testing/payments-database.spec-support.js';
import { ChainExitBlocks } from '../transactions/chain-exit-blocks.store.js';
import { WakeStopped } from './wake-stopped.js';

const PAID: ProviderAnswer = {
  outcome: 'succeeded',
  receipt: 'R1',
  publicName: null,
  amount: money(AMOUNT, 'KES'),
  recipient: '1234567890',
};
const BACK: ProviderAnswer = { outcome: 'reversed', receipt: 'R1', publicName: null, detail: '' };
const ROUTE_LEFT: ProviderAnswer = { outcome: 'not_paid', code: 'rail_unavailable', routeLeft: true, detail: '' };

let pg: PaymentsDatabase;
let trip: Harness;

beforeAll(async () => {
  pg = await startPaymentsDatabase();
  await fundProviders(pg);
}, 60_000);
beforeEach(async () => {
  trip = await new Harness(pg, new ScriptedProvider([PAID])).accepted();
});
afterAll(() => pg.stopWhole());

let woken = 0;
const starts = { notify: (): void => void (woken += 1) };
const wake = (of: Harness = trip): WakeStopped => new WakeStopped(of.store, of.clock, { starts });
const people = (of: Harness = trip): FreezePayouts => new FreezePayouts(pg.db, wake(of), of.clock);
const word = (of: Harness = trip) => ({ partnerId: of.partner, reason: 'court order 12', by: 'Ann Otieno' });

const statusOf = (status: 'active' | 'suspended', sequence: number, of: Harness = trip) =>
  newEnvelope({
    type: status === 'active' ? 'partner.resumed' : 'partner.suspended',
    key: String(of.partner),
    sequence,
    occurredAt: of.clock.now(),
    correlationId: 'c',
    causationId: '',
    producer: 'gateway',
    data: { partner_id: of.partner, status },
  });

async function told(status: 'active' | 'suspended', sequence: number, of: Harness = trip): Promise<void> {
  await new RecordPartnerStatus(pg.db, wake(of), of.clock).run(statusOf(status, sequence, of));
  of.clock.advance(1_000);
}

/** null: accepted. */
const refusal = async (of: Harness = trip): Promise<unknown> => {
  const refused = await new RefuseFrozen(new FrozenPartners(pg.db, of.clock), of.store).run(of.partner, 'new');
  return refused?.ok === false ? [refused.error.code, refused.error.message] : null;
};

describe('a partner whose payouts people freeze', () => {
  it('gets new requests refused without a reason; queued payouts wait past any deadline, and are due when the freeze is lifted', async () => {
    expect(await people().freeze(word())).toMatchObject({
      ok: true,
      value: { frozenBy: 'Ann Otieno', liftedAt: null },
    });
    expect(await refusal()).toEqual([
      'forbidden',
      'New payouts of this account are stopped. Please get in touch with us',
    ]);
    trip.clock.advance(1_000);
    for (let tries = 0; tries < 6; tries++) {
      await trip.start();
      expect(await trip.state()).toBe('QUEUED');
      trip.clock.advance(29_000);
    }
    const held = (await new MoneyTroubleReader(pg.db).frozen(1_000)).find(
      ({ partner_id }) => partner_id === trip.partner,
    );
    expect(held).toMatchObject({
      incidents: [],
      by_people: { reason: 'court order 12', by: 'Ann Otieno' },
      suspended_since: null,
      held_back: 1,
    });
    await trip.start();
    expect(await people().unfreeze({ ...word(), reason: 'order lifted' })).toMatchObject({
      ok: true,
      value: { liftedWhy: 'order lifted' },
    });
    trip.clock.advance(1_000);
    expect(await refusal()).toBeNull();
    await (await trip.start()).call('submit');
    expect([await trip.state(), trip.provider?.submitted.length]).toEqual(['COMPLETE', 1]);
  });

  it('continues at once if the freeze was lifted before the payout was parked', async () => {
    await people().freeze(word());
    let lifted = 0;
    const overtaken: Freeze = {
      why: (partnerId) => trip.frozen.why(partnerId),
      whyNow: async (partnerId) => {
        const why = await trip.frozen.whyNow(partnerId);
        if (why !== null && (await people().unfreeze(word())).ok) lifted += 1;
        return why;
      },
    };
    await trip.start(trip.starterBy(overtaken));
    expect([await trip.state(), lifted]).toEqual(['QUEUED', 1]);
    await (await trip.start()).call('submit');
    expect([await trip.state(), trip.provider?.submitted.length]).toEqual(['COMPLETE', 1]);
  });

  it('is frozen once, thawed once, each on the record; other partners are not touched', async () => {
    const others = await new Harness(pg, undefined).accepted();
    const both = await Promise.all([people().freeze(word()), people().freeze({ ...word(), by: 'Ben' })]);
    expect(both.filter(({ ok }) => ok)).toHaveLength(1);
    expect(await refusal(others)).toBeNull();
    expect(await people().unfreeze(word())).toMatchObject({ ok: true });
    expect(await people().unfreeze(word())).toMatchObject({ ok: false, error: { code: 'not_found' } });
    expect(await people().freeze({ ...word(), reason: ' ' })).toMatchObject({
      ok: false,
      error: { code: 'invalid_request' },
    });
    expect((await listAuditEntries(pg.db, { partnerId: trip.partner, limit: 10 })).map(({ act }) => act)).toEqual([
      'payouts.unfrozen',
      'payouts.frozen',
    ]);
  });

  it('gets no refund either, and is told so', async () => {
    const harness = new RefundHarness(pg);
    await harness.underpaid();
    await people(harness).freeze(word(harness));
    expect(await harness.requestRefund()).toMatchObject({
      ok: false,
      error: {
        code: 'forbidden',
        message: 'Nothing can be sent back now: payouts of the account are stopped. Ask the platform team',
      },
    });
    await told('suspended', 1, harness);
    expect(await harness.requestRefund()).toMatchObject({
      ok: false,
      error: { code: 'forbidden', message: expect.stringContaining('the account is suspended') },
    });
    await people(harness).unfreeze(word(harness));
    await told('active', 2, harness);
    expect(await harness.requestRefund()).toMatchObject({ ok: true });
  });
});

describe('a suspended partner', () => {
  it('starts nothing, past any deadline, and continues when it is resumed', async () => {
    await told('suspended', 1);
    expect(await refusal()).toEqual(['forbidden', expect.stringContaining('suspended')]);
    for (let tries = 0; tries < 6; tries++) {
      await trip.start();
      trip.clock.advance(29_000);
    }
    expect([await trip.state(), trip.provider?.submitted.length]).toEqual(['QUEUED', 0]);
    expect(
      (await new MoneyTroubleReader(pg.db).frozen(1_000)).find(({ partner_id }) => partner_id === trip.partner)
        ?.suspended_since,
    ).not.toBeNull();
    await trip.start();
    woken = 0;
    await told('active', 2);
    await (await trip.start()).call('submit');
    expect([await trip.state(), woken]).toEqual(['COMPLETE', 1]);
  });

  it('goes on at once where it was found suspended a moment before, by whichever process', async () => {
    await told('suspended', 1);
    await trip.start();
    expect(await trip.state()).toBe('QUEUED');
    await new RecordPartnerStatus(pg.db, wake(), trip.clock).run(statusOf('active', 2));
    await (await trip.start()).call('submit');
    expect([await trip.state(), trip.provider?.submitted.length]).toEqual(['COMPLETE', 1]);
  });

  it('hears how what a provider has goes on: payments, reversals; another provider is not tried', async () => {
    trip.provider?.will(BACK);
    const [claimed] = await (await trip.start()).claim('submit');
    await told('suspended', 1);
    await trip.caller.run('submit', claimed!);
    expect(await trip.state()).toBe('COMPLETE');
    trip.clock.advance(2_000);
    await trip.call('watch');
    expect([await trip.state(), (await trip.told()).map(([type]) => type)]).toEqual([
      'REVERSED',
      ['transaction.processing', 'transaction.complete', 'transaction.reversed'],
    ]);
    const second = await new Harness(
      pg,
      new ScriptedProvider([ROUTE_LEFT]),
      new ScriptedProvider([PAID], true, 'sandbox_b'),
    ).accepted();
    const [refused] = await (await second.start()).claim('submit');
    await told('suspended', 1, second);
    await second.caller.run('submit', refused!);
    await second.start();
    second.clock.advance(60_000);
    await second.start();
    expect([await second.state(), second.providers[1]?.submitted.length]).toEqual(['QUEUED', 0]);
    await told('active', 2, second);
    await (await second.start()).call('submit');
    expect([await second.state(), second.providers[1]?.submitted.length]).toEqual(['COMPLETE', 1]);
  });

  it('follows the newest event, in any order and with repeats', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc
          .array(fc.constantFrom<'active' | 'suspended'>('active', 'suspended'), { minLength: 1, maxLength: 6 })
          .chain((statuses) =>
            fc.shuffledSubarray(
              [...statuses, ...statuses].map((status, n) => ({ status, sequence: (n % statuses.length) + 1 })),
              { minLength: statuses.length * 2 },
            ),
          ),
        async (events) => {
          const of = new Harness(pg, undefined);
          of.partner = nextPartner();
          for (const { status, sequence } of events) await told(status, sequence, of);
          const newest = events.reduce((one, other) => (other.sequence > one.sequence ? other : one));
          expect(await of.frozen.why(of.partner)).toBe(newest.status === 'suspended' ? 'suspended' : null);
        },
      ),
      { numRuns: atDepth({ commit: 10, whole: 25 }) },
    );
  });

  it('while its payouts are being started has each started or waiting, none failed and none started later', async () => {
    const adjusting = new AdjustWallet(pg.db, trip.writer, trip.clock);
    const adjusted = await adjusting.propose({
      partnerId: trip.partner,
      currency: 'KES',
      direction: 'fund',
      amount: '10000',
      reason: 'for a race',
      by: 'Ann',
    });
    if (adjusted.ok) await adjusting.approve({ adjustmentId: adjusted.value.id, reason: 'for a race', by: 'Ben' });
    const all = [
      trip,
      ...(await Promise.all(
        Array.from({ length: 12 }, () => new Harness(pg, new ScriptedProvider([])).acceptedFor(trip.partner)),
      )),
    ];
    await Promise.all([...all.map((one) => one.start()), told('suspended', 1)]);
    const begun = new Map(await Promise.all(all.map(async (one) => [one.id, await one.state()] as const)));
    for (const one of all) {
      one.clock.advance(60_000);
      await one.start();
      const [before, after] = [begun.get(one.id), await one.state()];
      expect(['SUBMITTING', 'QUEUED']).toContain(after);
      // A start under way may miss the suspension; a second later none does.
      if (before === 'QUEUED') expect(after).toBe('QUEUED');
    }
  });

  it('is held until the last reason is gone; a release does not override them', async () => {
    const why = (): Promise<unknown> => new ChainExitBlocks(pg.db).why(trip.partner);
    await people().freeze(word());
    await told('suspended', 1);
    expect(await why()).toBe('suspended');
    await trip.start();
    expect(
      await new ReleaseParked(pg.db, trip.clock).run({ transactionId: trip.id, by: 'Ann', reason: 'ticket 3' }),
    ).toMatchObject({ ok: true });
    await trip.start();
    expect(await trip.state()).toBe('QUEUED');
    await told('active', 2);
    await trip.start();
    expect([await why(), await trip.state()]).toEqual(['frozen', 'QUEUED']);
    await people().unfreeze(word());
    trip.clock.advance(1_000);
    await trip.start();
    expect([await why(), await trip.state()]).toEqual([null, 'SUBMITTING']);
    expect(
      (await listAuditEntries(pg.db, { partnerId: trip.partner, limit: 10 })).map(({ act, subject }) => [act, subject]),
    ).toContainEqual(['transaction.released', `transaction ${trip.id}`]);
  });
});
