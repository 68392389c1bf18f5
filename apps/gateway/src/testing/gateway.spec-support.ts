import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';

import { expect } from '@jest/globals';
import type { Settings } from '@vuka/config';
import { checkoutApi, notifierApi, offrampApi, paymentsApi, validationApi, type InternalClient } from '@vuka/contracts';
import { banksOf, type Coverage, fullCoverage, ok } from '@vuka/domain';
import { InProcessServices, TokenBuckets } from '@vuka/http';
import { type Clock, createLogger, type Logger, type MonotonicClock, systemClock } from '@vuka/runtime';
import { openService } from '@vuka/service-host';
import { overriding, testContext } from '@vuka/service-host/test-context';

import { PaymentsStub } from '../calls/payments.spec-support.js';
import { CheckoutStub, NamesStub, NotifierStub, OfframpStub } from '../calls/services.spec-support.js';
import { HttpApi } from '../edge/http-api.js';
import { Draining } from '../http/draining.js';
import { gateway } from '../gateway.js';
import { IdempotencyStore } from '../idempotency/idempotency.store.js';
import { hashApiKey, parseApiKey } from '../keys/api-key.js';
import { AuthenticateCaller } from '../keys/authenticate-caller.js';
import { KeysStore, type StoredKey } from '../keys/keys.store.js';
import { RateLimits, type GatewayRates } from '../limits/rate-limits.js';
import { PublicAddress } from '../orders/public-address.js';
import { DefaultWebhooks } from '../partners/default-webhooks.js';
import { DisableEndpoint } from '../partners/disable-endpoint.js';
import { OUTBOUND_POLICY } from '../partners/outbound-policy.js';
import { type PartnerAccount, PartnersStore } from '../partners/partners.store.js';

export { PaymentsStub } from '../calls/payments.spec-support.js';
export { CheckoutStub, DELIVERY, NamesStub, NotifierStub, OfframpStub, QUOTE } from '../calls/services.spec-support.js';

export const PEPPER = [{ id: 'p1', key: Buffer.alloc(32, 7) }];
export const CONSUMER_KEY = 'vk_test_consumer_p1_AAAAAAAAAAAAAAAAAAAAAAAA';
export const CHECKOUT_KEY = 'vk_test_checkout_p1_BBBBBBBBBBBBBBBBBBBBBBBB';
export const OTHER_CONSUMER_KEY = 'vk_test_consumer_p2_CCCCCCCCCCCCCCCCCCCCCCCC';

export const silentLog: Logger = createLogger('gateway-test', { level: 'silent' });

const noKeys = (): Promise<never> => Promise.reject(new Error('no idempotency keys here'));
const NO_IDEMPOTENCY_KEYS = {
  acquire: noKeys,
  complete: noKeys,
  release: noKeys,
  forget: noKeys,
  find: async () => null,
  sweep: async () => 0,
};

export function storedKey(text: string, partnerId: number, extra: Partial<StoredKey> = {}): [string, StoredKey] {
  const parts = parseApiKey(text);
  if (parts === null) throw new Error('a test key is malformed');
  const { visiblePrefix, kind } = parts;
  const hashed = hashApiKey(text, PEPPER);
  const unlimited = {
    expiresAt: null,
    revokedAt: null,
    scopes: null,
    addresses: null,
    webhookUrl: null,
    suspended: false,
    terms: null,
  };
  return [visiblePrefix, { partnerId, kind, ...hashed, ...unlimited, ...extra }];
}

/** With encoding, schemas and deadlines of the in-process binding. */
export function stubServices(
  payments: PaymentsStub,
  names = new NamesStub(),
  offramp = new OfframpStub(),
  checkout = new CheckoutStub(),
  notifier = new NotifierStub(),
) {
  const services = new InProcessServices(silentLog);
  const openSandboxWallets = (): Promise<never> => Promise.reject(new Error('not the gateway’s'));
  services.register(paymentsApi, {
    acceptPay: payments.acceptPay,
    acceptPayout: payments.acceptPayout,
    answerApproval: payments.answerApproval,
    controlSandboxPayout: payments.controlSandboxPayout,
    findAcceptance: payments.findAcceptance,
    getTransaction: payments.getTransaction,
    listTransactions: payments.listTransactions,
    listWallets: payments.listWallets,
    openSandboxWallets,
    requestRefund: payments.requestRefund,
    takeCallback: payments.takeCallback,
    walletStatement: payments.walletStatement,
  });
  services.register(validationApi, {
    resolveName: names.resolveName,
    listBanks: async ({ currency }) =>
      ok({
        banks: banksOf(currency).map(({ code, name }) => ({ Name: name, Code: code, name, code, currency })),
      }),
  });
  const { listNetworks, listChains, exchangeRate, quote, checkQuote, checkRefundAddress, reserveOrder } = offramp;
  services.register(offrampApi, {
    listNetworks,
    listChains,
    exchangeRate,
    quote,
    checkQuote,
    checkRefundAddress,
    reserveOrder,
  });
  const { createOrder, orderStatus, orderByToken } = checkout;
  services.register(checkoutApi, { createOrder, orderStatus, orderByToken });
  const { testWebhook, listDeliveries, resendDelivery, resendDeliveries } = notifier;
  const ensureWebhookSecret = (): Promise<never> => Promise.reject(new Error('not the gateway’s'));
  services.register(notifierApi, {
    ensureWebhookSecret,
    testWebhook,
    listDeliveries,
    resendDelivery,
    resendDeliveries,
  });
  return {
    payments: services.client(paymentsApi),
    validation: services.client(validationApi),
    offramp: services.client(offrampApi),
    checkout: services.client(checkoutApi),
    notifier: services.client(notifierApi),
  };
}

/** Only the limits named. */
export function limitsOf(rates: Partial<GatewayRates> = {}, clock: MonotonicClock = systemClock): RateLimits {
  const rateLimits = { partner: null, lookups: null, failedAuth: null, ...rates };
  return new RateLimits({ rateLimits }, new TokenBuckets(clock));
}

export interface TestGateway {
  readonly port: number;
  readonly payments: PaymentsStub;
  readonly names: NamesStub;
  readonly offramp: OfframpStub;
  readonly checkout: CheckoutStub;
  readonly notifier: NotifierStub;
  /** By partner id. */
  readonly webhooks: Map<number, string | null>;
  readonly keys: Map<string, StoredKey>;
  readonly draining: { now: boolean };
  stop(): Promise<void>;
}

const ACCOUNT: PartnerAccount = {
  id: 1,
  name: 'Partner One',
  email: 'one@example.com',
  createdAt: new Date('2026-01-01T00:00:00Z'),
  checkoutKeyPrefix: 'vk_test_checkout_p1',
};

export interface TestGatewayParts {
  readonly settings?: Partial<Settings>;
  readonly payments?: Partial<InternalClient<typeof paymentsApi>>;
  readonly checkout?: Partial<InternalClient<typeof checkoutApi>>;
  readonly authenticate?: AuthenticateCaller;
  readonly limits?: RateLimits;
  readonly webhooks?: Pick<DefaultWebhooks, 'setDefaultUrl'>;
  /** Without it everything has a route. */
  readonly coverage?: Coverage;
}

/** Without events and tables. */
const { database: _tables, eventsAtOnce: _events, ...IN_MEMORY } = gateway;

/** The gateway's own wiring on a free port, in memory. */
export async function startTestGateway(
  parts: TestGatewayParts = {},
  clock: Clock & MonotonicClock = systemClock,
): Promise<TestGateway> {
  const payments = new PaymentsStub();
  const names = new NamesStub();
  const offramp = new OfframpStub();
  const checkout = new CheckoutStub();
  const notifier = new NotifierStub();
  const webhooks = new Map<number, string | null>();
  const keys = new Map([storedKey(CONSUMER_KEY, 1), storedKey(CHECKOUT_KEY, 1), storedKey(OTHER_CONSUMER_KEY, 2)]);
  const keysStore = {
    findKey: async (prefix: string) => keys.get(prefix) ?? null,
    livePrefixes: async () => [...keys.keys()],
    markUsed: async () => undefined,
  };
  const clients = stubServices(payments, names, offramp, checkout, notifier);
  const running = await openService(
    IN_MEMORY,
    testContext({
      settings: { host: '127.0.0.1', port: 0, ...parts.settings },
      clock,
      log: silentLog,
      keyPeppers: PEPPER,
      providers: { coverage: parts.coverage ?? fullCoverage(['sandbox']) },
      jobs: { every: () => undefined, wakeAt: async () => undefined },
      clients: {
        ...clients,
        ...(parts.payments && { payments: parts.payments }),
        ...(parts.checkout && { checkout: parts.checkout }),
      },
      readiness: async () => ({ ready: true, checks: { payments: true } }),
    }),
    overriding(
      [KeysStore, keysStore],
      [
        AuthenticateCaller,
        parts.authenticate ?? new AuthenticateCaller({ env: 'sandbox' }, PEPPER, systemClock, keysStore),
      ],
      [RateLimits, parts.limits ?? limitsOf()],
      [PartnersStore, { findAccount: async () => ACCOUNT }],
      [IdempotencyStore, NO_IDEMPOTENCY_KEYS],
      [DisableEndpoint, {}],
      [OUTBOUND_POLICY, { allowPrivate: false, anyPort: false }],
      [
        PublicAddress,
        {
          paymentUrl: (pageToken: string) => `https://pay.example.com/pay/${pageToken}`,
          listensAt: () => undefined,
        },
      ],
      [
        DefaultWebhooks,
        parts.webhooks ?? {
          setDefaultUrl: async (partnerId: number, url: string | null) => void webhooks.set(partnerId, url),
        },
      ],
    ),
  );
  // Its own work does not start, so that tests control all calls.
  await running.get(HttpApi).listen();
  return {
    port: Number(new URL(running.root.baseUrl).port),
    payments,
    names,
    offramp,
    checkout,
    notifier,
    webhooks,
    keys,
    draining: running.get(Draining),
    stop: () => running.stop(),
  };
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** null: no text. */
  readonly body: unknown;
}

export interface Ask {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Record<string, string>;
  /** An object is sent as JSON. */
  readonly body?: string | Buffer | object;
}

/** Each on its own connection. */
export function ask(port: number, { method = 'POST', path, headers = {}, body }: Ask): Promise<Answer> {
  const raw = body === undefined || typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  const type = raw === body ? {} : { 'content-type': 'application/json' };
  const key = { 'x-api-key': CONSUMER_KEY };
  return new Promise((resolve, reject) => {
    const length = raw === undefined ? {} : { 'content-length': String(Buffer.byteLength(raw)) };
    const options = {
      host: '127.0.0.1',
      port,
      method,
      path,
      agent: false,
      headers: { ...type, ...key, ...length, ...headers },
    };
    const request = httpRequest(options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text,
          body: text === '' ? null : JSON.parse(text),
        });
      });
    });
    request.on('error', reject);
    request.end(raw);
  });
}

/** Returns what comes back until the server closes or answers. */
export function askRaw(port: number, bytes: string | Buffer, withinMs = 3_000): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.end(bytes));
    const chunks: Buffer[] = [];
    socket.setTimeout(withinMs, () => socket.destroy(new Error('no answer')));
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', reject);
    socket.on('close', () => resolve(Buffer.concat(chunks).toString('latin1')));
  });
}

/** decisions.md section 1; returns the message. */
export function expectError(answer: Answer, status: number, code: string): string {
  expect({ status: answer.status, code: answer.headers['error-code'] }).toEqual({ status, code });
  expect(answer.headers['content-type']).toMatch(/^application\/json/);
  expect(answer.headers['request-id']).toMatch(/^[A-Za-z0-9._:/=+@-]{1,128}$/);
  const body = answer.body as { code: number; message: string };
  expect(Object.keys(body)).toEqual(['code', 'message']);
  expect(body.code).toBe(status);
  expect(body.message.length).toBeGreaterThan(5);
  return body.message;
}

/** A CELO transfer, as nodes write it. */
export const HASH = `0x${'3f'.repeat(32)}`;

export const TRANSFER = { amount: 1500, account_number: '0123456789', bank_code: '01' } as const;

export const PAYOUTS = [
  { type: 'MOBILE', amount: 1500, shortcode: '0712345678', mobile_network: 'Safaricom' },
  { type: 'PAYBILL', amount: 1500, shortcode: '888880', account_number: 'INV-0042' },
  { type: 'BUY_GOODS', amount: 1500, shortcode: '54321' },
  { type: 'BANK_TRANSFER', ...TRANSFER },
] as const;
