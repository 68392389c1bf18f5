import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { money } from '@vuka/domain';
import type { DepositFacts } from '@vuka/contracts';
import type { ProviderAnswer } from '@vuka/payouts';

import { fundProviders } from './pay-harness.spec-support.js';
import { ScriptedProvider } from './payout-harness.spec-support.js';
import { ADDRESS, OTHER_ADDRESS, RefundHarness } from './refund-harness.spec-support.js';
import { startPaymentsDatabase, type PaymentsDatabase } from './payments-database.spec-support.js';

/** A quote prices a part of one transfer; the rest is separate value. */
let pg: PaymentsDatabase;
beforeAll(async () => {
  pg = await startPaymentsDatabase();
  await fundProviders(pg);
}, 60_000);
afterAll(() => pg.stopWhole());

const REFUSED: ProviderAnswer = { outcome: 'not_paid', code: 'rail_rejected', routeLeft: false, detail: '' };
const PAID: ProviderAnswer = {
  outcome: 'succeeded',
  receipt: 'R1',
  publicName: null,
  amount: money(500_00n, 'KES'),
  recipient: '1',
};
const harness = (...answers: ProviderAnswer[]): RefundHarness => new RefundHarness(pg, new ScriptedProvider(answers));
const NOTHING = { unapplied: 0n, refunding: 0n, wallet: 0n, owed: 0n };

const broken = async (): Promise<string[]> => (await pg.broken()).map(({ rule }) => rule);

interface Parts {
  readonly priced: DepositFacts;
  readonly beyond: DepositFacts;
}

/** 3.866 USDC are priced for 500 shillings; the rest is beyond. */
async function parted(
  trip: RefundHarness,
  refund_address: string | null = null,
  received_minor = '49990000000',
): Promise<Parts> {
  const parts = { priced: trip.facts({ received_minor: '3866000' }), beyond: trip.facts({ received_minor }) };
  await trip.payAccepted({ refund_address });
  await trip.verified(parts.priced, { also: [parts.beyond] });
  return parts;
}

async function sent(trip: RefundHarness): Promise<void> {
  await trip.start();
  await trip.call('submit');
}

const refundsOf = ({
  id,
}: RefundHarness): Promise<
  { id: number; deposit: number; origin: string; amount: string; address: string; state: string }[]
> =>
  pg.db.query(
    `select refund_id::float8 as id, deposit_id::float8 as deposit, origin, amount_minor::text as amount, address, state from refunds where transaction_id = $1 order by origin, refund_id`,
    [id],
  );

describe('a transfer of more than its quote prices', () => {
  it('is two deposits of one token: the payout is held by what is priced, and the rest waits', async () => {
    const trip = harness(PAID);
    const { priced, beyond } = await parted(trip);
    expect([await trip.state(), await trip.held(), await trip.money()]).toEqual([
      'QUEUED',
      500_07n,
      { ...NOTHING, unapplied: 49_990_000_000n, chain: -49_993_866_000n },
    ]);
    await sent(trip);
    expect([await trip.state(), await trip.depositStates()]).toEqual([
      'COMPLETE',
      [
        [priced.deposit_id, 'funding'],
        [beyond.deposit_id, 'unapplied'],
      ],
    ]);
    // Only the quoted part's surplus.
    expect(await trip.money()).toMatchObject({ unapplied: 49_990_000_000n, wallet: 7n });
    expect(await broken()).toEqual([]);
  });

  it('is told twice, and is the same', async () => {
    const trip = harness();
    const { priced, beyond } = await parted(trip);
    await trip.verified(priced, { also: [beyond] });
    expect(await trip.depositStates()).toHaveLength(2);
    expect((await trip.posted()).sort()).toEqual(['deposit_received', 'deposit_unapplied', 'pay_funded']);
  });

  it('COMPLETE: the rest goes back when it is asked for, once, and to one address', async () => {
    const trip = harness(PAID);
    const { priced, beyond } = await parted(trip);
    await sent(trip);
    const asked = await trip.requestRefund();
    expect(asked).toMatchObject({ ok: true, value: { asset: 'USDC', amount_minor: '49990000000', address: ADDRESS } });
    expect(await trip.requestRefund()).toEqual(asked);
    expect(await trip.requestRefund({ refund_address: OTHER_ADDRESS })).toMatchObject({
      ok: false,
      error: { code: 'hash_already_processed' },
    });
    expect(await trip.depositStates()).toEqual([
      [priced.deposit_id, 'funding'],
      [beyond.deposit_id, 'refunding'],
    ]);
    // Policy comes too late.
    await trip.credited(beyond);
    const [refund] = await refundsOf(trip);
    for (const type of ['refund.signed', 'refund.confirmed'] as const) await trip.tellRefund(type, refund?.id ?? 0);
    expect([await trip.state(), await trip.money()]).toEqual([
      'COMPLETE',
      { ...NOTHING, wallet: 7n, chain: -3_866_000n },
    ]);
    expect(await broken()).toEqual([]);
  });

  it('COMPLETE: the rest is credited by policy once, at the rate of that day', async () => {
    const trip = harness(PAID);
    const { beyond } = await parted(trip, null, '1000000');
    await sent(trip);
    const event = trip.event('deposit.credited', { deposit: beyond, currency: 'KES', rate: '120' });
    for (let time = 0; time < 2; time += 1) await trip.credits.run(event);
    expect(await trip.money()).toMatchObject({ unapplied: 0n, wallet: 120_07n });
    expect(await trip.requestRefund()).toMatchObject({ ok: false, error: { code: 'hash_already_processed' } });
    expect(await broken()).toEqual([]);
  });

  it('FAILED, with an address: the rest goes back there too, in the same commit, each by a refund of its own', async () => {
    const trip = harness(REFUSED);
    const { priced, beyond } = await parted(trip, ADDRESS);
    await sent(trip);
    const refunds = await refundsOf(trip);
    expect([await trip.state(), refunds]).toEqual([
      'FAILED',
      [
        {
          id: expect.any(Number),
          deposit: priced.deposit_id,
          origin: 'refund_held',
          amount: '3866000',
          address: ADDRESS,
          state: 'HELD',
        },
        {
          id: expect.any(Number),
          deposit: beyond.deposit_id,
          origin: 'unapplied_refund_held',
          amount: '49990000000',
          address: ADDRESS,
          state: 'HELD',
        },
      ],
    ]);
    expect(await trip.money()).toMatchObject({ unapplied: 0n, refunding: 49_993_866_000n, wallet: 0n });
    expect(
      (await trip.heldEvents(refunds.map(({ id }) => id)))
        .map(({ deposit_id, amount_minor }) => [deposit_id, amount_minor])
        .sort(),
    ).toEqual(
      [
        [beyond.deposit_id, '49990000000'],
        [priced.deposit_id, '3866000'],
      ].sort(),
    );
    const moments = await pg.db.query(
      "select distinct p.at from postings p where p.transaction_id = $1 and p.kind in ('refund_held', 'unapplied_refund_held')",
      [trip.id],
    );
    expect(moments).toHaveLength(1);
    // A request by hand gets the same refunds.
    expect(await trip.requestRefund()).toMatchObject({ ok: true, value: { refund_id: refunds[0]?.id } });
    for (const { id } of refunds)
      for (const type of ['refund.signed', 'refund.confirmed'] as const) await trip.tellRefund(type, id);
    expect([await trip.money(), await trip.refundColumn(), await broken()]).toEqual([
      { ...NOTHING, chain: 0n },
      'COMPLETE',
      [],
    ]);
  });

  it('FAILED, with an address: where the refund of one part is not sent, the other goes all the same', async () => {
    const trip = harness(REFUSED);
    const { priced, beyond } = await parted(trip, ADDRESS);
    await sent(trip);
    const [ofPriced, ofBeyond] = await refundsOf(trip);
    await trip.tellRefund('refund.failed', ofPriced?.id ?? 0);
    await trip.tellRefund('refund.failed', ofBeyond?.id ?? 0);
    // Value with a frozen rate goes to the wallet; without one it waits.
    expect([await trip.depositStates(), await trip.money()]).toEqual([
      [
        [priced.deposit_id, 'credited'],
        [beyond.deposit_id, 'unapplied'],
      ],
      { ...NOTHING, unapplied: 49_990_000_000n, wallet: 500_07n, chain: -49_993_866_000n },
    ]);
    expect(await broken()).toEqual([]);
  });

  it.each<[string, string | null, string]>([
    ['without an address', null, '49990000000'],
    ['with an address, where the rest is less than the least that is sent', ADDRESS, '99999'],
  ])('FAILED, %s: the rest waits', async (_, address, value) => {
    const trip = harness(REFUSED);
    const { beyond } = await parted(trip, address, value);
    await sent(trip);
    expect(await trip.state()).toBe('FAILED');
    expect((await trip.depositStates()).at(-1)).toEqual([beyond.deposit_id, 'unapplied']);
    expect((await refundsOf(trip)).map(({ origin }) => origin)).toEqual(address === null ? [] : ['refund_held']);
    expect(await broken()).toEqual([]);
  });

  it('FAILED, with an address: what policy has credited by then stays credited, and is not sent as well', async () => {
    const trip = harness(REFUSED);
    const { priced, beyond } = await parted(trip, ADDRESS, '1000000');
    await trip.credited(beyond, { rate: '120' });
    await sent(trip);
    expect([await trip.depositStates(), (await refundsOf(trip)).map(({ deposit }) => deposit)]).toEqual([
      [
        [priced.deposit_id, 'refunding'],
        [beyond.deposit_id, 'credited'],
      ],
      [priced.deposit_id],
    ]);
    expect(await trip.money()).toMatchObject({ unapplied: 0n, refunding: 3_866_000n, wallet: 120_00n });
    expect(await broken()).toEqual([]);
  });

  it('FAILED, with an address, while policy credits the rest and its partner asks for it: it goes one way', async () => {
    for (let time = 0; time < 5; time += 1) {
      const trip = harness(REFUSED);
      const { beyond } = await parted(trip, ADDRESS, '1000000');
      await trip.start();
      await Promise.all([
        trip.call('submit'),
        trip.credited(beyond, { rate: '120' }).catch(() => undefined),
        trip.requestRefund().catch(() => undefined),
      ]);
      const ways =
        (await refundsOf(trip)).filter(({ deposit }) => deposit === beyond.deposit_id).length +
        ((await trip.posted()).includes('unapplied_credited') ? 1 : 0);
      expect([await trip.state(), ways]).toEqual(['FAILED', 1]);
      expect(await broken()).toEqual([]);
    }
  });

  it('that vanishes is taken back part by part, from where each is, and nobody owes for the rest', async () => {
    const trip = harness(PAID);
    const { priced, beyond } = await parted(trip);
    await sent(trip);
    for (const part of [priced, beyond]) await trip.reverted(part);
    expect([await trip.depositStates(), await trip.money()]).toEqual([
      [
        [priced.deposit_id, 'reverted'],
        [beyond.deposit_id, 'reverted'],
      ],
      { ...NOTHING, wallet: 7n, chain: 0n, owed: -500_07n },
    ]);
    expect(await broken()).toEqual([]);
  });

  it('that vanishes while both parts wait to be sent back ends both refunds, in whichever order it is told', async () => {
    for (const turn of [0, 1]) {
      const trip = harness(REFUSED);
      const { priced, beyond } = await parted(trip, ADDRESS);
      await sent(trip);
      for (const part of turn === 0 ? [priced, beyond] : [beyond, priced]) await trip.reverted(part);
      expect([(await refundsOf(trip)).map(({ state }) => state), await trip.money()]).toEqual([
        ['FAILED', 'FAILED'],
        { ...NOTHING, chain: 0n },
      ]);
      expect(await broken()).toEqual([]);
    }
  });
});
