import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, it } from '@jest/globals';
import { AdminViews, type ServiceCalls } from '@vuka/admin';
import { ServiceUnavailableError } from '@vuka/runtime';

import type { Answer } from './answers/answer.js';
import { ledgerAnswer } from './answers/ledger-answer.js';
import type { Admin } from './admin-client.js';
import { aboutSigning } from './sign-refunds.js';

const NOT_THERE = new ServiceUnavailableError('notifier', 'no connection (ECONNREFUSED)', { sent: false });
const away = async (): Promise<never> => Promise.reject(NOT_THERE);
const nothing = {
  parked: [],
  in_doubt: [],
  review: [],
  overdue: [],
  rail_not_configured: [],
  frozen: [],
  incidents: [],
  owed_by_partners: [],
  owed_to_us: [],
  outbox_stalled: [],
  cut: [],
};

function servicesOf(change: object = {}): ServiceCalls {
  const reader = { deadLetters: async () => [] };
  const payments = { ...reader, stuck: async () => nothing, report: async () => ({ transaction: { id: 7 } }) };
  const notifier = { deadLetters: away, givenUp: away, webhooksOf: away };
  return {
    gateway: reader,
    payments,
    offramp: reader,
    checkout: reader,
    notifier,
    ...change,
  } as unknown as ServiceCalls;
}

const viewsOf = (change: object = {}): AdminViews => new AdminViews(servicesOf(change), true, { acts: async () => [] });

describe('an admin API of which one service does not answer', () => {
  it('shows what the other services know, and names the one that was not asked', async () => {
    expect(await viewsOf().stuck()).toMatchObject({
      review: [],
      not_asked: ['notifier: no connection (ECONNREFUSED)'],
    });
    expect(await viewsOf().deadLetters.list()).toEqual({
      deadLetters: [],
      more: false,
      notAsked: ['notifier: no connection (ECONNREFUSED)'],
    });
    expect(await viewsOf().transaction(7)).toMatchObject({ transaction: { id: 7 }, webhooks: null });
  });

  it('calls a ledger sound only as far as it could be read, and ends with 3 if something was away', async () => {
    const none = { depositsAfter: async () => [] };
    const payments = { ...none, ledger: async () => ({ ok: true, checks: [], balances: [] }) };
    const ledgerOf = (offramp: object, more: object = {}): Promise<Answer> =>
      ledgerAnswer({
        views: new AdminViews(
          { ...servicesOf(), offramp, payments: { ...payments, ...more } } as unknown as ServiceCalls,
          false,
          { acts: async () => [] },
        ),
        where: 'here',
        isRunning: false,
      } as unknown as Admin);
    expect(await ledgerOf({ depositsAfter: away })).toMatchObject({
      code: 3,
      json: { ok: false, verdict: 'sound_as_read' },
    });
    expect(await ledgerOf(none)).toMatchObject({
      code: 0,
      json: { ok: true, verdict: 'sound_as_read', not_read: [{ is_away: false }, { is_away: false }] },
    });
    const broken = {
      ledger: async () => ({ ok: false, checks: [{ rule: 'holds', broken: [{ asset: 'KES' }] }], balances: [] }),
    };
    expect(await ledgerOf({ depositsAfter: away }, broken)).toMatchObject({
      code: 1,
      json: { ok: false, verdict: 'not_sound' },
    });
  });

  it('still shows a broken rule then', async () => {
    const broken = { deadLetters: async () => Promise.reject(new TypeError('a bug')) };
    await expect(viewsOf({ checkout: broken }).deadLetters.list()).rejects.toThrow('a bug');
  });

  it('leaves no empty file behind, so that the same command can be repeated', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'vuka-sign-'));
    try {
      await expect(
        aboutSigning(
          { name: 'refunds-export', out: join(folder, 'a.json') },
          servicesOf({ offramp: { refundsToSign: away } }) as unknown as Admin,
        ),
      ).rejects.toBe(NOT_THERE);
      expect(readdirSync(folder)).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
