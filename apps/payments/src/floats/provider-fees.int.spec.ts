import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { money, type Money } from '@vuka/domain';
import type { ProviderAnswer } from '@vuka/payouts';

import { checkLedger } from '../ledger/check-ledger.js';
import { startPaymentsDatabase, type PaymentsDatabase } from '../testing/payments-database.spec-support.js';
import {
  AMOUNT,
  type Harness,
  later,
  ScriptedProvider,
  startedHarness,
} from '../testing/payout-harness.spec-support.js';
import { ProviderFees } from './provider-fees.js';

const FEE: Money = money(12_50n, 'KES');
const REFUSED: ProviderAnswer = { outcome: 'not_paid', code: 'rail_rejected', routeLeft: false, detail: 'no' };

const paid = (fee?: Money, receipt = 'R1'): ProviderAnswer => ({
  outcome: 'succeeded',
  receipt,
  publicName: null,
  amount: money(AMOUNT, 'KES'),
  recipient: '1234567890',
  ...(fee && { fee }),
});

let pg: PaymentsDatabase;
beforeAll(async () => {
  pg = await startPaymentsDatabase();
}, 60_000);
afterAll(() => pg.stopWhole());

/** By account, what the postings of this transaction added to it. */
async function movedBy(trip: Harness, kind: string): Promise<Record<string, bigint>> {
  const rows = await pg.db.query<{ name: string; minor: string }>(
    `select a.name, sum(case when e.to_account = a.id then e.amount_minor else -e.amount_minor end)::text as minor
       from postings q join entries e on e.posting_id = q.id join accounts a on a.id in (e.from_account, e.to_account)
      where q.transaction_id = $1 and q.kind = $2 group by a.name`,
    [trip.id, kind],
  );
  return Object.fromEntries(rows.map(({ name, minor }) => [name, BigInt(minor)]));
}

const posted = { 'rail_cost:KES': -1250n, 'rail:sandbox:main:KES': 1250n };

async function settled(...answers: ProviderAnswer[]): Promise<Harness> {
  const trip = await startedHarness(pg, new ScriptedProvider(answers));
  await trip.call('submit');
  return trip;
}

describe('what a provider charges', () => {
  it('is posted in the commit of the payment that it is told with', async () => {
    const trip = await settled(paid(FEE));
    expect([await trip.state(), await movedBy(trip, 'provider_fee')]).toEqual(['COMPLETE', posted]);
    const commits = await pg.db.query(
      `select distinct xmin from postings where transaction_id = $1 and kind in ('payout_settled', 'provider_fee')`,
      [trip.id],
    );
    expect(commits).toHaveLength(1);
  });

  it('is posted when it is told for the first time afterwards, once, however often it is told', async () => {
    const trip = await settled(paid(), paid(FEE), paid(FEE), paid());
    expect(await movedBy(trip, 'provider_fee')).toEqual({});
    for (let time = 0; time < 3; time++) {
      await later(trip, 'watch', 10_000);
      expect(await movedBy(trip, 'provider_fee')).toEqual(posted);
    }
    expect([await trip.state(), await trip.incidents()]).toEqual(['COMPLETE', []]);
  });

  it.each<[string, Money]>([
    ['another one', money(13_00n, 'KES')],
    ['none any more', money(0n, 'KES')],
    ['one in another currency', money(12_50n, 'USD')],
    ['one below 0', money(-1n, 'KES')],
  ])('is never changed: where it tells %s, people are told, once', async (_what, other) => {
    const trip = await settled(paid(FEE), paid(other), paid(other));
    await later(trip, 'watch', 10_000);
    await later(trip, 'watch', 10_000);
    expect([await movedBy(trip, 'provider_fee'), await trip.incidents()]).toEqual([
      posted,
      [{ event: 'provider_fee', times: 2 }],
    ]);
    await pg.db.query(
      `update incidents set resolved_at = now(), resolved_by = 'a', resolution = 'b' where transaction_id = $1`,
      [trip.id],
    );
    trip.provider!.will(paid(other));
    await later(trip, 'watch', 10_000);
    expect(await trip.incidents()).toEqual([{ event: 'provider_fee', times: 3 }]);
  });

  it('of another currency, told with the payment, holds up no payment', async () => {
    const trip = await settled(paid(money(5n, 'USD')));
    expect([await trip.state(), await movedBy(trip, 'provider_fee'), await trip.incidents()]).toEqual([
      'COMPLETE',
      {},
      [{ event: 'provider_fee', times: 1 }],
    ]);
  });

  it('of 0 is none', async () => {
    const trip = await settled(paid(money(0n, 'KES')));
    expect([await trip.state(), await trip.posted(), await trip.incidents()]).toEqual([
      'COMPLETE',
      ['payout_held', 'payout_settled'],
      [],
    ]);
  });

  it('of a payment made after its failure is posted with it', async () => {
    const trip = await settled(REFUSED, paid(FEE));
    await later(trip, 'watch', 2_000);
    expect([await trip.state(), await movedBy(trip, 'provider_fee')]).toEqual(['FAILED', posted]);
    expect(await trip.posted()).toContain('duplicate_payment');
  });

  it('stays after the money came back', async () => {
    const trip = await settled(paid(FEE), { outcome: 'reversed', receipt: 'R1', detail: 'closed account' });
    await later(trip, 'watch', 2_000);
    expect([await trip.state(), await movedBy(trip, 'provider_fee')]).toEqual(['REVERSED', posted]);
  });

  it('of an attempt that paid twice is posted once, and the second payment is posted', async () => {
    const trip = await settled(paid(FEE), paid(money(9n, 'KES'), 'R2'));
    await later(trip, 'watch', 2_000);
    expect(await trip.posted()).toContain('duplicate_payment_ours');
    expect([await movedBy(trip, 'provider_fee'), (await trip.incidents()).map(({ event }) => event)]).toEqual([
      posted,
      expect.arrayContaining(['provider_fee']),
    ]);
  });

  it('is posted once, however many processes hear it at once, and not of an attempt that has not paid', async () => {
    const trip = await settled(paid());
    const of = { transactionId: trip.id, attemptNo: 1, provider: 'sandbox', wallet: 'main' };
    const tell = (attemptNo: number): Promise<void[]> =>
      Promise.all(
        [1, 2, 3, 4].map(() =>
          trip
            .partsWith()
            .get(ProviderFees)
            .told({ ...of, attemptNo }, FEE),
        ),
      );
    await tell(1);
    await tell(2);
    expect(await movedBy(trip, 'provider_fee')).toEqual(posted);
    const open = await settled({ outcome: 'submitted' });
    await open
      .partsWith()
      .get(ProviderFees)
      .told({ ...of, transactionId: open.id }, FEE);
    expect(await movedBy(open, 'provider_fee')).toEqual({});
  });

  it('is missed by the ledger check where the attempt has not paid, or another float was charged', async () => {
    const broken = async (): Promise<unknown> =>
      (await checkLedger(pg.db)).checks.find(({ rule }) => rule.startsWith('each fee'))?.broken;
    const trip = await settled(paid(FEE));
    const set = (wallet: string, state: string): Promise<unknown> =>
      pg.db.query('update attempts set wallet = $2, state = $3 where transaction_id = $1', [trip.id, wallet, state]);
    expect(await broken()).toEqual([]);
    for (const [wallet, state] of [
      ['ke', 'PAID'],
      ['main', 'NOT_PAID'],
    ] as const) {
      await set(wallet, state);
      expect(await broken()).toEqual([{ reference: `provider-fee:${trip.id}:1`, float: 'rail:sandbox:main:KES' }]);
    }
    await set('main', 'PAID');
  });
});

describe('the float of an attempt', () => {
  /** Its provider pays from `ke`, until it is started. */
  async function from(...answers: ProviderAnswer[]): Promise<Harness> {
    const provider = new ScriptedProvider(answers);
    provider.floats = ['main', 'ke'].map((wallet) => ({ wallet, currency: 'KES' }));
    provider.wallet = 'ke';
    const trip = await startedHarness(pg, provider);
    provider.wallet = 'main';
    await trip.call('submit');
    return trip;
  }

  it('is the one that its provider named when it was made, in every posting of it', async () => {
    const trip = await from(paid(FEE), { outcome: 'reversed', receipt: 'R1', detail: '' });
    await later(trip, 'watch', 2_000);
    const floats = await pg.db.query<{ kind: string; name: string }>(
      `select q.kind, a.name from postings q join entries e on e.posting_id = q.id join accounts a on a.id in (e.from_account, e.to_account)
        where q.transaction_id = $1 and a.kind = 'rail' order by q.kind`,
      [trip.id],
    );
    const ke = 'rail:sandbox:ke:KES';
    expect(floats).toEqual(['payout_reversed', 'payout_settled', 'provider_fee'].map((kind) => ({ kind, name: ke })));
  });

  it('is also that of a payment made again and of its return', async () => {
    const trip = await from(REFUSED, paid(), { outcome: 'reversed', receipt: 'R1', detail: '' });
    await later(trip, 'watch', 2_000);
    await later(trip, 'watch', 10_000);
    expect((await movedBy(trip, 'duplicate_payment'))['rail:sandbox:ke:KES']).toBe(AMOUNT);
    expect((await movedBy(trip, 'duplicate_payment_returned'))['rail:sandbox:ke:KES']).toBe(-AMOUNT);
  });

  it('is also that of a difference that people settle', async () => {
    const trip = await from({ outcome: 'mismatch', detail: 'another amount' });
    const made = await trip.settle.propose({
      transactionId: trip.id,
      outcome: 'paid',
      receipt: 'R9',
      paid: money(AMOUNT + 1_00n, 'KES'),
      evidence: 'statement line 4',
      by: 'Ann',
    });
    if (!made.ok) throw new Error(made.error.message);
    expect(await trip.settle.approve({ settlementId: made.value.settlementId, by: 'Ben' })).toMatchObject({ ok: true });
    expect((await movedBy(trip, 'payout_settled'))['rail:sandbox:ke:KES']).toBe(AMOUNT);
    expect(await movedBy(trip, 'provider_difference')).toEqual({
      'rail:sandbox:ke:KES': 1_00n,
      'suspense:KES': -1_00n,
    });
  });

  it('is needed: what a provider has no wallet for is not routed to it', async () => {
    const provider = new ScriptedProvider([]);
    provider.wallet = null;
    const trip = await startedHarness(pg, provider);
    expect([await trip.state(), await trip.call('submit'), provider.submitted]).toEqual(['QUEUED', 0, []]);
  });
});
