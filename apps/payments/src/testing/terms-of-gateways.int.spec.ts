import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { CallContext } from '@vuka/contracts';
import { applyTerms, CURRENCIES, termsDigest } from '@vuka/domain';
import { createLogger, uuidv7 } from '@vuka/runtime';
import { openService, type OpenedService } from '@vuka/service-host';
import { testContext } from '@vuka/service-host/test-context';

import { payments as paymentsDefinition } from '../payments.js';
import type { PaymentsRoot } from '../payments.root.js';
import {
  NO_JOBS,
  NO_EVENT_BUS,
  startPaymentsDatabase,
  type PaymentsDatabase,
} from './payments-database.spec-support.js';

let pg: PaymentsDatabase;
let payments: OpenedService<PaymentsRoot>;
const alarms: unknown[] = [];

beforeAll(async () => {
  pg = await startPaymentsDatabase();
  const log = createLogger('test', {
    level: 'error',
    destination: { write: (line: string) => void alarms.push((JSON.parse(line) as { code?: unknown }).code) },
  });
  payments = await openService(
    paymentsDefinition,
    testContext({ database: pg.config, eventBus: NO_EVENT_BUS, jobs: NO_JOBS, log }),
  );
  await payments.handlers.openSandboxWallets(
    { partner_id: 1, openings: [{ currency: 'KES', amount_minor: '100000000' }] },
    context(),
  );
}, 60_000);

afterAll(async () => {
  await payments.stop();
  await pg.stop();
});

const context = (): CallContext => ({ requestId: 'r-1', traceparent: '00-1', deadline: Date.now() + 10_000 });

/** Resolves with the charge besides the amount. */
async function chargedFor(terms?: string): Promise<string> {
  const transaction_code = uuidv7();
  const accepted = await payments.handlers.acceptPayout(
    {
      operation: 'bank_transfer',
      partner_id: 1,
      transaction_code,
      fingerprint: 'v1:a',
      currency: 'KES',
      amount_minor: '50000',
      fee_minor: '0',
      destination: { kind: 'bank', account_number: '1234567890', bank_code: '01', bank_name: 'KCB Bank Kenya' },
      callback_url: null,
      ...(terms !== undefined && { terms }),
    },
    context(),
  );
  expect(accepted).toMatchObject({ ok: true });
  const row = await payments.handlers.getTransaction(
    { partner_id: 1, currency: null, by: { transaction_code } },
    context(),
  );
  if (!row.ok) throw new Error(row.error.message);
  return row.value.service_fee;
}

it('payments charges by its own terms whatever a gateway judged by, and tells once that they differ', async () => {
  const others = applyTerms(CURRENCIES, {
    service_fees: [{ operation: 'bank_transfer', currency: 'KES', flat: '99' }],
  });
  if (!others.ok) throw new Error(others.error);
  expect([await chargedFor(termsDigest(CURRENCIES)), await chargedFor(), alarms]).toEqual(['30.00', '30.00', []]);
  expect([await chargedFor(termsDigest(others.value)), await chargedFor(termsDigest(others.value)), alarms]).toEqual([
    '30.00',
    '30.00',
    ['terms_differ'],
  ]);
});
