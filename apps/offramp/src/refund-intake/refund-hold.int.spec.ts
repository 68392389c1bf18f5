import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { PermanentEventError } from '@vuka/messaging';

import { RefundFixture } from '../transfers/refund-fixture.spec-support.js';

let fixture: RefundFixture;
beforeAll(async () => {
  fixture = await RefundFixture.open();
}, 60_000);
beforeEach(() => fixture.reset());
afterAll(() => fixture.close());

const toSign = async (): Promise<readonly unknown[]> => (await fixture.admin().toSign()).transfers;

async function ungranted(): Promise<number> {
  const depositId = await fixture.deposit(1, 'consumed');
  await fixture.intake().run(fixture.heldEvent(1, depositId));
  return depositId;
}

describe('a refund that is not granted', () => {
  it('is neither prepared nor exported, however often it is due', async () => {
    await ungranted();
    await fixture.rounds(5, fixture.worker(), fixture.worker());
    fixture.offline();
    await fixture.rounds(5, fixture.worker());
    expect([await fixture.state(), await fixture.versions(), await toSign(), await fixture.kinds()]).toEqual([
      'queued',
      [],
      [],
      [],
    ]);
  });

  it('goes out once it is granted, however often that is told', async () => {
    await ungranted();
    const granted = fixture.grantedEvent(1);
    await Promise.all([fixture.hold().granted(granted), fixture.hold().granted(granted)]);
    await fixture.hold().granted(fixture.grantedEvent(1));
    await fixture.rounds(3, fixture.worker());
    fixture.chain.mine();
    await fixture.rounds(1, fixture.worker());
    expect([await fixture.state(), fixture.chain.paid.length]).toEqual(['confirmed', 1]);
  });

  it('ends where it is withdrawn: its deposit is consumed again, and nothing is ever signed', async () => {
    const depositId = await ungranted();
    await fixture.hold().withdrawn(fixture.withdrawnEvent(1));
    await fixture.hold().withdrawn(fixture.withdrawnEvent(1));
    await fixture.hold().granted(fixture.grantedEvent(1));
    await fixture.rounds(4, fixture.worker());
    expect([
      await fixture.state(),
      await fixture.depositState(depositId),
      await fixture.versions(),
      await fixture.kinds(),
    ]).toEqual(['failed cancelled', 'consumed', [], ['refund.failed 1_1']]);
  });

  it('is not signed where its row was prepared all the same: the commit of a signature checks', async () => {
    await fixture.held(1);
    fixture.offline();
    await fixture.rounds(2, fixture.worker());
    const file = await fixture.admin().toSign();
    await fixture.db.query('update refunds set granted_at = null');
    expect(await toSign()).toEqual([]);
    const [one] = file.transfers;
    const taken = await fixture.admin().take(
      {
        kind: 'vuka-refunds-signed',
        transfers: [{ refund_id: 1, version: 1, raw: `signed ${one?.transfer.payload ?? ''}` }],
      },
      { by: 'Ann', reason: 'signed today' },
    );
    expect(taken).toMatchObject({ ok: true, value: [{ taken: false, why: expect.stringContaining('granted') }] });
    expect(fixture.chain.broadcasts).toEqual([]);
  });

  it('is told of before it was held: the word is kept as a dead letter, for there is nothing to grant', async () => {
    await expect(fixture.hold().granted(fixture.grantedEvent(7))).rejects.toBeInstanceOf(PermanentEventError);
    await expect(fixture.hold().withdrawn(fixture.withdrawnEvent(7))).rejects.toBeInstanceOf(PermanentEventError);
  });
});
