import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CallContext } from '@vuka/contracts';
import { JobClock } from '@vuka/jobs';
import type { ProviderAnswer } from '@vuka/payouts';
import { uuidv7 } from '@vuka/runtime';
import { openService, type OpenedService } from '@vuka/service-host';
import { testContext } from '@vuka/service-host/test-context';
import { until } from '@vuka/testing';

import { payments as paymentsDefinition } from '../payments.js';
import type { PaymentsRoot } from '../payments.root.js';
import { openAdminOn } from '../testing/admin.spec-support.js';
import {
  NO_EVENT_BUS,
  silent,
  startPaymentsDatabase,
  type PaymentsDatabase,
} from '../testing/payments-database.spec-support.js';
import { ScriptedProvider } from '../testing/payout-harness.spec-support.js';

/** Payments with its loops, and settling people in another process. */
const CALL_TIMEOUT_MS = 400;
const FUNDS = 1_000_00n;
const AMOUNT = 500_00n;
const PARTNER = 1;

/** Submits have no outcome, and queries hang until the end. */
class HangingProvider extends ScriptedProvider {
  asked = 0;
  private readonly waiting: ((answer: ProviderAnswer) => void)[] = [];

  override submit({ attemptId }: { attemptId: string }): Promise<ProviderAnswer> {
    this.submitted.push(attemptId);
    return Promise.resolve({ outcome: 'unknown', detail: 'timeout' });
  }

  override query(): Promise<ProviderAnswer> {
    this.asked += 1;
    return new Promise((resolve) => {
      this.waiting.push(resolve);
    });
  }

  releaseClaim(): void {
    for (const answer of this.waiting) answer({ outcome: 'query_failed', detail: 'timeout' });
  }
}

let pg: PaymentsDatabase;
let jobs: JobClock;
let payments: OpenedService<PaymentsRoot>;
let admin: Awaited<ReturnType<typeof openAdminOn>>;
const provider = new HangingProvider([]);
Object.assign(provider.promises, { callTimeoutMs: CALL_TIMEOUT_MS });

const context = (): CallContext => ({
  requestId: 'r-1',
  traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  deadline: Date.now() + 5_000,
});

beforeAll(async () => {
  pg = await startPaymentsDatabase();
  jobs = new JobClock({ connection: { kind: 'postgres', connectionString: pg.adminUrl, schema: 'jobs' }, log: silent });
  payments = await openService(
    paymentsDefinition,
    testContext({ database: pg.config, providers: { providers: [provider] }, eventBus: NO_EVENT_BUS, jobs }),
  );
  await payments.handlers.openSandboxWallets(
    { partner_id: PARTNER, openings: [{ currency: 'KES', amount_minor: FUNDS.toString() }] },
    context(),
  );
  await payments.start();
  await jobs.start();
  admin = await openAdminOn(pg);
}, 60_000);

afterAll(async () => {
  provider.releaseClaim();
  await admin.close();
  await payments.stop();
  await jobs.stop();
  await pg.stopWhole();
}, 60_000);

describe('people approve beside a call that is out', () => {
  it('and the running payments service applies it once when the time of the call is over', async () => {
    const result = await payments.handlers.acceptPayout(
      {
        operation: 'bank_transfer',
        partner_id: PARTNER,
        transaction_code: uuidv7(),
        fingerprint: 'v1:a',
        currency: 'KES',
        amount_minor: AMOUNT.toString(),
        fee_minor: '0',
        destination: { kind: 'bank', account_number: '1234567890', bank_code: '01', bank_name: 'KCB Bank Kenya' },
        callback_url: null,
      },
      context(),
    );
    if (!result.ok) throw new Error(result.error.message);
    const transactionId = result.value.transaction_id;
    await until(() => Promise.resolve(provider.asked === 1), { withinMs: 20_000, what: 'the provider is asked' });
    const proposed = await admin.methods.propose.run({
      transactionId,
      outcome: 'not_paid',
      receipt: null,
      paid: null,
      evidence: 'ticket 5512',
      by: 'Ann',
    });
    if (!proposed.ok) throw new Error(proposed.error.message);
    const { settlementId } = proposed.value;
    const approved = await admin.methods.approve.run({ settlementId, by: 'Ben' });
    expect(approved).toMatchObject({ ok: true, value: { executed: false, state: 'IN_DOUBT' } });
    const lapses = approved.ok && approved.value.executesBy;
    const isDone = async (): Promise<boolean> =>
      (await admin.methods.settlement.run(settlementId))?.state === 'approved';
    await until(isDone, { withinMs: 20_000, what: 'the settlement is carried out' });
    const report = await admin.methods.report.run(transactionId);
    expect(Date.parse(report?.settlements[0]?.executed_at ?? '')).toBeGreaterThanOrEqual((lapses as Date).getTime());
    expect([report?.transaction.state, provider.submitted.length]).toEqual(['FAILED', 1]);
    const postings = await pg.db.query<{ kind: string }>(
      'select kind from postings where transaction_id = $1 order by id',
      [transactionId],
    );
    expect(postings.map(({ kind }) => kind)).toEqual(['payout_held', 'payout_released']);
  }, 60_000);
});
