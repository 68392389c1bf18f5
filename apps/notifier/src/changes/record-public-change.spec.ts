import { describe, expect, it, jest } from '@jest/globals';
import { createLogger, ManualClock, WakeSignal, WebhookCipher } from '@vuka/runtime';

import type { Change, DeliveryStore } from '../deliveries/delivery.store.js';
import { DeliveryVault } from '../secrets/delivery-vault.js';
import { testCipher, testWebhookCipher, transactionEvent } from '../testing/notifier.spec-support.js';
import { RecordPublicChange } from './record-public-change.js';

const clock = new ManualClock(new Date('2026-11-21T10:00:00.000Z'));
const coded = (code: string): Error => Object.assign(new Error('no'), { code });

/** Ten changes at once; returns statements and results. */
async function recordTen(
  recordChanges: (changes: readonly Change[]) => Promise<void>,
): Promise<{ statements: number; told: boolean[] }> {
  const store = { recordChanges: jest.fn((_group: string, changes: readonly Change[]) => recordChanges(changes)) };
  const record = new RecordPublicChange(
    store as unknown as DeliveryStore,
    new DeliveryVault(testCipher, testWebhookCipher),
    new WakeSignal(),
    clock,
    createLogger('notifier', { level: 'silent' }),
  );
  const told = await Promise.allSettled(
    Array.from({ length: 10 }, (_, index) =>
      record.run(
        transactionEvent({
          type: 'transaction.complete',
          sequence: 1,
          url: 'https://example.com/',
          transactionId: index,
          occurredAt: clock.now(),
        }),
      ),
    ),
  );
  return { statements: store.recordChanges.mock.calls.length, told: told.map(({ status }) => status === 'fulfilled') };
}

describe('changes that share a commit', () => {
  it.each(['25006', '53100', '40P01', '57014', 'ECONNRESET'])(
    'all wait when the database answers %s: none is retried alone',
    async (code) => {
      const { statements, told } = await recordTen(() => Promise.reject(coded(code)));
      expect(told).toEqual(Array.from({ length: 10 }, () => false));
      // The first goes alone.
      expect(statements).toBe(2);
    },
  );

  it('are told apart when one of them is bad', async () => {
    const { told } = await recordTen(async (changes) => {
      if (changes.some(({ transactionId }) => transactionId === 7)) throw coded('23514');
    });
    expect(told).toEqual(Array.from({ length: 10 }, (_, index) => index !== 7));
  });
});

describe('the name in an event', () => {
  const bodyOf = async (publicName: string): Promise<unknown> => {
    const kept: Change[] = [];
    const store = { recordChanges: async (_group: string, changes: readonly Change[]) => void kept.push(...changes) };
    const vault = new DeliveryVault(testCipher, testWebhookCipher);
    const log = createLogger('notifier', { level: 'silent' });
    const record = new RecordPublicChange(store as unknown as DeliveryStore, vault, new WakeSignal(), clock, log);
    const told = transactionEvent({ type: 'transaction.complete', sequence: 1, url: 'https://example.com/', transactionId: 7, occurredAt: clock.now() }); // prettier-ignore
    const payload = { ...told.data.payload, public_name: publicName };
    await record.run({ ...told, data: { ...told.data, payload } });
    const [change] = kept;
    expect(change?.body).not.toContain('transaction_code');
    return JSON.parse(vault.openBody({ transactionId: 7, sequence: 1 }, change?.body ?? ''));
  };

  it('is opened for the webhook, whose body is kept sealed', async () => {
    expect(await bodyOf(testWebhookCipher.sealName(7, 'JANE DOE'))).toMatchObject({ public_name: 'JANE DOE' });
  });

  it('is left out where its key is gone: only an outbox that is published again has such events', async () => {
    const gone = new WebhookCipher([{ id: 'w0', key: Buffer.alloc(32, 1) }]);
    expect(await bodyOf(gone.sealName(7, 'JANE DOE'))).not.toHaveProperty('public_name');
    expect(await bodyOf(testWebhookCipher.sealName(8, 'JANE DOE'))).not.toHaveProperty('public_name');
  });
});
