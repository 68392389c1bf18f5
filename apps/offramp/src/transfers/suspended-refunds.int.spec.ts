import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { listAuditEntries } from '@vuka/persistence';

import { type RefundAdmin, type TransfersToSign } from '../admin/refund-admin.js';
import { PageRefunds } from '../alerts/page-refunds.js';
import { RefundWatch } from '../alerts/refund-watch.js';
import { RefundFixture } from './refund-fixture.spec-support.js';

const ANN = { by: 'Ann', reason: 'ticket 12' };

let fixture: RefundFixture;
beforeAll(async () => {
  fixture = await RefundFixture.open();
}, 60_000);
beforeEach(() => fixture.reset());
afterAll(() => fixture.close());

const admin = (): RefundAdmin => fixture.admin();
const acts = async (): Promise<string[]> =>
  (await listAuditEntries(fixture.db, { limit: 500 })).map(({ act, subject }) => `${act} ${subject}`);

async function bringIn({ transfers }: TransfersToSign): Promise<unknown> {
  const signed = transfers.map(({ refund_id, version, transfer }) => ({
    refund_id,
    version,
    raw: `signed ${transfer.payload}`,
  }));
  const taken = await admin().take({ kind: 'vuka-refunds-signed', transfers: signed }, ANN);
  return taken.ok ? taken.value.map(({ taken: isTaken, why }) => [isTaken, why]) : taken.error;
}

describe('a refund of a suspended partner', () => {
  it('is not prepared, with an alarm; when the partner is resumed, it is sent at once', async () => {
    await fixture.partner('suspended', 1);
    await fixture.held(1);
    await fixture.rounds(20, fixture.worker());
    expect(await fixture.state()).toMatch(/^queued suspended: /);
    fixture.lines = [];
    await new PageRefunds(new RefundWatch(fixture.db), fixture.clock, fixture.log).run();
    expect(fixture.lines).toMatchObject([{ code: 'refund_suspended', chain: 'CELO', refunds: 1 }]);
    expect(fixture.chain.broadcasts).toEqual([]);
    await fixture.partner('active', 2);
    await fixture.rounds(3, fixture.worker());
    expect(await fixture.state()).toBe('broadcast');
  });

  it('is neither shown nor taken where it was prepared, or shown, before; what was signed by then is followed', async () => {
    fixture.offline();
    await fixture.held(1);
    await fixture.rounds(2, fixture.worker());
    const file = await admin().toSign();
    expect(file.transfers).toHaveLength(1);
    await fixture.partner('suspended', 1);
    expect((await admin().toSign()).transfers).toEqual([]);
    expect(await bringIn(file)).toEqual([
      [false, 'its partner is suspended, so nothing is sent until the partner is resumed'],
    ]);
    await fixture.partner('active', 2);
    expect(await bringIn(file)).toEqual([[true, '']]);
    await fixture.partner('suspended', 3);
    await fixture.rounds(2, fixture.worker());
    expect(await fixture.state()).toBe('broadcast');
    expect(await acts()).toContain('refund.signature_imported refund 1');
  });

  it('cannot be cleared by people, but can be cancelled', async () => {
    await fixture.partner('suspended', 1);
    const other = await fixture.deposit(2, 'credited');
    const deposit = await fixture.held(1);
    await fixture.vanish(other);
    await fixture.rounds(1, fixture.worker());
    expect(await fixture.state()).toMatch(/^queued withheld: /);
    expect(await admin().clear(1, ANN)).toEqual({ ok: true, value: undefined });
    await fixture.rounds(2, fixture.worker());
    expect(await fixture.state()).toMatch(/^queued suspended: /);
    expect(await admin().clear(1, ANN)).toMatchObject({ ok: false });
    await fixture.rounds(2, fixture.worker());
    expect(fixture.chain.broadcasts).toEqual([]);
    expect(await admin().cancel(1, ANN)).toMatchObject({ ok: true });
    expect(await fixture.depositState(deposit)).toBe('unapplied');
    expect((await acts()).slice(0, 2)).toEqual(['refund.given_up refund 1', 'refund.let_go refund 1']);
  });

  it.each([
    [1, 2, 3],
    [3, 1, 2],
    [2, 3, 1],
    [3, 3, 2],
  ])('follows the newest status, in the order %i, %i, %i', async (...order) => {
    for (const sequence of order) await fixture.partner(sequence === 2 ? 'active' : 'suspended', sequence);
    await fixture.held(1);
    await fixture.rounds(3, fixture.worker());
    expect(await fixture.state()).toMatch(/^queued suspended: /);
    await fixture.partner('active', 4);
    await fixture.rounds(3, fixture.worker());
    expect(await fixture.state()).toBe('broadcast');
  });

  it('stores no signature if its partner is suspended during signing', async () => {
    await fixture.held(1);
    await fixture.rounds(1, fixture.worker());
    await Promise.all([fixture.rounds(3, fixture.worker()), fixture.partner('suspended', 1)]);
    await fixture.rounds(3, fixture.worker());
    const state = await fixture.state();
    expect(state === 'broadcast' || state.startsWith('queued suspended')).toBe(true);
    expect(fixture.chain.broadcasts.length > 0).toBe(state === 'broadcast');
  });
});
