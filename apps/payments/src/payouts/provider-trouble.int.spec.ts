import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CallContext, StatusRow } from '@vuka/contracts';
import { JobClock } from '@vuka/jobs';
import { sandboxProvider, type ConnectedProvider } from '@vuka/payouts';
import { uuidv7 } from '@vuka/runtime';
import { openService, type OpenedService } from '@vuka/service-host';
import { testContext } from '@vuka/service-host/test-context';
import { atDepth, eachOf, until } from '@vuka/testing';

import { payments as paymentsDefinition } from '../payments.js';
import type { PaymentsRoot } from '../payments.root.js';
import {
  NO_EVENT_BUS,
  silent,
  startPaymentsDatabase,
  type PaymentsDatabase,
} from '../testing/payments-database.spec-support.js';
import { TroubledSimulator, TROUBLES } from '../testing/troubled-provider.spec-support.js';

/** Shorter than the sandbox's 3 s. */
const CALL_TIMEOUT_MS = 400;
/** Soon again after any trouble. */
const POLL_SCHEDULE_MS = [400, 600, 1_000];
const PER_TROUBLE = atDepth({ commit: 10, whole: 20 });
const ENOUGH = 5;
const ENDS_WITHIN_MS = 60_000;
const AMOUNT = 500_00n;
const FEE = 30_00n;
const FUNDS = 1_000_000_00n;
const PARTNER = 1;

let pg: PaymentsDatabase;
let simulator: TroubledSimulator;
let provider: ConnectedProvider;
let jobs: JobClock;
let payments: OpenedService<PaymentsRoot>;
const codes: string[] = [];

/** The whole of payments with its loops. */
async function start(profile: 'sandbox' | 'sandbox_b', takesAll: boolean): Promise<void> {
  codes.length = 0;
  pg = await startPaymentsDatabase();
  simulator = await new TroubledSimulator({ dedupes: profile === 'sandbox', takesAll }).listen();
  const calling = sandboxProvider({
    baseUrl: simulator.baseUrl,
    credential: 'the-credential-of-this-test',
    profile,
    callTimeoutMs: CALL_TIMEOUT_MS,
  });
  provider = { ...calling, capabilities: { ...calling.capabilities, pollScheduleMs: POLL_SCHEDULE_MS } };
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
}

async function stop(): Promise<void> {
  await payments.stop();
  await jobs.stop();
  await provider.close();
  await simulator.stop();
  await pg.stop();
}

const context = (): CallContext => ({
  requestId: 'r-1',
  traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  deadline: Date.now() + 5_000,
});

async function accept(): Promise<void> {
  const code = uuidv7();
  const result = await payments.handlers.acceptPayout(
    {
      operation: 'bank_transfer',
      partner_id: PARTNER,
      transaction_code: code,
      fingerprint: 'v1:a',
      currency: 'KES',
      amount_minor: AMOUNT.toString(),
      fee_minor: '0',
      destination: {
        kind: 'bank',
        account_number: `12345${String(codes.length).padStart(5, '0')}`,
        bank_code: '01',
        bank_name: 'KCB Bank Kenya',
      },
      callback_url: null,
    },
    context(),
  );
  expect(result.ok).toBe(true);
  codes.push(code);
}

async function rows(): Promise<StatusRow[]> {
  return eachOf(codes, 16, async (code) => {
    const result = await payments.handlers.getTransaction(
      { partner_id: PARTNER, currency: null, by: { transaction_code: code } },
      context(),
    );
    if (!result.ok) throw new Error(result.error.message);
    return result.value;
  });
}

async function counts(): Promise<Record<string, number>> {
  const all: Record<string, number> = {};
  for (const { status } of await rows()) all[status] = (all[status] ?? 0) + 1;
  return all;
}

async function spent(): Promise<bigint> {
  const [row] = await pg.db.query<{ minor: string }>(
    'select balance_minor::text as minor from accounts where name = $1',
    [`wallet:${PARTNER}:KES`],
  );
  return FUNDS - BigInt(row?.minor ?? 0);
}

/** In the database: requests would keep payments too busy. */
const allComplete = async (): Promise<boolean> =>
  (await pg.db.query(`select 1 from transactions where state <> 'COMPLETE' limit 1`)).length === 0;

const parkedNow = async (): Promise<number> =>
  (await pg.db.query(`select 1 from transactions where state = 'QUEUED'`)).length;

/** Until calls of both kinds have failed. */
async function inTrouble(trouble: (typeof TROUBLES)[number]): Promise<void> {
  await Promise.all(Array.from({ length: PER_TROUBLE }, accept));
  await simulator.get(trouble);
  for (let sent = 0; sent < PER_TROUBLE; sent += 1) await accept();
  // A call that was surely not taken is deferred; others are polled.
  const met =
    trouble === 'away'
      ? async () => (await parkedNow()) >= ENOUGH
      : () => simulator.spoiled.POST >= ENOUGH && simulator.spoiled.GET >= ENOUGH;
  await until(met, { withinMs: 15_000, what: `calls meet ${trouble}` });
  expect((await counts())['FAILED']).toBeUndefined();
  await simulator.get('none');
}

describe('a provider that dedupes', () => {
  beforeAll(() => start('sandbox', false), 60_000);
  afterAll(stop);

  it.each(TROUBLES)('%s: nothing is failed for it', inTrouble, 30_000);

  it(
    'and when it is well again each is paid, once, under a receipt of its own',
    async () => {
      await until(allComplete, { withinMs: ENDS_WITHIN_MS, what: 'all are COMPLETE', everyMs: 200 });
      expect(await counts()).toEqual({ COMPLETE: codes.length });
      const receipts = (await rows()).map(({ receipt_number }) => receipt_number);
      expect(new Set(receipts).size).toBe(codes.length);
      expect(simulator.receiptsGiven.sort()).toEqual([...receipts].sort());
      // Without an answer the same id was sent again.
      expect([...simulator.submits.values()].some((times) => times > 1)).toBe(true);
      expect(await spent()).toBe(BigInt(codes.length) * (AMOUNT + FEE));
      expect(await pg.broken()).toEqual([]);
    },
    ENDS_WITHIN_MS + 10_000,
  );
});

describe('a provider that pays as often as it is called', () => {
  beforeAll(() => start('sandbox_b', true), 60_000);
  afterAll(stop);

  it.each(TROUBLES)('%s: nothing is failed for it', inTrouble, 30_000);

  it(
    'is called once for each id, and what it took is found by asking',
    async () => {
      await until(allComplete, { withinMs: ENDS_WITHIN_MS, what: 'all are COMPLETE', everyMs: 200 });
      expect(await counts()).toEqual({ COMPLETE: codes.length });
      expect([...simulator.submits.values()].filter((times) => times > 1)).toEqual([]);
      expect(simulator.receiptsGiven.length).toBe(codes.length);
      expect(await spent()).toBe(BigInt(codes.length) * (AMOUNT + FEE));
      expect(await pg.broken()).toEqual([]);
    },
    ENDS_WITHIN_MS + 10_000,
  );
});
