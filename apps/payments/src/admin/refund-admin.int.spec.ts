import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { listAuditEntries } from '@vuka/persistence';
import type { Logger } from '@vuka/runtime';

import { StaleAlerts } from '../due-work/stale-alerts.js';
import { startPaymentsDatabase, type PaymentsDatabase } from '../testing/payments-database.spec-support.js';
import { ADDRESS, OTHER_ADDRESS, RefundHarness } from '../testing/refund-harness.spec-support.js';
import { DepositReader } from './readers/deposit-reader.js';
import { SetReturnAddress } from './set-return-address.js';

let pg: PaymentsDatabase;

beforeAll(async () => {
  pg = await startPaymentsDatabase();
}, 60_000);
afterAll(() => pg.stop());

describe('what people see of refunds', () => {
  it('is what has not ended, with its place and its transfer, and of each deposit its newest', async () => {
    const trip = new RefundHarness(pg);
    const deposit = await trip.underpaid();
    const refundId = await trip.refunded();
    await trip.tellRefund('refund.signed', refundId);
    const reader = new DepositReader(pg.db);
    const open = { refund_id: refundId, state: 'SIGNED', address: ADDRESS, transaction_hash: '0xsent', failure: null };
    expect(await reader.openRefunds(10)).toMatchObject([
      {
        ...open,
        deposit_id: deposit.deposit_id,
        transaction_code: trip.code,
        partner_id: trip.partner,
        value: { amount: '1.000000', currency: 'USDC@CELO' },
      },
    ]);
    expect(await reader.depositsOf(trip.id)).toMatchObject([{ state: 'refunded', refund: open }]);
    await trip.tellRefund('refund.failed', refundId);
    expect(await reader.openRefunds(10)).toEqual([]);
    expect(await reader.unapplied(10)).toMatchObject([
      { state: 'unapplied', why: `underpaid; refund ${refundId} failed: transfer_failed` },
    ]);
    const again = await trip.refunded();
    expect(await reader.unapplied(10)).toMatchObject([
      { state: 'refunding', why: `to be sent back, refund ${again}: underpaid` },
    ]);
  });

  it('raises an alarm if a signature or the chain takes too long', async () => {
    const trip = new RefundHarness(pg);
    await trip.underpaid();
    const refundId = await trip.refunded();
    const said: Record<string, unknown>[] = [];
    const log = { error: (fields: Record<string, unknown>) => said.push(fields) } as unknown as Logger;
    const pager = new StaleAlerts(pg.db, trip.clock, log);
    const waits = async (): Promise<unknown[]> => {
      said.length = 0;
      await pager.run();
      return said.filter(({ code }) => code === 'refunds_wait').map(({ state }) => state);
    };
    trip.clock.advance(3 * 3_600_000);
    expect(await waits()).toEqual([]);
    trip.clock.advance(3_600_001);
    expect(await waits()).toEqual(['HELD']);
    for (const { refund_id: id } of await new DepositReader(pg.db).openRefunds(10))
      await trip.records.run(
        trip.refundEvent('refund.broadcast', id, { partner: (await trip.refunds.byId(id))!.partnerId }),
      );
    expect(await waits()).toEqual([]);
    trip.clock.advance(3_600_001);
    expect(await waits()).toEqual(['BROADCAST']);
    await trip.tellRefund('refund.confirmed', refundId);
  });
});

describe('a registered return address', () => {
  it('applies to the family of its chain until it is replaced or removed; the record keeps the earlier one', async () => {
    const trip = new RefundHarness(pg);
    await trip.underpaid();
    const setter = new SetReturnAddress(pg.db, trip.clock);
    const set = (address: string | null, chain = 'base') =>
      setter.run({ partnerId: trip.partner, chain, address, reason: 'dead_letter', by: ' Ann  Otieno\u200b' });
    expect(await set(ADDRESS)).toMatchObject({
      ok: true,
      value: { partner_id: trip.partner, family: 'evm', address: ADDRESS, set_by: 'Ann Otieno' },
    });
    expect(await set(OTHER_ADDRESS, 'CELO')).toMatchObject({ ok: true });
    expect([
      await trip.refunds.returnAddress(trip.partner, 'evm'),
      await trip.refunds.returnAddress(trip.partner, 'solana'),
    ]).toEqual([OTHER_ADDRESS, null]);
    expect(await set(null)).toMatchObject({ ok: true, value: { address: null } });
    expect(await trip.refunds.returnAddress(trip.partner, 'evm')).toBeNull();
    expect((await pg.db.query('select from return_addresses where partner_id = $1', [trip.partner])).length).toBe(3);
    expect(
      (await listAuditEntries(pg.db, { partnerId: trip.partner, limit: 10 })).map(({ act, by }) => [act, by]),
    ).toEqual(Array(3).fill(['return_address.set', 'Ann Otieno']));
  });

  it('is refused if it is not a valid address, or the partner is unknown', async () => {
    const trip = new RefundHarness(pg);
    await trip.underpaid();
    const run = (more: object) =>
      new SetReturnAddress(pg.db, trip.clock).run({
        partnerId: trip.partner,
        chain: 'CELO',
        address: ADDRESS,
        reason: 'dead_letter',
        by: 'Ann',
        ...more,
      });
    expect(await run({ chain: 'TRON' })).toMatchObject({ ok: false, error: { code: 'unsupported_network' } });
    expect(await run({ chain: 'SOLANA' })).toMatchObject({ ok: false, error: { code: 'invalid_request' } });
    expect(await run({ partnerId: 999_999_999 })).toMatchObject({ ok: false, error: { code: 'not_found' } });
  });
});
