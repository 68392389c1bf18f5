import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type CallContext, paymentsApi, type StatusRow } from '@vuka/contracts';
import { gateway as gatewayDefinition, type GatewayRoot } from '@vuka/gateway';
import { gatewayMigrations } from '@vuka/gateway/migrations';
import { InProcessServices, newCallContext } from '@vuka/http';
import { payments as paymentsDefinition, type PaymentsRoot } from '@vuka/payments';
import { paymentsMigrations } from '@vuka/payments/migrations';
import {
  approvalPathOf,
  type ApprovalProvider,
  type ConnectedProvider,
  MAIN_WALLET,
  type PayoutInstruction,
} from '@vuka/payouts';
import { borrowDatabase, type TestDatabase } from '@vuka/persistence/test-postgres';
import { createLogger, ServiceUnavailableError } from '@vuka/runtime';
import { openService, type OpenedService } from '@vuka/service-host';
import { testContext, type TestParts } from '@vuka/service-host/test-context';
import { until } from '@vuka/testing';

/** A provider that pays only if it was told to, by the door of the gateway. */
const ID = 'sandbox';
const TOKEN = 'a1'.repeat(32);
const SIGNATURE = 'shared-secret';
const PARTNER = 7;
const log = createLogger('provider-approvals-test', { level: 'silent' });
const NO_EVENTS = { subscribe: () => () => Promise.resolve() };

interface Question {
  readonly id: string;
  readonly minor: string;
}

class AskingProvider implements ConnectedProvider, ApprovalProvider {
  readonly id = ID;
  readonly floats = [{ wallet: MAIN_WALLET, currency: 'KES' }];
  readonly capabilities = {
    dedupesForMs: null,
    notFoundProvesAfterMs: null,
    lateWindowMs: 60_000,
    latePollScheduleMs: [10_000],
    callsAtOnce: 8,
    pollScheduleMs: [200],
    callTimeoutMs: 5_000,
    resolvesNames: false,
    debitsAt: 'payment',
  } as const;
  /** Status of each answer. */
  readonly answers: number[] = [];
  /** Before each question: what it asks, and by which signature. */
  asks: (question: Question) => { question: Question; signature: string } = (question) => ({
    question,
    signature: SIGNATURE,
  });
  door = '';
  private readonly paid = new Map<string, boolean>();

  walletOf = (): string => MAIN_WALLET;

  async submit({ attemptId, amount }: PayoutInstruction) {
    const { question, signature } = this.asks({ id: attemptId, minor: amount.minor.toString() });
    const { status } = await fetch(new URL(approvalPathOf(ID, TOKEN), this.door), {
      method: 'POST',
      headers: { 'x-signature': signature },
      body: JSON.stringify(question),
    });
    this.answers.push(status);
    this.paid.set(attemptId, status === 200);
    return { outcome: 'submitted' } as const;
  }

  async query({ attemptId, amount }: PayoutInstruction) {
    if (this.paid.get(attemptId) !== true)
      return { outcome: 'not_paid', code: 'recipient_rejected', routeLeft: false, detail: 'we refused' } as const;
    return { outcome: 'succeeded', receipt: 'R1', publicName: null, amount, recipient: '' } as const;
  }

  decideApproval: ApprovalProvider['decideApproval'] = async ({ headers, body }) => {
    const { id, minor } = JSON.parse(Buffer.from(body).toString()) as Question;
    return {
      signed: [headers['x-signature'] ?? ''].flat()[0] === SIGNATURE,
      detail: '',
      attemptIds: [id],
      differenceFrom: ({ amount }) => (amount.minor.toString() === minor ? null : 'amount'),
    };
  };
  approvalReply: ApprovalProvider['approvalReply'] = (isApproved) => ({
    status: isApproved ? 200 : 400,
    contentType: 'text/plain',
    body: '',
  });
  close = async (): Promise<void> => undefined;
}

let database: TestDatabase;
let gateway: OpenedService<GatewayRoot>;
let payments: OpenedService<PaymentsRoot>;
let provider: AskingProvider;
let before: () => Promise<void>;
let clocks: NodeJS.Timeout[];
let paid: number;

/** Payouts, five times a second. */
const JOBS: NonNullable<TestParts['jobs']> = {
  every: (queue, wake) => {
    if (/^payments\.(start|submit|poll)-/.test(queue)) clocks.push(setInterval(() => void wake('tick'), 200));
  },
  wakeAt: async () => undefined,
};
/** A busy machine is slow. */
const patient = (): CallContext => newCallContext({ budgetMs: 30_000 });

beforeEach(async () => {
  [clocks, paid] = [[], 0];
  before = () => Promise.resolve();
  provider = new AskingProvider();
  database = await borrowDatabase([
    { name: 'payments', migrations: paymentsMigrations },
    { name: 'gateway', migrations: gatewayMigrations },
  ]);
  const services = new InProcessServices(log);
  gateway = await openService(
    gatewayDefinition,
    testContext({
      database: database.of('gateway'),
      jobs: JOBS,
      eventBus: NO_EVENTS,
      log,
      settings: { host: '127.0.0.1', port: 0 },
      clients: {
        payments: services.client(paymentsApi),
        offramp: { listChains: () => Promise.reject(new Error('not asked')) },
      },
    }),
  );
  await gateway.start();
  provider.door = gateway.root.baseUrl;
  payments = await openService(
    paymentsDefinition,
    testContext({
      database: database.of('payments'),
      jobs: JOBS,
      eventBus: NO_EVENTS,
      log,
      providers: { providers: [provider], callbackTokens: new Map([[ID, [TOKEN]]]) },
    }),
  );
  services.register(paymentsApi, {
    ...payments.handlers,
    answerApproval: async (input, context) => {
      await before();
      return payments.handlers.answerApproval(input, context);
    },
  });
  await payments.start();
  await payments.handlers.openSandboxWallets(
    { partner_id: PARTNER, openings: [{ currency: 'KES', amount_minor: '100000000' }] },
    patient(),
  );
}, 60_000);

afterEach(async () => {
  for (const timer of clocks) clearInterval(timer);
  await payments.stop();
  await gateway.stop();
  await database.stop();
});

async function statusOf(code: string): Promise<StatusRow['status']> {
  const found = await payments.handlers.getTransaction(
    { partner_id: PARTNER, currency: null, by: { transaction_code: code } },
    patient(),
  );
  if (!found.ok) throw new Error(found.error.message);
  return found.value.status;
}

/** Resolves with how it ends, and what the provider was answered. */
async function pay(): Promise<[StatusRow['status'], number | undefined]> {
  paid += 1;
  const code = `p-${String(paid)}`;
  const accepted = await payments.handlers.acceptPayout(
    {
      operation: 'bank_transfer',
      partner_id: PARTNER,
      transaction_code: code,
      fingerprint: `v1:${code}`,
      currency: 'KES',
      amount_minor: '150000',
      fee_minor: '0',
      destination: { kind: 'bank', account_number: '1234567890', bank_code: '01', bank_name: 'KCB Bank Kenya' },
      callback_url: null,
    },
    patient(),
  );
  if (!accepted.ok) throw new Error(accepted.error.message);
  await until(async () => ['COMPLETE', 'FAILED'].includes(await statusOf(code)), {
    withinMs: 60_000,
    everyMs: 100,
    what: `${code} ends`,
  });
  return [await statusOf(code), provider.answers[paid - 1]];
}

describe('a provider that asks before it pays', () => {
  it('pays what we instructed, and nothing that we cannot say yes to', async () => {
    expect(await pay()).toEqual(['COMPLETE', 200]);
    provider.asks = (question) => ({ question: { ...question, minor: '150001' }, signature: SIGNATURE });
    expect(await pay()).toEqual(['FAILED', 400]);
    provider.asks = (question) => ({ question, signature: 'forged' });
    expect(await pay()).toEqual(['FAILED', 400]);
    provider.asks = (question) => ({ question, signature: SIGNATURE });
    before = () => Promise.reject(new ServiceUnavailableError('payments', 'killed'));
    expect(await pay()).toEqual(['FAILED', 503]);
    before = () => new Promise(() => undefined);
    expect(await pay()).toEqual(['FAILED', 503]);
    before = () => Promise.resolve();
    expect(await pay()).toEqual(['COMPLETE', 200]);
  }, 120_000);
});
