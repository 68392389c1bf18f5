import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ProviderAnswer } from '@vuka/payouts';

import { fundProviders, nextHash } from '../testing/pay-harness.spec-support.js';
import { startPaymentsDatabase, type PaymentsDatabase } from '../testing/payments-database.spec-support.js';
import { dice, losingAnswers } from '../testing/payout-chaos.spec-support.js';
import { ScriptedProvider } from '../testing/payout-harness.spec-support.js';
import { PAID } from '../testing/provider-answers.spec-support.js';
import { ADDRESS, OTHER_ADDRESS, RefundHarness, settled } from '../testing/refund-harness.spec-support.js';

/** Requested refunds: held once, reported once, value in one place. */
let pg: PaymentsDatabase;

beforeAll(async () => {
  pg = await startPaymentsDatabase();
  await fundProviders(pg);
}, 60_000);
afterAll(() => pg.stopWhole());

const harness = (...answers: ProviderAnswer[]): RefundHarness => new RefundHarness(pg, new ScriptedProvider(answers));
const rowOf = (trip: RefundHarness): Promise<string> => trip.refundColumn();

async function codeOf(asked: ReturnType<RefundHarness['requestRefund']>): Promise<string> {
  const result = await asked;
  return result.ok ? result.value.status : result.error.code;
}

describe('a refund of value that was used for nothing', () => {
  it('is held with the event that has it sent, in one commit, and is public at once', async () => {
    const trip = harness();
    const deposit = await trip.underpaid();
    const asked = await trip.requestRefund();
    expect(asked).toMatchObject({
      ok: true,
      value: {
        status: 'PENDING',
        chain: 'CELO',
        asset: 'USDC',
        amount_minor: '1000000',
        decimals: 6,
        address: ADDRESS,
        transaction_hash: null,
      },
    });
    const { refund_id: refundId } = asked.ok ? asked.value : { refund_id: 0 };
    expect(await trip.heldEvents([refundId])).toEqual([
      {
        refund_id: refundId,
        partner_id: trip.partner,
        deposit_id: deposit.deposit_id,
        chain: 'CELO',
        asset: 'USDC@CELO',
        decimals: 6,
        amount_minor: '1000000',
        address: ADDRESS,
      },
    ]);
    expect([await trip.posted(), await trip.depositStates(), await rowOf(trip)]).toEqual([
      ['deposit_unapplied', 'unapplied_refund_held'],
      [[deposit.deposit_id, 'refunding']],
      'PENDING',
    ]);
    await trip.tellRefund('refund.signed', refundId);
    expect([await rowOf(trip), await trip.depositStates()]).toEqual(['PROCESSING', [[deposit.deposit_id, 'refunded']]]);
    await trip.tellRefund('refund.confirmed', refundId);
    expect([await rowOf(trip), await trip.money()]).toEqual([
      'COMPLETE',
      { unapplied: 0n, refunding: 0n, wallet: 0n, chain: 0n, owed: 0n },
    ]);
  });

  it('asked for again is answered as it stands, and of another address is refused', async () => {
    const trip = harness();
    await trip.underpaid();
    const refundId = await trip.refunded();
    for (const [event, status] of [
      [null, 'PENDING'],
      ['refund.signed', 'PROCESSING'],
      ['refund.broadcast', 'PROCESSING'],
      ['refund.confirmed', 'COMPLETE'],
    ] as const) {
      if (event) await trip.tellRefund(event, refundId);
      for (const refund_address of [ADDRESS, null]) {
        expect(await trip.requestRefund({ refund_address })).toMatchObject({
          ok: true,
          value: { refund_id: refundId, status, transaction_hash: event ? '0xsent' : null },
        });
      }
      expect(await trip.requestRefund({ refund_address: OTHER_ADDRESS })).toMatchObject({
        ok: false,
        error: { code: 'hash_already_processed', transactionCode: trip.code },
      });
    }
    // Whatever the spelling of the address.
    expect(await trip.requestRefund({ refund_address: ADDRESS.toLowerCase() })).toMatchObject({
      ok: true,
      value: { refund_id: refundId, address: ADDRESS },
    });
    expect((await trip.heldEvents([refundId])).length).toBe(1);
  });

  it('takes all value of one transfer in one commit, and answers about the deposit of the payment', async () => {
    const trip = await harness().payAccepted();
    const [main, beside] = [
      trip.facts({ received_minor: '1000000' }),
      trip.facts({ asset: 'USDT@CELO', received_minor: '777000' }),
    ];
    await trip.unapplied(main, { also: [beside] });
    expect(await trip.requestRefund()).toMatchObject({ ok: true, value: { asset: 'USDC', amount_minor: '1000000' } });
    expect([await trip.depositStates(), await trip.on('refunding', 'USDT@CELO'), await trip.posted()]).toEqual([
      [
        [main.deposit_id, 'refunding'],
        [beside.deposit_id, 'refunding'],
      ],
      777000n,
      ['deposit_unapplied', 'deposit_unapplied', 'unapplied_refund_held', 'unapplied_refund_held'],
    ]);
  });

  it('takes what came beside a deposit that pays, and leaves that', async () => {
    const trip = await harness(PAID).payAccepted();
    const [main, beside] = [
      trip.facts({ received_minor: '3866000' }),
      trip.facts({ asset: 'USDT@CELO', received_minor: '777000' }),
    ];
    await trip.verified(main, { also: [beside] });
    expect(await trip.requestRefund()).toMatchObject({ ok: true, value: { asset: 'USDT', amount_minor: '777000' } });
    await trip.start();
    await trip.call('submit');
    expect([await trip.state(), await trip.depositStates(), await rowOf(trip)]).toEqual([
      'COMPLETE',
      [
        [main.deposit_id, 'funding'],
        [beside.deposit_id, 'refunding'],
      ],
      'PENDING',
    ]);
  });

  it('is refused below the minimum of its chain, and names the minimum', async () => {
    const trip = harness();
    const deposit = await trip.underpaid(trip.facts({ received_minor: '99999' }));
    expect(await trip.requestRefund()).toMatchObject({
      ok: false,
      error: {
        code: 'amount_out_of_range',
        message: 'Too little arrived to be sent back: on CELO it takes at least 0.10 USDC',
      },
    });
    expect([await trip.depositStates(), await trip.posted()]).toEqual([
      [[deposit.deposit_id, 'unapplied']],
      ['deposit_unapplied'],
    ]);
    const enough = harness();
    await enough.underpaid(enough.facts({ received_minor: '100000' }));
    expect(await codeOf(enough.requestRefund())).toBe('PENDING');
  });

  it('leaves what came beside it and is too little where it is', async () => {
    const trip = await harness().payAccepted();
    const [main, beside] = [
      trip.facts({ received_minor: '777' }),
      trip.facts({ asset: 'USDT@CELO', received_minor: '777000' }),
    ];
    await trip.unapplied(main, { also: [beside] });
    const refundId = await trip.refunded();
    expect(await trip.depositStates()).toEqual([
      [main.deposit_id, 'unapplied'],
      [beside.deposit_id, 'refunding'],
    ]);
    expect(await trip.requestRefund()).toMatchObject({
      ok: true,
      value: { refund_id: refundId, asset: 'USDT', amount_minor: '777000' },
    });
  });

  it('is found by the hash that its chain knows, and by the hash that was claimed', async () => {
    const trip = await harness().payAccepted();
    const canonical = nextHash();
    await trip.unapplied(trip.facts({ received_minor: '1000000', transaction_hash: canonical }));
    const refundId = await trip.refunded({ transaction_hash: canonical });
    expect(await trip.refunded()).toBe(refundId);
  });

  it("goes to the registered address of the chain's family where none is named, and nowhere without one", async () => {
    const trip = harness();
    await trip.underpaid();
    expect(await trip.requestRefund({ refund_address: null })).toMatchObject({
      ok: false,
      error: { code: 'invalid_request', faults: [{ pointer: '/refund_address' }] },
    });
    await pg.db.query(
      `insert into return_addresses (partner_id, family, address, reason, set_by, set_at) values ($1, 'evm', $2, 'asked', 'ann', now())`,
      [trip.partner, OTHER_ADDRESS],
    );
    expect(await trip.requestRefund({ refund_address: null })).toMatchObject({
      ok: true,
      value: { address: OTHER_ADDRESS },
    });
  });

  it('is refused for value that is unknown, of another partner, or used', async () => {
    const used = await harness(PAID).payAccepted();
    expect(await codeOf(used.requestRefund())).toBe('not_found');
    const main = used.facts({ received_minor: '3866000' });
    await used.verified(main);
    expect(await used.requestRefund()).toMatchObject({
      ok: false,
      error: { code: 'hash_already_processed', message: expect.stringContaining('it pays for a payment') },
    });
    const waiting = harness();
    await waiting.underpaid();
    expect([
      await codeOf(waiting.requestRefund({ partner_id: used.partner })),
      await codeOf(waiting.requestRefund({ chain: 'BASE' })),
      await codeOf(waiting.requestRefund({ transaction_hash: nextHash() })),
    ]).toEqual(['not_found', 'not_found', 'not_found']);
    const credited = harness();
    await credited.credited(await credited.underpaid());
    expect(await credited.requestRefund()).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining('in the wallet') },
    });
    const reverted = harness();
    await reverted.reverted(await reverted.underpaid());
    expect(await reverted.requestRefund()).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining('the chain took it back') },
    });
  });

  it('is refused while the partner owes: value that left on chain cannot be collected', async () => {
    const trip = harness(PAID);
    await trip.payAccepted();
    const [paid, beside] = [
      trip.facts({ received_minor: '3866000' }),
      trip.facts({ asset: 'USDT@CELO', received_minor: '777000' }),
    ];
    await trip.verified(paid, { also: [beside] });
    await trip.start();
    await trip.call('submit');
    await trip.reverted(paid);
    // Read at once, not from the payouts' cache.
    expect(await trip.requestRefund()).toMatchObject({
      ok: false,
      error: { code: 'forbidden', message: expect.stringContaining('vanished') },
    });
    // Resolved by people, but it still owes.
    await settled(pg, trip);
    expect(await trip.requestRefund()).toMatchObject({
      ok: false,
      error: { code: 'forbidden', message: expect.stringContaining('owes') },
    });
  });

  it('that was not sent leaves the value where it was, to be asked for again, to another address too', async () => {
    const trip = harness();
    const deposit = await trip.underpaid();
    const first = await trip.refunded();
    await trip.tellRefund('refund.failed', first, { reason: 'address_refused' });
    expect([await trip.refundCheck(first), await trip.depositStates(), await rowOf(trip)]).toEqual([
      { state: 'FAILED', failure: 'address_refused', transaction_hash: null },
      [[deposit.deposit_id, 'unapplied']],
      'FAILED',
    ]);
    const second = await trip.refunded({ refund_address: OTHER_ADDRESS });
    expect(second).not.toBe(first);
    await trip.tellRefund('refund.confirmed', second);
    expect(await trip.money()).toEqual({ unapplied: 0n, refunding: 0n, wallet: 0n, chain: 0n, owed: 0n });
  });
});

describe('at once', () => {
  it('a refund, a credit and a reversal take one deposit once', async () => {
    const ends = new Set<string>();
    for (let turn = 0; turn < 20; turn++) {
      const trip = harness();
      const deposit = await trip.underpaid();
      // The account has enough: it is not the balance that stops the second.
      const other = harness();
      other.partner = trip.partner;
      await other.underpaid(other.facts({ received_minor: '5000000' }));
      const races = [
        () => trip.requestRefund(),
        () => trip.credited(deposit),
        () => trip.requestRefund({ refund_address: OTHER_ADDRESS }),
        ...(turn % 3 === 0 ? [() => trip.reverted(deposit)] : []),
      ];
      const order = [...races.slice(turn % races.length), ...races.slice(0, turn % races.length)];
      // Redelivered after being overtaken.
      const outcomes = await Promise.allSettled(order.map((race) => race()));
      for (const [index, { status }] of outcomes.entries()) if (status === 'rejected') await order[index]!();
      const [[, state] = []] = await trip.depositStates();
      ends.add(String(state));
      const posted = (await trip.posted()).filter((kind) =>
        ['unapplied_refund_held', 'unapplied_credited', 'unapplied_deposit_vanished'].includes(kind),
      );
      expect(posted).toHaveLength(1);
    }
    expect(ends.size).toBeGreaterThan(1);
  }, 60_000);

  it('commits whose answers are lost are sent again, and a deposit is refunded once', async () => {
    const lossy = losingAnswers(pg, pg.db, dice(7));
    await Promise.all(
      Array.from({ length: 30 }, async () => {
        const trip = new RefundHarness(lossy, new ScriptedProvider([]));
        await trip.underpaid();
        const refunds = new Set([await trip.refunded(), await trip.refunded()]);
        expect(refunds.size).toBe(1);
        const [refundId = 0] = refunds;
        const event = trip.refundEvent('refund.confirmed', refundId);
        for (let delivery = 0; delivery < 3; delivery++) await trip.records.run(event);
        expect([await trip.posted(), (await trip.heldEvents([refundId])).length]).toEqual([
          ['deposit_unapplied', 'unapplied_refund_held', 'refund_settled'],
          1,
        ]);
      }),
    );
  }, 60_000);
});
