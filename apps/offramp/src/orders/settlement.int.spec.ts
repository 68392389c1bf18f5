import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Envelope } from '@vuka/contracts';
import { newEnvelope, PermanentEventError } from '@vuka/messaging';
import { WakeSignal } from '@vuka/runtime';
import { until } from '@vuka/testing';

import { CreditUnapplied } from '../claim-work/credit-unapplied.js';
import { DepositStore } from '../claims/deposit.store.js';
import { RecheckStore } from '../claims/recheck.store.js';
import { PAST, recheckerOf, recheckRound, SHALLOW } from '../rechecks/recheck-fixture.spec-support.js';
import { TakeRefund } from '../refund-intake/take-refund.js';
import { ListScreening } from '../screening/screening.js';
import { SwitchStore } from '../switches/switch.store.js';
import { Switches } from '../switches/switches.js';
import { CheckFixture } from '../testing/check-fixture.spec-support.js';
import { hashOf, SENDER } from '../testing/offramp.spec-support.js';
import { type Came, comes, FIRST, kindsOf, checks, reserved, toldOfOrder } from './order-fixture.spec-support.js';
import { OrderWatchStore } from './order-watch.store.js';
import { TakeSettlement } from './take-settlement.js';

let fixture: CheckFixture;
let address: string;
beforeAll(async () => {
  fixture = await CheckFixture.open();
}, 60_000);
afterAll(() => fixture.close());
beforeEach(async () => {
  await fixture.reset();
  await fixture.db.query('truncate refunds, refund_transfers, refund_places, refund_rents');
  ({ address } = await reserved(fixture, FIRST));
});

const PAST_ALL = new Date('2030-01-01T00:00:00.000Z');

type Facts = Envelope<'order-deposit.confirmed'>['data']['deposits'][number];

async function confirmed(
  id: number,
  came: Came = {},
  differences: Parameters<CheckFixture['checker']>[0] = {},
): Promise<Facts> {
  await comes(fixture, id, address, came);
  await checks(fixture, 1, differences);
  const told = await toldOfOrder<'order-deposit.confirmed'>(fixture, FIRST);
  return (
    told.flatMap(({ data }) => data.deposits ?? []).find(({ transaction_hash }) => transaction_hash === hashOf(id)) ??
    never()
  );
}

const settled = (uses: readonly (readonly [Facts, number])[], orderNumber = FIRST): Envelope<'order.settled'> =>
  newEnvelope({
    type: 'order.settled',
    key: String(orderNumber),
    sequence: 1,
    occurredAt: fixture.clock.now(),
    correlationId: 'c',
    causationId: 'c',
    producer: 'checkout',
    data: {
      order_number: orderNumber,
      order_id: `order-${orderNumber}`,
      partner_id: 1,
      reason: 'underpaid',
      credit: null,
      currency: 'KES',
      rate: '129.35',
      uses: uses.map(([deposit, used]) => ({
        deposit,
        used_minor: String(used),
        credited_minor: '0',
        screening_hit: false,
      })),
    },
  });
const take = (event: Envelope<'order.settled'>): Promise<void> => new TakeSettlement(fixture.db).run(event);
const deposits = (): Promise<unknown[]> =>
  fixture.db.query('select state, used_minor::integer as used from deposits order by id');
const credits = (): CreditUnapplied =>
  new CreditUnapplied(
    fixture.db,
    fixture.rates,
    new Switches(new SwitchStore(fixture.db), fixture.clock),
    new WakeSignal(),
    fixture.clock,
  );
const held = (deposit: Facts, amount: string, refundId = 1): Promise<void> =>
  new TakeRefund(fixture.db, fixture.clock).run(
    newEnvelope({
      type: 'refund.held',
      key: String(refundId),
      sequence: 1,
      occurredAt: fixture.clock.now(),
      correlationId: 'c',
      causationId: 'c',
      producer: 'payments',
      data: {
        refund_id: refundId,
        partner_id: 1,
        deposit_id: deposit.deposit_id,
        chain: 'CELO',
        asset: 'USDC@CELO',
        decimals: 6,
        amount_minor: amount,
        address: SENDER,
      },
    }),
  );
const endRefund = (deposit: Facts): Promise<void> =>
  fixture.db.inTransaction(async (tx) => {
    const [row] = await tx.query<{ was: 'unapplied' | 'consumed' }>('select deposit_was as was from refunds');
    await DepositStore.endRefund(
      tx,
      deposit.deposit_id,
      row?.was === 'consumed' ? 'consumed' : 'unapplied',
      fixture.clock.now(),
    );
  });

describe('what an order has not used of its deposits', () => {
  it('is unapplied, deposit by deposit; what it used up stays used', async () => {
    const [all, part, none] = [await confirmed(1), await confirmed(2), await confirmed(3)];
    const event = settled([
      [none, 0],
      [all, 10_000_000],
      [part, 4_000_000],
    ]);
    await take(event);
    await take(event);
    expect(await deposits()).toEqual([
      { state: 'consumed', used: 10_000_000 },
      { state: 'unapplied', used: 4_000_000 },
      { state: 'unapplied', used: 0 },
    ]);
    expect(
      (await new DepositStore(fixture.db).unapplied({ limit: 9 })).map(({ left, orderNumber }) => [
        left.minor,
        orderNumber,
      ]),
    ).toEqual([
      [6_000_000n, FIRST],
      [10_000_000n, FIRST],
    ]);
  });

  it('is credited by policy, told by the number of its order, once, and not while screening has marked it', async () => {
    const part = await confirmed(1);
    const marked = await confirmed(2, {}, { screening: new ListScreening([SENDER]) });
    await credits().tick();
    expect(await kindsOf(fixture, FIRST)).toEqual(['deposit.confirmed 1', 'deposit.confirmed 2']);
    await take(
      settled([
        [part, 4_000_000],
        [marked, 0],
      ]),
    );
    fixture.rates.rate = '130';
    await Promise.all([credits().tick(), credits().tick()]);
    const [, , credited, ...more] = await toldOfOrder(fixture, FIRST);
    expect(credited).toMatchObject({
      type: 'deposit.credited',
      sequence: 3,
      key: String(FIRST),
      data: { claim_id: FIRST, partner_id: 1, currency: 'KES', rate: '130', deposit: part },
    });
    expect(more).toEqual([]);
    expect(await deposits()).toEqual([
      { state: 'credited', used: 4_000_000 },
      { state: 'unapplied', used: 0 },
    ]);
  });

  it('goes back by a refund of what is left, and waits again where that fails, whichever event comes first', async () => {
    const [one, other] = [await confirmed(1), await confirmed(2)];
    await take(settled([[one, 4_000_000]]));
    await held(one, '6000000');
    expect(await deposits()).toMatchObject([
      { state: 'refunding', used: 4_000_000 },
      { state: 'consumed', used: 0 },
    ]);
    expect(await fixture.db.query('select amount_minor::integer as amount, deposit_was as was from refunds')).toEqual([
      { amount: 6_000_000, was: 'unapplied' },
    ]);
    await endRefund(one);
    await fixture.db.query('truncate refunds, refund_transfers, refund_places, refund_rents');
    await held(other, '7000000', 2);
    await take(settled([[other, 3_000_000]]));
    expect(await deposits()).toMatchObject([
      { state: 'unapplied', used: 4_000_000 },
      { state: 'refunding', used: 3_000_000 },
    ]);
    await endRefund(other);
    expect(await deposits()).toMatchObject([
      { state: 'unapplied', used: 4_000_000 },
      { state: 'unapplied', used: 3_000_000 },
    ]);
  });

  it('is refused where it is of another order, of no deposit, or more than arrived, and nothing of that event is kept', async () => {
    const one = await confirmed(1);
    for (const event of [
      settled([[one, 0]], FIRST + 1),
      settled([
        [one, 0],
        [{ ...one, deposit_id: one.deposit_id + 1 }, 0],
      ]),
      settled([[one, 10_000_001]]),
    ]) {
      await expect(take(event)).rejects.toBeInstanceOf(PermanentEventError);
    }
    expect(await deposits()).toEqual([{ state: 'consumed', used: 0 }]);
    expect(await fixture.db.query('select 1 from inbox')).toEqual([]);
  });
});

describe('what an order has used', () => {
  it('is at stake until its block stays for good, and the rest is not', async () => {
    const one = await confirmed(1, { heights: SHALLOW });
    expect(await RecheckStore.openCents(fixture.db, 1)).toBe(10_00n);
    await take(settled([[one, 4_000_001]]));
    expect(await RecheckStore.openCents(fixture.db, 1)).toBe(4_01n);
    await fixture.db.query('update deposits set finalized_at = now(), recheck_at = null');
    expect(await RecheckStore.openCents(fixture.db, 1)).toBe(0n);
  });

  it('of one that vanished is noted with it, and keeps other refunds of its partner for people', async () => {
    const [gone, other] = [await confirmed(1, { heights: SHALLOW }), await confirmed(2)];
    await take(
      settled([
        [gone, 4_000_000],
        [other, 0],
      ]),
    );
    await held(other, '10000000');
    fixture.reader().says(hashOf(1), { kind: 'not_found' });
    fixture.reader().tellsHeights = PAST;
    for (let round = 0; round < 4; round += 1) {
      await recheckRound(recheckerOf(fixture));
      fixture.clock.advance(60_000);
    }
    expect(await fixture.db.query('select state, used_minor::integer as used from reverted_deposits')).toEqual([
      { state: 'unapplied', used: 4_000_000 },
    ]);
    expect(await fixture.db.query('select withheld_since is not null as withheld from refunds')).toEqual([
      { withheld: true },
    ]);
  });

  it('is noted where the deposit vanishes meanwhile', async () => {
    const one = await confirmed(1, { heights: SHALLOW });
    const [taken] = await new RecheckStore(fixture.db).claim(
      new Date(fixture.clock.now().getTime() + 3_600_000),
      PAST_ALL,
      [{ chain: 'CELO', free: 1 }],
    );
    const waits = (): Promise<unknown[]> =>
      fixture.db.query(
        `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
    let settling = Promise.resolve();
    // As a reversal does (rechecks/record-reversal.ts).
    await fixture.db.inTransaction(async (tx) => {
      await OrderWatchStore.lockToTell(tx, FIRST);
      expect(
        await RecheckStore.revert(tx, taken ?? never(), {
          now: fixture.clock.now(),
          watchUntil: PAST_ALL,
          nextCheckAt: PAST_ALL,
        }),
      ).toHaveLength(1);
      settling = take(settled([[one, 10_000_000]]));
      await until(async () => (await waits()).length > 0, { withinMs: 10_000, what: 'the settlement waits' });
    });
    await settling;
    expect(await fixture.db.query('select used_minor::integer as used from reverted_deposits')).toEqual([
      { used: 10_000_000 },
    ]);
  });

  it('is noted where the deposit vanished before', async () => {
    const one = await confirmed(1, { heights: SHALLOW });
    fixture.reader().says(hashOf(1), { kind: 'not_found' });
    fixture.reader().tellsHeights = PAST;
    for (let round = 0; round < 4; round += 1) {
      await recheckRound(recheckerOf(fixture));
      fixture.clock.advance(60_000);
    }
    await take(settled([[one, 10_000_000]]));
    expect(await fixture.db.query('select used_minor::integer as used from reverted_deposits')).toEqual([
      { used: 10_000_000 },
    ]);
  });
});

function never(): never {
  throw new Error('there is none');
}
