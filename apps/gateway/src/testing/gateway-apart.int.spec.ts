import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import {
  checkoutApi,
  notifierApi,
  offrampApi,
  paymentsApi,
  validationApi,
  type InternalApi,
  type InternalHandlers,
} from '@vuka/contracts';
import { ok } from '@vuka/domain';
import { credentialHash, HttpServices, type InternalServer, newCallContext, startInternalServer } from '@vuka/http';
import { Metrics, systemClock } from '@vuka/runtime';
import { readinessApart, type OpenedService } from '@vuka/service-host';
import { CuttableLink, until } from '@vuka/testing';

import type { GatewayRoot } from '../gateway.root.js';
import { openGateway, startTestDatabase, type TestDatabase } from './gateway-database.spec-support.js';
import {
  ask,
  CHECKOUT_KEY,
  CONSUMER_KEY,
  expectError,
  NamesStub,
  PaymentsStub,
  silentLog,
  TRANSFER,
  type Answer,
} from './gateway.spec-support.js';

jest.setTimeout(60_000);

const CREDENTIAL = 'c'.repeat(40);
const WITHIN = { withinMs: 15_000 };

/** A service behind a connection that can be cut. */
interface Apart {
  readonly server: InternalServer;
  readonly link: CuttableLink;
}

/** Real database; payments and validation behind real sockets; offramp and checkout are away. */
describe('a gateway whose services run apart', () => {
  let database: TestDatabase;
  let gateway: OpenedService<GatewayRoot>;
  let services: HttpServices;
  let payments: PaymentsStub;
  let paymentsApart: Apart;
  let validationApart: Apart;

  async function serve<A extends InternalApi>(api: A, handlers: InternalHandlers<A>): Promise<Apart> {
    const server = await startInternalServer({
      service: api.service,
      host: '127.0.0.1',
      port: 0,
      api,
      handlers,
      accept: [{ caller: 'gateway', credentialSha256: credentialHash(CREDENTIAL) }],
      health: async () => ({ ready: true, services: { [api.service]: 'ready' } }),
      metrics: new Metrics(api.service),
      log: silentLog,
      clock: systemClock,
    });
    const link = new CuttableLink(Number(new URL(server.baseUrl).port));
    await link.join();
    return { server, link };
  }

  beforeAll(async () => {
    database = await startTestDatabase();
  });

  afterAll(() => database.stop());

  beforeEach(async () => {
    payments = new PaymentsStub();
    const {
      acceptPayout,
      answerApproval,
      controlSandboxPayout,
      findAcceptance,
      getTransaction,
      listTransactions,
      listWallets,
      requestRefund,
      takeCallback,
      walletStatement,
    } = payments;
    const openSandboxWallets = (): Promise<never> => Promise.reject(new Error('not the gateway’s'));
    const acceptPay = (): Promise<never> => Promise.reject(new Error('not asked'));
    paymentsApart = await serve(paymentsApi, {
      acceptPay,
      acceptPayout,
      answerApproval,
      controlSandboxPayout,
      findAcceptance,
      getTransaction,
      listTransactions,
      listWallets,
      openSandboxWallets,
      requestRefund,
      takeCallback,
      walletStatement,
    });
    validationApart = await serve(validationApi, {
      resolveName: new NamesStub().resolveName,
      listBanks: async () => ok({ banks: [] }),
    });
    services = new HttpServices({
      urls: {
        payments: paymentsApart.link.url,
        validation: validationApart.link.url,
        offramp: 'http://127.0.0.1:1',
        checkout: 'http://127.0.0.1:1',
        notifier: 'http://127.0.0.1:1',
      },
      credentials: { payments: CREDENTIAL, validation: CREDENTIAL },
      log: silentLog,
      clock: systemClock,
      metrics: new Metrics('gateway'),
    });
    gateway = await openGateway(database, {
      clients: {
        payments: services.client(paymentsApi),
        validation: services.client(validationApi),
        offramp: services.client(offrampApi),
        checkout: services.client(checkoutApi),
        notifier: services.client(notifierApi),
      },
      readiness: () =>
        readinessApart(
          'gateway',
          () => gateway.ready(),
          () => services.checks(),
        ),
    });
    await gateway.start();
    const partner = { name: 'One', email: 'one@example.com', consumer_key: CONSUMER_KEY, checkout_key: CHECKOUT_KEY };
    await gateway.handlers.ensureSandboxPartner(partner, newCallContext());
  });

  afterEach(async () => {
    await gateway.stop();
    await services.close();
    for (const { server, link } of [paymentsApart, validationApart]) {
      await link.cut();
      await server.stop();
    }
  });

  const port = (): number => Number(new URL(gateway.root.baseUrl).port);
  const banks = (): Promise<Answer> => ask(port(), { path: '/v1/banks' });
  const transfer = (headers: Record<string, string> = {}): Promise<Answer> =>
    ask(port(), { path: '/kes/bank-transfer', body: TRANSFER, headers });
  const ready = (): Promise<Answer> => ask(port(), { method: 'GET', path: '/health/ready' });
  const checks = (answer: Answer): unknown => (answer.body as { data: { checks: unknown } }).data.checks;

  it('answers 503 for a dead service, serves everything else, stays ready, and recovers', async () => {
    expect([(await transfer()).status, (await banks()).status]).toEqual([200, 200]);

    await paymentsApart.link.cut();
    for (let n = 0; n < 15; n++) {
      const asked = await ask(port(), { path: '/kes/status', body: { transaction_code: 'any' } });
      expect(expectError(asked, 503, 'service_unavailable')).toContain('Nothing was changed');
      const refused = await transfer();
      expect(expectError(refused, 503, 'service_unavailable')).toMatch(
        /could not be reached, and this request changed nothing. Send it again with reference /,
      );
      expect(refused.headers['transaction-code']).toMatch(/^[0-9a-f-]{36}$/);
      expect((await banks()).status).toBe(200);
    }
    expect(services.states()['payments']).toMatch(/^not called/);
    const well = await until(
      async () => {
        const answer = await ready();
        return (checks(answer) as Record<string, unknown>)['payments'] !== true && answer;
      },
      { ...WITHIN, what: 'the outage to be told' },
    );
    expect(well.status).toBe(200);
    expect(well.body).toMatchObject({
      message: 'Ready, save for what needs payments, offramp, checkout, notifier',
      data: { status: 'ready' },
    });
    expect(checks(well)).toEqual({
      gateway: true,
      payments: 'no connection (ECONNREFUSED)',
      validation: true,
      offramp: expect.stringContaining('no connection'),
      checkout: expect.stringContaining('no connection'),
      notifier: expect.stringContaining('no connection'),
    });

    await paymentsApart.link.join();
    await until(async () => (await transfer()).status === 200, { ...WITHIN, what: 'payouts to go again' });
    await until(async () => (checks(await ready()) as Record<string, unknown>)['payments'] === true, {
      ...WITHIN,
      what: 'payments to be ready again',
    });
  });

  it('says the truth about a payout whose answer was lost: accepted once, by our second try', async () => {
    payments.after = async () => {
      paymentsApart.link.mood = payments.calls.length === 1 ? 'lose-answers' : 'pass';
    };
    const answer = await transfer({ 'idempotency-key': 'lost-once' });
    expect(answer.status).toBe(200);
    expect([payments.calls.length, payments.accepted.size]).toEqual([2, 1]);
  });

  it('leaves the outcome open if every answer was lost, and gives it to a repeat under the same key', async () => {
    payments.after = async () => {
      paymentsApart.link.mood = 'lose-answers';
    };
    const open = await transfer({ 'idempotency-key': 'lost' });
    expect(expectError(open, 503, 'service_unavailable')).toContain('its outcome is open');
    payments.after = () => Promise.resolve();
    paymentsApart.link.mood = 'pass';
    const again = await transfer({ 'idempotency-key': 'lost' });
    expect([again.status, again.headers['transaction-code'], again.headers['idempotent-replayed']]).toEqual([
      200,
      open.headers['transaction-code'],
      'true',
    ]);
    expect(payments.accepted.size).toBe(1);
  });

  it('does not control a sandbox payout twice for one request', async () => {
    const accepted = await transfer();
    const code = String(accepted.headers['transaction-code']);
    paymentsApart.link.mood = 'lose-answers';
    const answer = await ask(port(), { path: `/sandbox/payouts/${code}/reverse` });
    expect(expectError(answer, 503, 'service_unavailable')).toContain('it may have acted or not');
    expect(payments.controlled).toEqual([`reverse ${code}`]);
  });

  it('answers within its two seconds where a service is silent, and the others as fast as ever', async () => {
    paymentsApart.link.mood = 'silence';
    paymentsApart.link.drop();
    const began = Date.now();
    const silent = transfer();
    expect((await banks()).status).toBe(200);
    const message = expectError(await silent, 504, 'outcome_unknown');
    expect(message).toContain('its outcome is open');
    expect(Date.now() - began).toBeLessThan(4_000);
  });
});
