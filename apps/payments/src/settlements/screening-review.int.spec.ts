import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { money } from '@vuka/domain';
import type { ProviderAnswer } from '@vuka/payouts';

import { openAdminOn } from '../testing/admin.spec-support.js';
import { fundProviders, PayHarness } from '../testing/pay-harness.spec-support.js';
import { startPaymentsDatabase, type PaymentsDatabase } from '../testing/payments-database.spec-support.js';
import { ScriptedProvider } from '../testing/payout-harness.spec-support.js';
import type { SettlementProposal } from './settle-payout.js';

let pg: PaymentsDatabase;
let admin: Awaited<ReturnType<typeof openAdminOn>>;

beforeAll(async () => {
  pg = await startPaymentsDatabase();
  await fundProviders(pg);
  const clock = new PayHarness(pg).clock;
  admin = await openAdminOn(pg, clock);
}, 60_000);
afterAll(async () => {
  await admin.close();
  await pg.stopWhole();
});

const PAID: ProviderAnswer = {
  outcome: 'succeeded',
  receipt: 'R1',
  publicName: null,
  amount: money(500_00n, 'KES'),
  recipient: '1',
};
const proposal = (trip: PayHarness, outcome: SettlementProposal['outcome']): SettlementProposal => ({
  transactionId: trip.id,
  outcome,
  receipt: outcome === 'paid' ? 'R' : null,
  paid: null,
  evidence: 'ticket 77',
  by: 'Ann',
});

async function stopped(more: { refund_address?: string } = {}, ...script: ProviderAnswer[]): Promise<PayHarness> {
  const trip = await new PayHarness(pg, new ScriptedProvider(script)).payAccepted(more);
  return trip.verified(trip.facts({ received_minor: '3866000' }), { screening_hit: true });
}

async function decided(trip: PayHarness, outcome: SettlementProposal['outcome']): Promise<unknown> {
  const proposed = await trip.settle.propose(proposal(trip, outcome));
  if (!proposed.ok) throw new Error(proposed.error.message);
  expect(await trip.settle.approve({ settlementId: proposed.value.settlementId, by: 'ann' })).toMatchObject({
    ok: false,
    error: { code: 'forbidden' },
  });
  return trip.settle.approve({ settlementId: proposed.value.settlementId, by: 'Ben' });
}

describe('a payment that screening has stopped', () => {
  it('is held, is PROCESSING, is due nowhere, and is on the admin API with its deposit', async () => {
    const trip = await stopped();
    expect([await trip.state(), await trip.held(), (await trip.row()).status]).toEqual([
      'REVIEW',
      50007n,
      'PROCESSING',
    ]);
    await trip.start();
    expect(await trip.state()).toBe('REVIEW');
    const waiting = (await admin.methods.stuck.run()).review.find(({ transaction_id: id }) => id === trip.id);
    expect(waiting).toMatchObject({ why: expect.stringContaining('screening hit'), attempt_no: null });
    expect(await admin.methods.report.run(trip.id)).toMatchObject({
      pay: { chain: 'CELO', transaction_hash: trip.hash, released_at: null },
      deposits: [{ received: { amount: '3.866000', currency: 'USDC@CELO' }, state: 'funding', rate: '129.3517' }],
    });
  });

  it('goes to its provider when two people have cleared it', async () => {
    const trip = await stopped({}, PAID);
    expect(await decided(trip, 'cleared')).toMatchObject({ ok: true, value: { state: 'QUEUED' } });
    await trip.start();
    await trip.call('submit');
    expect([await trip.state(), await trip.on('wallet', 'KES')]).toEqual(['COMPLETE', 7n]);
    expect((await admin.methods.report.run(trip.id))?.settlements).toMatchObject([
      { outcome: 'cleared', state: 'approved', attempt_no: 0 },
    ]);
    expect((await trip.told()).map(([type]) => type)).toEqual([
      'transaction.processing',
      'transaction.held',
      'transaction.complete',
    ]);
  });

  it.each([
    ['to the wallet', {}, ['deposit_received', 'pay_funded', 'payout_released'], 50007n, 0n],
    [
      'back on chain where an address was given',
      { refund_address: '0xAb5801a7D398351b8bE11C439e05C5B3259aeC9B' },
      ['deposit_received', 'pay_funded', 'refund_held'],
      0n,
      3866000n,
    ],
  ] as const)('fails when two people refuse it, and its value goes %s', async (_, more, posted, wallet, refunding) => {
    const trip = await stopped(more);
    expect(await decided(trip, 'not_paid')).toMatchObject({ ok: true, value: { state: 'FAILED' } });
    expect([await trip.posted(), await trip.on('wallet', 'KES'), await trip.on('refunding')]).toEqual([
      posted,
      wallet,
      refunding,
    ]);
    expect(await trip.row()).toMatchObject({ status: 'FAILED', failure_code: 'cancelled' });
  });

  it('cannot be settled as paid, and no other payment can be cleared', async () => {
    const trip = await stopped();
    expect(await trip.settle.propose(proposal(trip, 'paid'))).toMatchObject({
      ok: false,
      error: { code: 'invalid_request', message: expect.stringContaining('Screening') },
    });
    const sent = await new PayHarness(pg, new ScriptedProvider([{ outcome: 'mismatch', detail: '' }])).payAccepted();
    await sent.verified(sent.facts());
    expect(await sent.settle.propose(proposal(sent, 'cleared'))).toMatchObject({
      ok: false,
      error: { code: 'invalid_request' },
    });
    await sent.start();
    await sent.call('submit');
    expect(await sent.state()).toBe('REVIEW');
    expect(await sent.settle.propose(proposal(sent, 'cleared'))).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining('clear is only for a payment that screening stopped') },
    });
  });

  it('is decided once: a clearing whose transaction has moved on is told so', async () => {
    const trip = await stopped();
    const proposed = await trip.settle.propose(proposal(trip, 'cleared'));
    const id = proposed.ok ? proposed.value.settlementId : 0;
    const answers = await Promise.all([
      trip.settle.approve({ settlementId: id, by: 'Ben' }),
      trip.settle.approve({ settlementId: id, by: 'Cleo' }),
    ]);
    expect(answers.filter(({ ok }) => ok)).toHaveLength(1);
    expect(await trip.state()).toBe('QUEUED');
  });
});

describe('unapplied value', () => {
  it('is listed, oldest first, with its partner and why', async () => {
    const trip = await new PayHarness(pg).payAccepted();
    const [main, beside] = [
      trip.facts({ received_minor: '1500000' }),
      trip.facts({ chain: 'CELO', asset: 'USDT@CELO', received_minor: '5' }),
    ];
    await trip.unapplied(main, { also: [beside] });
    const rows = (await admin.methods.unapplied.run(100)).filter(({ transaction_id: id }) => id === trip.id);
    expect(rows).toMatchObject([
      {
        deposit_id: main.deposit_id,
        partner_id: trip.partner,
        transaction_code: trip.code,
        received: { amount: '1.500000', currency: 'USDC@CELO' },
        why: 'underpaid',
        state: 'unapplied',
      },
      {
        deposit_id: beside.deposit_id,
        received: { amount: '0.000005', currency: 'USDT@CELO' },
        why: expect.stringContaining('in addition'),
      },
    ]);
    await trip.credited(main);
    expect((await admin.methods.unapplied.run(100)).map(({ deposit_id: id }) => id)).not.toContain(main.deposit_id);
  });
});
