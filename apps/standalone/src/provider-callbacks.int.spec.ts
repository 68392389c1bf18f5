import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type CallContext, paymentsApi, type InternalClient, type StatusRow } from '@vuka/contracts';
import { gateway as gatewayDefinition, type GatewayRoot } from '@vuka/gateway';
import { gatewayMigrations } from '@vuka/gateway/migrations';
import { InProcessServices, newCallContext } from '@vuka/http';
import { payments as paymentsDefinition, type PaymentsRoot } from '@vuka/payments';
import { paymentsMigrations } from '@vuka/payments/migrations';
import { callbackPathOf, pawapayProvider, type PawapayProvider, payoutIdOf } from '@vuka/payouts';
import type { Database } from '@vuka/persistence';
import { borrowDatabase, type TestDatabase } from '@vuka/persistence/test-postgres';
import { createLogger, ServiceUnavailableError } from '@vuka/runtime';
import { type PawapaySimulator, startPawapaySimulator } from '@vuka/sandbox';
import { openService, type OpenedService } from '@vuka/service-host';
import { testContext, type TestParts } from '@vuka/service-host/test-context';
import { until } from '@vuka/testing';

const log = createLogger('provider-callbacks-test', { level: 'silent' });
const CREDENTIAL = 'test-token-of-a-merchant';
/** The id by which payouts are routed. */
const ID = 'sandbox';
const CALLBACK_TOKEN = 'a1'.repeat(32);
const PATH = callbackPathOf(ID, CALLBACK_TOKEN);
const PARTNER = 7;
const WITHIN = { withinMs: 60_000, everyMs: 200 };
const NEVER_MS = 3_600_000;

let folder: string;
let database: TestDatabase;
let db: Database;
let gateway: OpenedService<GatewayRoot>;
let payments: OpenedService<PaymentsRoot>;
let pawapay: PawapaySimulator;
let provider: PawapayProvider;
let isAway: boolean;
let clocks: NodeJS.Timeout[];

/** Payouts, twice a second. */
const JOBS: NonNullable<TestParts['jobs']> = {
  every: (queue, wake) => {
    if (!/^payments\.(start|submit|poll|handle)-/.test(queue)) return;
    clocks.push(setInterval(() => void wake('tick'), 500));
  },
  wakeAt: async () => undefined,
};
/** A busy machine is slow. */
const patient = (): CallContext => newCallContext({ budgetMs: 30_000 });
const NO_EVENTS = { subscribe: () => () => Promise.resolve() };

beforeEach(async () => {
  [isAway, clocks] = [false, []];
  folder = await mkdtemp(join(tmpdir(), 'provider-callbacks-'));
  database = await borrowDatabase([
    { name: 'payments', migrations: paymentsMigrations },
    { name: 'gateway', migrations: gatewayMigrations },
  ]);
  db = await database.connect();
  const services = new InProcessServices(log);
  const client = services.client(paymentsApi);
  const away: InternalClient<typeof paymentsApi> = {
    ...client,
    takeCallback: (input, context) =>
      isAway ? Promise.reject(new ServiceUnavailableError('payments', 'down')) : client.takeCallback(input, context),
  };
  gateway = await openService(
    gatewayDefinition,
    testContext({
      database: database.of('gateway'),
      jobs: JOBS,
      eventBus: NO_EVENTS,
      log,
      settings: { host: '127.0.0.1', port: 0 },
      clients: { payments: away, offramp: { listChains: () => Promise.reject(new Error('not asked')) } },
    }),
  );
  await gateway.start();
  const url = new URL(PATH, gateway.root.baseUrl);
  pawapay = await startPawapaySimulator({
    folder: join(folder, 'pawapay'),
    token: CREDENTIAL,
    log,
    settings: { callbacks: { url: url.href, retryAfterMs: [300, 600, 1_200] } },
  });
  provider = pawapayProvider({ baseUrl: pawapay.baseUrl, credential: CREDENTIAL, callbackHost: url.host });
  // No poll before its time: what ends a payout here is its callback.
  const capabilities = { ...provider.capabilities, pollScheduleMs: [NEVER_MS] };
  payments = await openService(
    paymentsDefinition,
    testContext({
      database: database.of('payments'),
      jobs: JOBS,
      eventBus: NO_EVENTS,
      log,
      providers: {
        providers: [{ ...provider, id: ID, capabilities }],
        callbackTokens: new Map([[ID, [CALLBACK_TOKEN]]]),
      },
    }),
  );
  services.register(paymentsApi, payments.handlers);
  await payments.start();
  const openings = [{ currency: 'MWK', amount_minor: '100000000' }];
  await payments.handlers.openSandboxWallets({ partner_id: PARTNER, openings }, patient());
}, 60_000);

afterEach(async () => {
  for (const timer of clocks) clearInterval(timer);
  await payments.stop();
  await pawapay.stop();
  await gateway.stop();
  await provider.close();
  await database.stop();
  await rm(folder, { recursive: true, force: true });
});

/** To the number of these four digits. */
async function pay(digits: string): Promise<void> {
  const accepted = await payments.handlers.acceptPayout(
    {
      operation: 'disburse',
      partner_id: PARTNER,
      transaction_code: digits,
      fingerprint: `v1:${digits}`,
      currency: 'MWK',
      amount_minor: '150000',
      fee_minor: '0',
      destination: { kind: 'mobile', phone: `+26599345${digits}`, mobile_network: 'Airtel Money' },
      callback_url: null,
    },
    patient(),
  );
  if (!accepted.ok) throw new Error(accepted.error.message);
}

async function statusOf(code: string): Promise<StatusRow['status']> {
  const found = await payments.handlers.getTransaction(
    { partner_id: PARTNER, currency: null, by: { transaction_code: code } },
    patient(),
  );
  if (!found.ok) throw new Error(found.error.message);
  return found.value.status;
}

const ends = (code: string, status: StatusRow['status']): Promise<unknown> =>
  until(async () => (await statusOf(code)) === status, { ...WITHIN, what: `${code} is ${status}` });

const outcomes = async (): Promise<(string | null)[]> =>
  (await db.query<{ outcome: string | null }>('select outcome from provider_callbacks')).map(({ outcome }) => outcome);

async function outcomesOf(code: string): Promise<string[]> {
  const rows = await db.query<{ outcome: string }>(
    'select c.outcome from provider_callbacks c join transactions t on t.id = c.transaction_id where t.transaction_code = $1',
    [code],
  );
  return rows.map(({ outcome }) => outcome);
}

async function paidTimes(code: string): Promise<number> {
  const [attempt] = await db.query<{ id: string }>(
    'select a.provider_reference as id from attempts a join transactions t on t.id = a.transaction_id where t.transaction_code = $1',
    [code],
  );
  return pawapay.control.payments(payoutIdOf(attempt?.id ?? '')).filter(({ reversed }) => !reversed).length;
}

/** What pawaPay does with these numbers is in its simulator (behaviour/numbers.ts). */
const RECORDED = ['1234', '0303', '0309', '0310', '0311', '0317'];
/** Forged, altered, expired, not signed, or signed and about something else: the query ends it. */
const ASKED = ['0305', '0306', '0307', '0313', '0315', '0316', '0319'];
const ASKED_FIRST = '0314';
const NOT_PAID = '0312';
const UNDER_WAY = '0318';

describe('what pawaPay calls back', () => {
  it('ends payouts that nobody polls, each once, as they truly ended', async () => {
    const all = [...RECORDED, ...ASKED, ASKED_FIRST, NOT_PAID, UNDER_WAY];
    for (const digits of all) await pay(digits);
    await Promise.all([...RECORDED, ...ASKED, ASKED_FIRST].map((digits) => ends(digits, 'COMPLETE')));
    await ends(NOT_PAID, 'FAILED');
    await until(async () => (await outcomes()).filter((outcome) => outcome === null).length === 1, {
      ...WITHIN,
      what: 'all is handled but what names a payout that nobody knows',
    });
    const asked = new Set((await outcomesOf(UNDER_WAY)).concat(...(await Promise.all(ASKED.map(outcomesOf)))));
    expect([await statusOf(UNDER_WAY), asked]).toEqual(['PROCESSING', new Set(['asked'])]);
    for (const digits of RECORDED)
      expect([digits, await outcomesOf(digits)]).toEqual([digits, expect.arrayContaining(['recorded'])]);
    // The first one says PROCESSING and has it asked, which may find the payment before the second one comes.
    expect(await outcomesOf(ASKED_FIRST)).toEqual(['asked', expect.stringMatching(/^(recorded|known)$/)]);
    expect(Object.fromEntries(await Promise.all(all.map(async (digits) => [digits, await paidTimes(digits)])))).toEqual(
      Object.fromEntries(all.map((digits) => [digits, digits === NOT_PAID || digits === UNDER_WAY ? 0 : 1])),
    );
    expect(await db.query('select * from incidents')).toEqual([]);
  }, 180_000);

  it('is taken when payments is back: pawaPay was told 503, and calls back again', async () => {
    isAway = true;
    await pay('1234');
    await until(() => pawapay.control.deliveries().some(({ status }) => status === 503), {
      ...WITHIN,
      what: 'a callback is refused',
    });
    expect([await statusOf('1234'), await outcomes()]).toEqual(['PROCESSING', []]);
    isAway = false;
    await ends('1234', 'COMPLETE');
    // The callback is marked after the commit that it led to.
    await until(async () => (await outcomesOf('1234')).length > 0, { ...WITHIN, what: 'the callback is marked' });
    expect([await outcomesOf('1234'), await paidTimes('1234')]).toEqual([['recorded'], 1]);
  }, 180_000);
});
