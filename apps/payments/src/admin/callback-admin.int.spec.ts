import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { approvalPathOf, callbackPathOf } from '@vuka/payouts';
import { listAuditEntries } from '@vuka/persistence';
import { CALLBACK_TOKENS } from '@vuka/service-host';

import { CallbackHarness, CallingProvider, PREVIOUS, TOKEN } from '../callbacks/callback-harness.spec-support.js';
import { startPaymentsDatabase, type PaymentsDatabase } from '../testing/payments-database.spec-support.js';
import { CallbackAdmin } from './callback-admin.js';

let pg: PaymentsDatabase;

beforeAll(async () => {
  pg = await startPaymentsDatabase();
}, 60_000);
afterAll(() => pg.stop());

const STRANGER = '11111111-2222-4333-8444-555555555555';
const ACT = { provider: 'sandbox', by: 'Ann', reason: 'ticket 12, of 0712345678' };

describe('callbacks, for people', () => {
  it('are where providers call, what waits, and what is not ours until somebody has seen to it', async () => {
    const trip = await CallbackHarness.started(pg, new CallingProvider([]));
    const admin = trip.partsWith([CALLBACK_TOKENS, new Map([['sandbox', [TOKEN, PREVIOUS]]])]).get(CallbackAdmin);
    const paths = [
      { provider: 'sandbox', paths: [callbackPathOf('sandbox', TOKEN), callbackPathOf('sandbox', PREVIOUS)] },
    ];
    expect(await admin.read()).toEqual({ paths, waiting: [], unknown: [] });
    expect(await admin.resolve(ACT)).toMatchObject({ ok: false, error: { code: 'not_found' } });

    const received_at = trip.clock.now().toISOString();
    await trip.calledBack({ id: STRANGER });
    await trip.calledBack({ id: STRANGER });
    expect(await admin.read()).toMatchObject({
      waiting: [{ provider: 'sandbox', callbacks: 1, oldest_at: received_at }],
      unknown: [],
    });
    await trip.handle(3_600_000);
    expect(await admin.read()).toMatchObject({
      waiting: [],
      unknown: [{ provider: 'sandbox', signed: true, detail: `names ${STRANGER}`, received_at, times: 2 }],
    });

    expect(await admin.resolve(ACT)).toEqual({ ok: true, value: { resolved: 1 } });
    expect(await admin.read()).toMatchObject({ unknown: [] });
    const [entry] = await listAuditEntries(pg.db, { limit: 1 });
    expect(entry).toMatchObject({ by: 'Ann', act: 'callbacks.resolved', subject: '1 callbacks of sandbox' });
    expect(entry?.reason).not.toContain('0712345678');
  });

  it('are where a provider asks before it pays, too', async () => {
    const provider = Object.assign(new CallingProvider([]), {
      decideApproval: () => Promise.reject(new Error('not asked')),
      approvalReply: () => ({ status: 400, contentType: 'text/plain', body: '' }),
    });
    const trip = await CallbackHarness.started(pg, provider);
    const admin = trip.partsWith([CALLBACK_TOKENS, new Map([['sandbox', [TOKEN]]])]).get(CallbackAdmin);
    expect((await admin.read()).paths).toEqual([
      { provider: 'sandbox', paths: [callbackPathOf('sandbox', TOKEN)] },
      { provider: 'sandbox', paths: [approvalPathOf('sandbox', TOKEN)] },
    ]);
  });
});
