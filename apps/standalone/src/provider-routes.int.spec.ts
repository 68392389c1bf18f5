import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Acceptance, StatusRow } from '@vuka/contracts';
import type { PayoutDestination, Result } from '@vuka/domain';
import { newCallContext } from '@vuka/http';
import { JobClock } from '@vuka/jobs';
import { payments as definition } from '@vuka/payments';
import { borrowDatabase, type TestDatabase } from '@vuka/persistence/test-postgres';
import { createLogger, systemClock, uuidv7 } from '@vuka/runtime';
import { type PawapaySimulator, startPawapaySimulator } from '@vuka/sandbox';
import { openProviders, openService, type OpenedProviders, type OpenedService } from '@vuka/service-host';
import { testContext } from '@vuka/service-host/test-context';
import { until } from '@vuka/testing';

const TOKEN = 'test-token-of-a-merchant';
const PARTNER = 1;
const WITHIN_MS = 30_000;
const NO_EVENT_BUS = { subscribe: () => () => Promise.resolve() };
const log = createLogger('provider-routes-test', { level: 'silent' });

const MTN = { kind: 'mobile', phone: '+233241230000', mobile_network: 'MTN' } as const;
const TELECEL = { ...MTN, mobile_network: 'Telecel' };

type Payments = OpenedService<InstanceType<(typeof definition)['root']>>;

let folder: string;
let database: TestDatabase;
let jobs: JobClock;
let simulator: PawapaySimulator;
let opened: OpenedProviders;
let payments: Payments;

/** As a process starts: the file is read, and what it names is opened. */
async function start(networks: readonly string[]): Promise<void> {
  const file = join(folder, 'providers.json');
  const providers = [
    {
      id: 'pawapay',
      base_url: simulator.baseUrl,
      secret: 'main',
      countries: ['GH'],
      accepts_stablecoin_funds: 'consent',
    },
  ];
  const routes = networks.map((network) => ({ currency: 'GHS', kind: 'mobile', network, providers: ['pawapay'] }));
  await writeFile(file, JSON.stringify({ providers, routes }));
  const secrets = new Map([['main', { credential: TOKEN, callbackTokens: [] }]]);
  opened = await openProviders({ file, env: 'sandbox', allowStablecoinFundsAt: [], secrets, clock: systemClock });
  jobs = new JobClock({ connection: { kind: 'postgres', connectionString: database.adminUrl, schema: 'jobs' }, log });
  const config = { ...database.config, schema: 'payments' };
  payments = await openService(
    definition,
    testContext({ database: config, providers: opened, eventBus: NO_EVENT_BUS, jobs, log }),
  );
  await payments.start();
  await jobs.start();
}

async function stop(): Promise<void> {
  await payments.stop();
  await jobs.stop();
  await opened.close();
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'provider-routes-'));
  database = await borrowDatabase([{ name: 'payments' }]);
  simulator = await startPawapaySimulator({ folder: join(folder, 'pawapay'), token: TOKEN, log });
  await start(['MTN', 'Telecel']);
  const openings = [{ currency: 'GHS' as const, amount_minor: '100000' }];
  await payments.handlers.openSandboxWallets({ partner_id: PARTNER, openings }, newCallContext());
}, 120_000);

afterAll(async () => {
  await stop();
  await simulator.stop();
  await database.stop();
  await rm(folder, { recursive: true, force: true });
});

const accept = (
  destination: PayoutDestination,
  transaction_code = uuidv7(),
  amount_minor = '1000',
): Promise<Result<Acceptance>> =>
  payments.handlers.acceptPayout(
    {
      operation: 'disburse',
      partner_id: PARTNER,
      transaction_code,
      fingerprint: 'v1:a',
      currency: 'GHS',
      amount_minor,
      fee_minor: '0',
      destination,
      callback_url: null,
    },
    newCallContext(),
  );

async function rowOf(transaction_code: string): Promise<StatusRow> {
  const found = await payments.handlers.getTransaction(
    { partner_id: PARTNER, currency: null, by: { transaction_code } },
    newCallContext(),
  );
  if (!found.ok) throw new Error(found.error.message);
  return found.value;
}

async function balance(): Promise<string | undefined> {
  const wallets = await payments.handlers.listWallets({ partner_id: PARTNER }, newCallContext());
  if (!wallets.ok) throw new Error(wallets.error.message);
  return wallets.value.wallets.find(({ currency }) => currency === 'GHS')?.balance_minor;
}

describe('payments with pawaPay in its providers file', () => {
  it('pays through it', async () => {
    const code = 'through-pawapay';
    expect(await accept(MTN, code)).toMatchObject({ ok: true });
    const row = await until(async () => {
      const now = await rowOf(code);
      return now.status === 'COMPLETE' || now.status === 'FAILED' ? now : null;
    }, { withinMs: WITHIN_MS, what: 'the payout has ended' }); // prettier-ignore
    expect([row.status, row.receipt_number]).toEqual(['COMPLETE', expect.stringMatching(/\S/)]);
  });

  it.each<[string, PayoutDestination, string, string]>([
    ['a network without a route', { ...MTN, mobile_network: 'AirtelTigo' }, '1000', 'unsupported_network'],
    ['a kind without a route', { kind: 'bank', account_number: '0123456789', bank_code: '01', bank_name: 'A' }, '1000', 'invalid_request'],
    ['more than the network takes', MTN, '1500001', 'amount_out_of_range'],
    ['less than the network takes', MTN, '99', 'amount_out_of_range'],
  ])('refuses %s at once, and holds nothing', async (_, destination, amount, code) => {
    const before = await balance();
    expect(await accept(destination, uuidv7(), amount)).toMatchObject({ ok: false, error: { code } });
    expect(await balance()).toBe(before);
  }); // prettier-ignore

  it('refuses what a route paid that was taken out of the file, and pays what is left', async () => {
    const code = 'before-the-change';
    expect(await accept(TELECEL, code)).toMatchObject({ ok: true });
    await stop();
    await start(['MTN']);
    expect(await accept(TELECEL)).toMatchObject({ ok: false, error: { code: 'unsupported_network' } });
    expect(await accept(TELECEL, code)).toMatchObject({ ok: true, value: { replayed: true } });
    expect(await accept(MTN)).toMatchObject({ ok: true });
  });
});
