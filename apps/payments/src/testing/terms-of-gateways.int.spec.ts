import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { loadSettings } from '@vuka/config';
import type { CallContext } from '@vuka/contracts';
import { applyTerms, CURRENCIES, termsDigest } from '@vuka/domain';
import type { JobClock } from '@vuka/jobs';
import { Cipher, createLogger, systemClock, uuidv7, WakeSignal } from '@vuka/runtime';

import { createPayments, type PaymentsService } from '../payments.js';
import { NO_WIRE, startPaymentsDatabase, type PaymentsDatabase } from './payments-database.spec-support.js';

let pg: PaymentsDatabase;
let payments: PaymentsService;
const alarms: unknown[] = [];

beforeAll(async () => {
  pg = await startPaymentsDatabase();
  const log = createLogger('test', {
    level: 'error',
    destination: { write: (line: string) => void alarms.push((JSON.parse(line) as { code?: unknown }).code) },
  });
  payments = await createPayments({
    settings: loadSettings({}),
    database: pg.config,
    providers: [],
    currencies: CURRENCIES,
    outboxSignal: new WakeSignal(),
    wire: NO_WIRE,
    jobs: {} as JobClock,
    clock: systemClock,
    log,
    cipher: new Cipher([{ id: 'k1', key: Buffer.alloc(32, 7) }]),
  });
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

/** A transfer judged by those terms; what is charged for it besides the amount. */
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
