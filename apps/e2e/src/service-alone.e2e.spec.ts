import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  notifierApi,
  paymentsApi,
  TOPICS,
  type CallContext,
  type InternalApi,
  type InternalCaller,
  type InternalClient,
  type ServiceName,
} from '@vuka/contracts';
import { HttpServices, newCallContext } from '@vuka/http';
import { freePort, startLocalKafka, startLocalRedis, type LocalServer } from '@vuka/local-servers';
import { ensureTopics } from '@vuka/messaging/kafka';
import { ensureServiceLogins, startEmbeddedPostgres, type EmbeddedPostgres } from '@vuka/persistence';
import { createLogger, Metrics, systemClock } from '@vuka/runtime';
import { WebhookReceiver } from '@vuka/testing';

import { CREDENTIALS, LOGINS, ServiceProcess, type Ports } from './service-process.spec-support.js';

const log = createLogger('test', { level: 'silent' });
const PARTNER = 7;
const AT_ONCE = 40;

let folder: string;
let ports: Ports;
let postgres: EmbeddedPostgres;
const servers: LocalServer[] = [];
const processes: ServiceProcess[] = [];
const closing: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vuka-alone-'));
  postgres = await startPostgres();
  ports = { postgres: postgres.port, kafka: await freePort(), redis: await freePort() };
  await ensureServiceLogins(postgres, 'vuka', LOGINS);
}, 60_000);

afterAll(async () => {
  await Promise.all(processes.map((one) => one.end('SIGKILL')));
  await Promise.allSettled([
    ...closing.map((close) => close()),
    ...servers.map((server) => server.stop()),
    postgres.stop(),
  ]);
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}, 60_000);

const startPostgres = (port?: number): Promise<EmbeddedPostgres> =>
  startEmbeddedPostgres({ folder: join(folder, 'postgres'), durable: false, log, ...(port !== undefined && { port }) });

function run(
  service: ServiceName,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): ServiceProcess {
  const started = new ServiceProcess(service, { folder, ports, args, env });
  processes.push(started);
  return started;
}

async function clientOf<A extends InternalApi>(
  api: A,
  service: ServiceProcess,
  caller: InternalCaller = 'gateway',
): Promise<InternalClient<A>> {
  const services = new HttpServices({
    urls: { [api.service]: await service.internalUrl() },
    credentials: { [api.service]: CREDENTIALS[caller] },
    log,
    clock: systemClock,
    metrics: new Metrics('test'),
  });
  closing.push(() => services.close());
  return services.client(api);
}

/** Some machines run the suites as root. */
const accepting = (...risks: readonly string[]) => ({
  VUKA_ACCEPT_RISK: [...risks, ...(process.getuid?.() === 0 ? ['runs-as-root'] : [])].join(','),
});

const context = (): CallContext => newCallContext({ budgetMs: 10_000 });

const payout = (code: string, callbackUrl: string | null = null) => ({
  operation: 'bank_transfer' as const, partner_id: PARTNER, transaction_code: code, fingerprint: `v1:${code}`, currency: 'KES' as const,
  amount_minor: '100000', fee_minor: '0', callback_url: callbackUrl,
  destination: { kind: 'bank' as const, account_number: '1234567890', bank_code: '01', bank_name: 'KCB Bank Kenya' },
}); // prettier-ignore

describe('a service in a process of its own', () => {
  let payments: ServiceProcess;
  let notifier: ServiceProcess;

  it('updates its schema and ends', async () => {
    const migration = run('payments', ['--migrate']);
    expect([await migration.end(), migration.output]).toEqual([0, expect.stringContaining('"msg":"migrated"')]);
  }, 60_000);

  it('refuses missing settings, and names them', async () => {
    const [unset, argument] = [run('offramp', [], { VUKA_SECRETS_FILE: '' }), run('offramp', ['--migrations'])];
    expect([await unset.end(), unset.output]).toEqual([
      1,
      expect.stringContaining('VUKA_SECRETS_FILE must be set for this service'),
    ]);
    expect([await argument.end(), argument.output]).toEqual([
      1,
      expect.stringContaining('offramp takes no argument, or --migrate'),
    ]);
  }, 60_000);

  it('starts in live with a provider that pays real money, refuses at once what has no route, and never starts with play money', async () => {
    const file = join(folder, 'live-providers.json');
    const row = { base_url: 'https://127.0.0.1:9', countries: ['KE'], accepts_stablecoin_funds: 'yes' };
    const providers = [{ ...row, id: 'pawapay', secret: 'pawapay' }];
    const routes = [{ currency: 'KES', kind: 'mobile', network: 'Safaricom', providers: ['pawapay'] }];
    await writeFile(file, JSON.stringify({ providers, routes }));
    const playing = run('payments', [], { VUKA_ENV: 'live', ...accepting() });
    expect([await playing.end(), playing.output]).toEqual([
      1,
      expect.stringMatching(/providers\.0\.id: sandbox pays with play money, which live refuses/),
    ]);

    const unsafe = { VUKA_ENV: 'live', VUKA_PROVIDERS_FILE: file, LOG_LEVEL: 'silent' };
    const refused = run('payments', [], { ...unsafe, ...accepting() });
    expect([await refused.end(), refused.output]).toEqual([
      1,
      expect.stringMatching(/refuses what is unsafe:\n {2}- logs-silent: LOG_LEVEL .*\n {2}Whoever takes a risk/),
    ]);

    const live = run('payments', [], { ...unsafe, ...accepting('logs-silent') });
    const { acceptPayout } = await clientOf(paymentsApi, live);
    expect(await acceptPayout(payout('to-a-bank'), context())).toMatchObject({
      ok: false,
      error: { code: 'unsupported_currency' },
    });
    const phone = { kind: 'mobile' as const, phone: '+254712345678', mobile_network: 'Safaricom' };
    const routed = { ...payout('to-a-phone'), operation: 'disburse' as const, destination: phone };
    expect(await acceptPayout(routed, context())).toMatchObject({ ok: false, error: { code: 'insufficient_balance' } });
    expect(live.output).toMatch(/"level":"warn".*"risk":"logs-silent"/);
    expect(await live.end('SIGTERM')).toBe(0);
  }, 60_000);

  it('waits for its database, and no longer than it is told to', async () => {
    await postgres.stop();
    const impatient = run('payments', ['--migrate'], { VUKA_START_PATIENCE_S: '1' });
    [payments, notifier] = [run('payments'), run('notifier')];
    const leaving = run('notifier');
    expect([await impatient.end(), impatient.output]).toEqual([
      1,
      expect.stringMatching(/"code":"service_failed".*PostgreSQL at 127\.0\.0\.1:\d+ was not reached within 1 s/),
    ]);
    for (const one of [payments, notifier, leaving])
      await one.until('waits', () => one.output.includes('waiting for PostgreSQL'));
    expect(await leaving.end('SIGTERM')).toBe(0);
    expect(leaving.output).not.toContain('service_failed');
    postgres = await startPostgres(ports.postgres);
    await Promise.all([payments.internalUrl(), notifier.internalUrl()]);
  }, 120_000);

  it('works without Kafka and Redis: both services stay ready, and report that they read no events', async () => {
    expect((await payments.health('ready')).status).toBe(200);
    expect((await notifier.health('live')).status).toBe(200);
    expect(await notifier.health('ready')).toEqual({
      status: 200,
      body: expect.stringMatching(/"notifier":"ready","events":"(?!ready)/),
    });
  });

  it('accepts payouts meanwhile, and publishes their events when Kafka and Redis are back', async () => {
    const { ensureWebhookSecret } = await clientOf(notifierApi, notifier, 'setup');
    const secret = await ensureWebhookSecret({ partner_id: PARTNER }, context());
    if (!secret.ok) throw new Error(secret.error.message);
    const receiver = await WebhookReceiver.start([
      { id: PARTNER, name: '', consumer_key: '', checkout_key: '', webhook_secret: secret.value.secret },
    ]);
    closing.push(() => receiver.stop());
    const { acceptPayout } = await clientOf(paymentsApi, payments);
    const { openSandboxWallets } = await clientOf(paymentsApi, payments, 'setup');
    await openSandboxWallets(
      { partner_id: PARTNER, openings: [{ currency: 'KES', amount_minor: '100000000' }] },
      context(),
    );
    expect(await acceptPayout(payout('early', receiver.url()), context())).toMatchObject({
      ok: true,
      value: { status: 'PENDING' },
    });

    const [kafka, redis] = await Promise.all([
      startLocalKafka({ folder: join(folder, 'kafka'), log, port: ports.kafka }),
      startLocalRedis({ folder: join(folder, 'redis'), log, port: ports.redis }),
    ]);
    servers.push(kafka, redis);
    const reports = await ensureTopics(
      { brokers: [`127.0.0.1:${ports.kafka}`], prefix: 'sandbox.', tls: null, sasl: null },
      log,
      { partitions: 2, replication: 1, retentionMs: 3_600_000 },
    );
    expect(reports.map(({ topic, outcome }) => [topic, outcome])).toEqual(
      Object.keys(TOPICS).map((topic) => [`sandbox.${topic}`, 'created']),
    );
    const told = await receiver.waitFor(
      (received) => received.find(({ payload }) => payload.transaction_code === 'early'),
      { withinMs: 60_000, what: 'the webhook of a payout from before Kafka' },
    );
    expect([told.event, told.partner]).toEqual(['transaction.processing', PARTNER]);
    await notifier.until('reads from Kafka', async () =>
      (await notifier.health('ready')).body.includes('"events":"ready"'),
    );
  }, 120_000);

  it('is not ready while its database is away, and is again by itself', async () => {
    const pids = [payments.pid, notifier.pid];
    await postgres.stop();
    for (const one of [payments, notifier])
      await one.until('is not ready', async () => (await one.health('ready')).status === 503);
    expect((await payments.health('live')).status).toBe(200);
    postgres = await startPostgres(ports.postgres);
    for (const one of [payments, notifier])
      await one.until('is ready again', async () => (await one.health('ready')).status === 200);
    expect([payments.isRunning, notifier.isRunning, payments.pid, notifier.pid]).toEqual([true, true, ...pids]);
  }, 120_000);

  it('finishes its work when it is stopped: everything that was answered is there at the next start', async () => {
    const { acceptPayout } = await clientOf(paymentsApi, payments);
    const codes = Array.from({ length: AT_ONCE }, (_, index) => `late-${index}`);
    const calls = codes.map((code) =>
      acceptPayout(payout(code), context()).then(
        ({ ok }) => ok,
        () => false,
      ),
    );
    await Promise.race(calls);
    expect(await payments.end('SIGTERM')).toBe(0);
    const answered = await Promise.all(calls);
    const accepted = codes.filter((_, index) => answered[index]);
    expect(accepted.length).toBeGreaterThan(0);
    expect(payments.output).toContain('"msg":"stopped"');

    payments = run('payments');
    const { getTransaction } = await clientOf(paymentsApi, payments);
    for (const code of accepted) {
      expect(
        await getTransaction({ partner_id: PARTNER, currency: null, by: { transaction_code: code } }, context()),
      ).toMatchObject({ ok: true, value: { transaction_code: code } });
    }
    expect(await notifier.end('SIGTERM')).toBe(0);
    expect(await payments.end('SIGTERM')).toBe(0);
  }, 120_000);
});
