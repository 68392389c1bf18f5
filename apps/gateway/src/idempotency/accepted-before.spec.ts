import { describe, expect, it } from '@jest/globals';
import type { Acceptance } from '@vuka/contracts';
import { fail, ok } from '@vuka/domain';
import { newCallContext } from '@vuka/http';
import { createLogger } from '@vuka/runtime';

import { AcceptedBefore, type EarlierRequest } from './accepted-before.js';
import type { KnownKey } from './idempotency.store.js';

const log = createLogger('gateway', { level: 'silent' });
const RECORD = { status: 'PENDING' as const, transaction_code: 'r-1', message: 'Accepted' };
const ACCEPTANCE: Acceptance = { ...RECORD, transaction_id: 5, replayed: true };
const KNOWN: KnownKey = {
  fingerprint: 'v1:a',
  transactionCode: 'r-1',
  response: JSON.stringify(RECORD),
  leased: false,
};
const REQUEST: EarlierRequest = {
  partnerId: 1,
  operation: 'disburse',
  fingerprint: 'v1:a',
  reference: null,
  key: null,
};

interface Parts {
  readonly payments?: ConstructorParameters<typeof AcceptedBefore>[0];
  readonly keys?: ConstructorParameters<typeof AcceptedBefore>[1];
}

function before(known: KnownKey | null, acceptance: Acceptance | null, parts: Parts = {}): AcceptedBefore {
  const payments = {
    findAcceptance: async ({ transaction_code }: { transaction_code: string }) =>
      ok({ acceptance: transaction_code === 'r-1' ? acceptance : null }),
  };
  return new AcceptedBefore(parts.payments ?? payments, parts.keys ?? { find: async () => known }, log);
}

const find = (
  request: Partial<EarlierRequest>,
  known: KnownKey | null,
  acceptance: Acceptance | null,
  parts: Parts = {},
) => before(known, acceptance, parts).find({ ...REQUEST, ...request }, newCallContext({ budgetMs: 1_000 }));

const REPLAY = { result: { ok: true, value: RECORD }, transactionCode: 'r-1', replayed: true };

describe('a request that is refused now', () => {
  it('gets its first answer again if it was accepted under its reference', async () => {
    expect(await find({ reference: 'r-1' }, null, ACCEPTANCE)).toEqual(REPLAY);
    expect(await find({ reference: 'r-2' }, null, ACCEPTANCE)).toBeNull();
    expect(await find({ reference: 'r-1' }, null, null)).toBeNull();
  });

  it('gets its first answer again if its key has an answer or an accepted transaction', async () => {
    expect(await find({ key: 'k' }, KNOWN, null)).toEqual(REPLAY);
    expect(await find({ key: 'k' }, { ...KNOWN, response: null }, ACCEPTANCE)).toEqual(REPLAY);
    expect(await find({ key: 'k' }, { ...KNOWN, response: null }, null)).toBeNull();
    expect(await find({ key: 'k' }, null, null)).toBeNull();
  });

  it('waits for the first request with its key, if that one is still running', async () => {
    expect(await find({ key: 'k' }, { ...KNOWN, response: null, leased: true }, null)).toMatchObject({
      result: { ok: false, error: { code: 'request_in_progress', transactionCode: 'r-1' } },
      transactionCode: 'r-1',
      replayed: false,
    });
  });

  it('is refused if its reference or key belongs to another request', async () => {
    expect(await find({ key: 'k' }, { ...KNOWN, fingerprint: 'v1:b' }, null)).toBeNull();
    expect(await find({ key: 'k', reference: 'r-1' }, { ...KNOWN, fingerprint: 'v1:b' }, ACCEPTANCE)).toEqual(REPLAY);
  });

  it('says that the outcome is unknown if it cannot be looked up: a refusal could make the caller pay again', async () => {
    const open = { result: { ok: false, error: { code: 'service_unavailable' } }, replayed: false };
    const silent = { findAcceptance: async () => Promise.reject(new Error('away')) };
    expect(await find({ reference: 'r-1' }, null, null, { payments: silent })).toMatchObject({
      ...open,
      transactionCode: 'r-1',
    });
    expect(
      await find({ reference: 'r-1' }, null, null, {
        payments: { findAcceptance: async () => fail({ code: 'service_unavailable', message: 'recording' }) },
      }),
    ).toMatchObject(open);
    expect(
      await find({ key: 'k' }, null, null, { keys: { find: () => Promise.reject(new Error('away')) } }),
    ).toMatchObject({ ...open, transactionCode: null });
  });
});
