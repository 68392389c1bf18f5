import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { type RefundAdmin, type TransfersToSign } from '../admin/refund-admin.js';
import { PageRefunds } from '../alerts/page-refunds.js';
import { RefundWatch } from '../alerts/refund-watch.js';
import { DEBTS_COME_WITHIN_MS } from '../refunds/refund.store.js';
import { RefundFixture } from './refund-fixture.spec-support.js';

let fixture: RefundFixture;
beforeAll(async () => {
  fixture = await RefundFixture.open();
}, 60_000);
beforeEach(() => fixture.reset());
afterAll(() => fixture.close());

const admin = (): RefundAdmin => fixture.admin();

async function bringIn({ transfers }: TransfersToSign): Promise<unknown> {
  const signed = transfers.map(({ refund_id, version, transfer }) => ({
    refund_id,
    version,
    raw: `signed ${transfer.payload}`,
  }));
  const taken = await admin().take(
    { kind: 'vuka-refunds-signed', transfers: signed },
    { by: 'Ann', reason: 'signed today' },
  );
  return taken.ok ? taken.value.map(({ taken: isTaken, why }) => [isTaken, why]) : taken.error;
}

describe('a refund of a partner of which another deposit vanishes', () => {
  it('is neither shown nor taken, before somebody lets it go; somebody is called', async () => {
    fixture.offline();
    await fixture.held(1);
    const other = await fixture.deposit(2, 'consumed');
    await fixture.rounds(3, fixture.worker());
    const file = await admin().toSign();
    expect(file.transfers).toHaveLength(1);
    await fixture.vanish(other);
    expect((await admin().toSign()).transfers).toEqual([]);
    expect(await bringIn(file)).toEqual([[false, expect.stringContaining('refund-clear')]]);
    await fixture.rounds(2, fixture.worker());
    expect(await fixture.state()).toMatch(/^prepared withheld: /);
    fixture.lines = [];
    await new PageRefunds(new RefundWatch(fixture.db), fixture.clock, fixture.log).run();
    expect(fixture.lines).toMatchObject([{ code: 'refund_withheld', chain: 'CELO', refunds: 1 }]);
    expect(await admin().clear(1, { by: 'Ann', reason: 'the debt is paid' })).toEqual({ ok: true, value: undefined });
    await fixture.rounds(1, fixture.worker());
    expect(await bringIn(await admin().toSign())).toEqual([[true, '']]);
  });

  it.each(['credited', 'consumed'])(
    "is not prepared, whatever screening was told before, where that was %s; given up, it is the partner's again",
    async (state) => {
      const deposit = await fixture.held(1);
      const other = await fixture.deposit(2, state);
      await fixture.marked(deposit);
      await fixture.rounds(1, fixture.worker());
      expect(await admin().clear(1, { by: 'Ann', reason: 'alike' })).toMatchObject({ ok: true });
      await fixture.vanish(other);
      await fixture.rounds(3, fixture.worker());
      expect(await fixture.state()).toMatch(/^queued withheld: /);
      expect(await admin().cancel(1, { by: 'Ann', reason: 'it owes' })).toMatchObject({ ok: true });
      expect(await fixture.depositState(deposit)).toBe('unapplied');
      expect(fixture.chain.broadcasts).toEqual([]);
    },
  );

  it("goes where nothing is owed by that, or where it is another partner's", async () => {
    await fixture.held(1);
    const unused = await fixture.deposit(2, 'unapplied');
    const strange = await fixture.deposit(3, 'consumed');
    await fixture.db.query('update deposits set partner_id = 2 where id = $1', [strange]);
    await fixture.vanish(unused);
    await fixture.vanish(strange);
    await fixture.rounds(3, fixture.worker());
    expect(await fixture.state()).toBe('broadcast');
  });

  it('that was signed by then is followed; proven dead, it is not signed again by itself', async () => {
    await fixture.held(1);
    const other = await fixture.deposit(2, 'consumed');
    await fixture.rounds(3, fixture.worker());
    await fixture.vanish(other);
    fixture.chain.overtake();
    await fixture.rounds(4, fixture.worker());
    expect(await fixture.state()).toMatch(/^queued withheld: /);
  });

  it('is withheld as well where it was held before payments had heard of that, and not days later', async () => {
    await fixture.vanish(await fixture.deposit(2, 'credited'));
    await fixture.held(1);
    await fixture.rounds(2, fixture.worker());
    expect(await fixture.state()).toMatch(/^queued withheld: /);
    fixture.clock.advance(DEBTS_COME_WITHIN_MS);
    await fixture.held(3);
    await fixture.rounds(3, fixture.worker());
    expect(await fixture.state(3)).toBe('broadcast');
  });

  it('is withheld whichever of the two commits is first', async () => {
    for (let n = 1; n <= 20; n += 2) {
      const [deposit, other] = [await fixture.deposit(n, 'unapplied'), await fixture.deposit(n + 1, 'consumed')];
      await fixture.db.query('update deposits set partner_id = $2 where id = any ($1)', [[deposit, other], n]);
      const event = fixture.heldEvent(n, deposit);
      await Promise.all([
        fixture.intake().run({ ...event, data: { ...event.data, partner_id: n } }),
        fixture.vanish(other),
      ]);
      await fixture.hold().granted(fixture.grantedEvent(n));
    }
    expect(await fixture.db.query('select refund_id::integer as id from refunds where withheld_since is null')).toEqual(
      [],
    );
  });
});
