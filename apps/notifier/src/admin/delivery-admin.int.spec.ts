import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { DeliveryFixture, LONG_MS, TRIES } from '../testing/delivery-fixture.spec-support.js';
import { DeliveryAdmin } from './delivery-admin.js';

let fixture: DeliveryFixture;
let admin: DeliveryAdmin;

beforeAll(async () => {
  fixture = await DeliveryFixture.start();
  admin = new DeliveryAdmin(fixture.db);
}, 60_000);
afterAll(() => fixture.stop());
beforeEach(() => fixture.clear());

const tell = (
  transactionId: number,
  sequence: number,
  type: 'transaction.processing' | 'transaction.complete',
  host: string,
): Promise<void> =>
  fixture.tell({
    transactionId,
    sequence,
    type,
    url: `https://operator:sesame@${host}/hooks/secret-path?token=sesame`,
  });

describe('the webhooks of one transaction', () => {
  it('are shown with every POST, and of their URL the host alone', async () => {
    fixture.answers.set('b.example:8443', { kind: 'answered', status: 503, retryAfter: null });
    await tell(41, 1, 'transaction.processing', 'a.example');
    await fixture.deliver(1);
    await tell(41, 2, 'transaction.complete', 'b.example:8443');
    await tell(42, 1, 'transaction.complete', 'a.example');
    const told = fixture.clock.now();
    await fixture.deliver(1);
    fixture.answers.set('b.example:8443', { kind: 'failed', error: 'timeout' });
    await fixture.deliver(1);

    const shown = await admin.deliveriesOf(41);
    expect(shown).toEqual([
      expect.objectContaining({
        webhookId: '41_1',
        sequence: 1,
        event: 'transaction.processing',
        state: 'delivered',
        host: 'a.example',
        attempts: 1,
        nextAttemptAt: null,
      }),
      expect.objectContaining({
        webhookId: '41_2',
        transactionId: 41,
        partnerId: 1,
        state: 'pending',
        host: 'b.example:8443',
        attempts: 2,
        createdAt: told,
        settledAt: null,
      }),
    ]);
    expect(shown[0]!.posts).toEqual([expect.objectContaining({ attempt: 1, status: 204, error: null })]);
    expect(shown[1]!.posts).toEqual([
      { attempt: 1, startedAt: told, durationMs: expect.any(Number), status: 503, error: null },
      {
        attempt: 2,
        startedAt: new Date(told.getTime() + LONG_MS),
        durationMs: expect.any(Number),
        status: null,
        error: 'timeout',
      },
    ]);
    expect(JSON.stringify(shown)).not.toMatch(/sesame|secret-path/);
    expect(await admin.deliveriesOf(43)).toEqual([]);
  });
});

describe('webhooks that were given up', () => {
  it('come in pages, oldest first, without delivered or pending ones', async () => {
    fixture.answers.set('dead.example', { kind: 'answered', status: 500, retryAfter: null });
    for (let id = 1; id <= 5; id += 1) await tell(id, 1, 'transaction.complete', 'dead.example');
    await tell(6, 1, 'transaction.complete', 'a.example');
    await fixture.deliver(TRIES);
    await tell(7, 1, 'transaction.complete', 'dead.example');
    await fixture.deliver(1);

    const first = await admin.givenUp({ limit: 3 });
    const second = await admin.givenUp({ limit: 3, after: first.at(-1)! });
    expect([...first, ...second].map(({ webhookId }) => webhookId)).toEqual(['1_1', '2_1', '3_1', '4_1', '5_1']);
    expect(first[0]).toMatchObject({
      state: 'exhausted',
      attempts: TRIES,
      host: 'dead.example',
      settledAt: expect.any(Date),
    });
  });
});
