import { expect } from '@jest/globals';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';

import { offrampApi, paymentsApi, validationApi, type InternalHandlers, type StatusRow } from '@vuka/contracts';
import { banksOf, CURRENCIES, fail, ok, PAYOUT_TYPES, shortcodeOf, type Problem } from '@vuka/domain';
import { createLogger, InProcessServices, systemClock, TokenBuckets, type Logger, type MonotonicClock } from '@vuka/platform';

import { AcceptedBefore } from './accepted-before.js';
import { hashApiKey, parseApiKey } from './api-key.js';
import { AuthenticateCaller } from './authenticate-caller.js';
import { createGatewayApp, type GatewayAppOptions } from './gateway-app.js';
import { RateLimits, type GatewayRates } from './rate-limits.js';
import { RunOnce, type IdempotencyKeys } from './run-once.js';
import type { PartnerAccount, StoredKey } from './store/partners.store.js';

export const PEPPER = Buffer.alloc(32, 7);
export const CONSUMER_KEY = 'vk_test_consumer_p1_AAAAAAAAAAAAAAAAAAAAAAAA';
export const CHECKOUT_KEY = 'vk_test_checkout_p1_BBBBBBBBBBBBBBBBBBBBBBBB';
export const OTHER_CONSUMER_KEY = 'vk_test_consumer_p2_CCCCCCCCCCCCCCCCCCCCCCCC';

export const silentLog: Logger = createLogger('gateway-test', { level: 'silent' });

type PaymentsHandlers = InternalHandlers<typeof paymentsApi>;
type AcceptInput = Parameters<PaymentsHandlers['acceptPayout']>[0];

interface StubTransaction {
  readonly id: number;
  readonly input: AcceptInput;
}

/** payments as the gateway sees it: references, one balance per partner, no ledger. */
export class PaymentsStub implements Omit<PaymentsHandlers, 'acceptPay' | 'openSandboxWallets'> {
  readonly accepted = new Map<string, StubTransaction>();
  readonly calls: AcceptInput[] = [];
  readonly controlled: string[] = [];
  readonly listed: (Parameters<PaymentsHandlers['listTransactions']>[0] | Parameters<PaymentsHandlers['walletStatement']>[0])[] = [];
  balanceMinor = 10n ** 15n;
  /** Runs before an acceptance is recorded, and after it was. */
  before: () => Promise<void> = () => Promise.resolve();
  after: () => Promise<void> = () => Promise.resolve();

  acceptPayout: PaymentsHandlers['acceptPayout'] = async (input) => {
    this.calls.push(input);
    await this.before();
    const name = `${String(input.partner_id)}/${input.transaction_code}`;
    const known = this.accepted.get(name);
    if (known !== undefined && known.input.fingerprint !== input.fingerprint) {
      const message = `The reference belongs to transaction ${input.transaction_code}`;
      return fail({ code: 'reference_reused', message, transactionCode: input.transaction_code });
    }
    if (known === undefined && BigInt(input.amount_minor) > this.balanceMinor) {
      return fail({ code: 'insufficient_balance', message: 'The wallet does not cover the amount and the service fee' });
    }
    if (known === undefined) this.balanceMinor -= BigInt(input.amount_minor);
    const transaction = known ?? { id: this.accepted.size + 1, input };
    this.accepted.set(name, transaction);
    await this.after();
    return ok({
      transaction_id: transaction.id,
      status: 'PENDING' as const,
      transaction_code: input.transaction_code,
      message: 'The transfer is being processed',
      replayed: known !== undefined,
    });
  };

  findAcceptance: PaymentsHandlers['findAcceptance'] = async ({ partner_id, transaction_code, fingerprint }) => {
    const known = this.accepted.get(`${String(partner_id)}/${transaction_code}`);
    if (known?.input.fingerprint !== fingerprint) return ok({ acceptance: null });
    const { id } = known;
    return ok({ acceptance: { transaction_id: id, status: 'PENDING' as const, transaction_code, message: 'The transfer is being processed', replayed: true } });
  };

  controlSandboxPayout: PaymentsHandlers['controlSandboxPayout'] = async ({ partner_id, transaction_code, action }) => {
    this.controlled.push(`${action} ${transaction_code}`);
    return this.accepted.has(`${String(partner_id)}/${transaction_code}`)
      ? ok({ transaction_code, status: 'PROCESSING' as const, done: true })
      : fail({ code: 'not_found', message: 'No such transaction' });
  };

  getTransaction: PaymentsHandlers['getTransaction'] = async ({ partner_id, currency, by }) => {
    const code = 'transaction_code' in by ? by.transaction_code : 'reference' in by ? by.reference : '';
    const found = this.accepted.get(`${String(partner_id)}/${code}`);
    if (found === undefined || (currency !== null && found.input.currency !== currency)) {
      return fail({ code: 'not_found', message: 'No such transaction' });
    }
    return ok(rowOf(found));
  };

  /** The partner's, newest first; `refused` is the cursor of another list. */
  listTransactions: PaymentsHandlers['listTransactions'] = async (input) => {
    this.listed.push(input);
    if (input.cursor === 'refused') return foreignCursor();
    const rows = [...this.accepted.values()].filter(({ input: { partner_id } }) => partner_id === input.partner_id).map(rowOf).reverse();
    return ok({ rows: rows.slice(0, input.limit), next_cursor: rows.length > input.limit ? 'next' : null });
  };

  walletStatement: PaymentsHandlers['walletStatement'] = async (input) => {
    this.listed.push(input);
    if (input.cursor === 'refused') return foreignCursor();
    const entry = { id: 100, at: '2026-01-01T00:00:00.000Z', kind: 'opening' as const, transaction_code: '', amount: '1.00', balance: '1.00' };
    return input.currency === 'ETB' ? fail({ code: 'not_found', message: 'There is no ETB wallet' }) : ok({ entries: [entry], next_cursor: null });
  };

  listWallets: PaymentsHandlers['listWallets'] = async ({ partner_id }) =>
    ok({
      wallets: partner_id !== 1 ? [] : [
        { id: 1, currency: 'KES', balance_minor: '900719925474099301' },
        { id: 2, currency: 'UGX', balance_minor: '500' },
        { id: 3, currency: 'USD', balance_minor: '1000000' },
      ],
    });
}

function foreignCursor(): { ok: false; error: Problem } {
  const detail = 'cursor must be of this list';
  return fail({ code: 'invalid_request', message: detail, faults: [{ detail, pointer: '/cursor' }] });
}

function rowOf({ id, input }: StubTransaction): StatusRow {
  const { destination } = input;
  return {
    id,
    transaction_code: input.transaction_code,
    status: 'PENDING',
    amount: input.amount_minor,
    amount_in_usd: '1.00',
    type: PAYOUT_TYPES[destination.kind],
    shortcode: shortcodeOf(destination),
    account_number: 'account_number' in destination ? destination.account_number : null,
    public_name: null,
    receipt_number: null,
    category: 'DISBURSEMENT',
    chain: '',
    asset: null,
    transaction_hash: null,
    message: '',
    currency_code: input.currency,
    is_released: false,
    mobile_network: destination.kind === 'mobile' ? destination.mobile_network : '',
    created_at: '2026-01-01T00:00:00.000Z',
    bank_code: destination.kind === 'bank' ? destination.bank_code : '',
    bank_name: destination.kind === 'bank' ? destination.bank_name : '',
    fee: '0.00',
    service_fee: '30.00',
    rate: '',
    quote_id: '',
    failure_code: '',
    refund: '',
    order_id: '',
    updated_at: '2026-01-01T00:00:00.000Z',
  };
}

const never: IdempotencyKeys = {
  acquire: () => Promise.reject(new Error('no idempotency keys here')),
  complete: () => Promise.reject(new Error('no idempotency keys here')),
  release: () => Promise.reject(new Error('no idempotency keys here')),
  forget: () => Promise.reject(new Error('no idempotency keys here')),
};

export function storedKey(text: string, partnerId: number, extra: Partial<StoredKey> = {}): [string, StoredKey] {
  const parts = parseApiKey(text);
  if (parts === null) throw new Error('a test key is malformed');
  const { visiblePrefix, kind } = parts;
  const hash = hashApiKey(text, PEPPER);
  return [visiblePrefix, { partnerId, kind, hash, expiresAt: null, revokedAt: null, webhookUrl: null, ...extra }];
}

type ValidationHandlers = InternalHandlers<typeof validationApi>;

/** Names as the gateway sees them: what the test says, and what was asked. */
export class NamesStub implements Pick<ValidationHandlers, 'resolveName'> {
  readonly calls: Parameters<ValidationHandlers['resolveName']>[0][] = [];
  answer: () => ReturnType<ValidationHandlers['resolveName']> = async () => ok({ status: 'COMPLETE', verified: true, name: 'TEST 5678', name_match: null });

  resolveName: ValidationHandlers['resolveName'] = (input) => {
    this.calls.push(input);
    return this.answer();
  };
}

/** Clients of the other services over the in-process binding, with its encoding, schemas and deadlines. */
export function stubServices(payments: PaymentsStub, names = new NamesStub()) {
  const services = new InProcessServices(silentLog);
  const openSandboxWallets = (): Promise<never> => Promise.reject(new Error('not the gateway’s'));
  services.register(paymentsApi, {
    acceptPay: () => Promise.reject(new Error('not asked')),
    acceptPayout: payments.acceptPayout,
    controlSandboxPayout: payments.controlSandboxPayout,
    findAcceptance: payments.findAcceptance,
    getTransaction: payments.getTransaction,
    listTransactions: payments.listTransactions,
    listWallets: payments.listWallets,
    openSandboxWallets,
    walletStatement: payments.walletStatement,
  });
  services.register(validationApi, {
    resolveName: names.resolveName,
    listBanks: async ({ currency }) =>
      ok({
        banks: banksOf(currency).map(({ code, name }) => ({ Name: name, Code: code, name, code, currency })),
      }),
  });
  const notAsked = (): Promise<never> => Promise.reject(new Error('not asked'));
  services.register(offrampApi, { listNetworks: async () => ok({ networks: [] }), listChains: async () => ok({ chains: [] }), exchangeRate: notAsked, quote: notAsked, checkQuote: notAsked });
  return {
    payments: services.client(paymentsApi),
    validation: services.client(validationApi),
    offramp: services.client(offrampApi),
  };
}

/** Limits of a gateway under test; none but those named. */
export function limitsOf(rates: Partial<GatewayRates> = {}, clock: MonotonicClock = systemClock): RateLimits {
  return new RateLimits({ partner: null, lookups: null, failedAuth: null, ...rates }, new TokenBuckets(clock));
}

export interface TestGateway {
  readonly port: number;
  readonly payments: PaymentsStub;
  readonly names: NamesStub;
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

/** The gateway's HTTP application on a free port, with everything behind it in memory. */
export async function startTestGateway(overrides: Partial<GatewayAppOptions> = {}): Promise<TestGateway> {
  const payments = new PaymentsStub();
  const names = new NamesStub();
  const keys = new Map([storedKey(CONSUMER_KEY, 1), storedKey(CHECKOUT_KEY, 1), storedKey(OTHER_CONSUMER_KEY, 2)]);
  const draining = { now: false };
  const services = stubServices(payments, names);
  const app = await createGatewayApp({
    ...services,
    authenticate: new AuthenticateCaller({
      environment: 'test',
      pepper: PEPPER,
      clock: systemClock,
      loadKey: async (prefix) => keys.get(prefix) ?? null,
    }),
    limits: limitsOf(),
    currencies: CURRENCIES,
    partners: { findAccount: async () => ACCOUNT },
    readiness: async () => ({ ready: true, checks: { payments: true } }),
    draining,
    sandbox: true,
    runOnce: new RunOnce(never, silentLog),
    acceptedBefore: new AcceptedBefore({ payments: services.payments, keys: { find: async () => null }, log: silentLog }),
    outbound: { allowPrivate: false, anyPort: false },
    log: silentLog,
    ...overrides,
  });
  await app.listen(0, '127.0.0.1');
  const { port } = app.getHttpServer().address() as { port: number };
  return { port, payments, names, keys, draining, stop: () => app.close() };
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The text parsed, null where there is none. */
  readonly body: unknown;
}

export interface Ask {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Record<string, string>;
  /** An object is sent as JSON with its content type. */
  readonly body?: string | Buffer | object;
}

/** One request on a connection of its own. */
export function ask(port: number, { method = 'POST', path, headers = {}, body }: Ask): Promise<Answer> {
  const raw = body === undefined || typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  const type = raw === body ? {} : { 'content-type': 'application/json' };
  const key = { 'x-api-key': CONSUMER_KEY };
  return new Promise((resolve, reject) => {
    const length = raw === undefined ? {} : { 'content-length': String(Buffer.byteLength(raw)) };
    const options = { host: '127.0.0.1', port, method, path, agent: false, headers: { ...type, ...key, ...length, ...headers } };
    const request = httpRequest(options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, body: text === '' ? null : JSON.parse(text) });
      });
    });
    request.on('error', reject);
    request.end(raw);
  });
}

/** Bytes as they are, and whatever comes back until the server closes or answers. */
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

/** Holds an answer against the error envelope of decisions.md section 1; the message. */
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

export const TRANSFER = { amount: 1500, account_number: '0123456789', bank_code: '01' } as const;

/** One good payout of each kind. */
export const PAYOUTS = [
  { type: 'MOBILE', amount: 1500, shortcode: '0712345678', mobile_network: 'Safaricom' },
  { type: 'PAYBILL', amount: 1500, shortcode: '888880', account_number: 'INV-0042' },
  { type: 'BUY_GOODS', amount: 1500, shortcode: '54321' },
  { type: 'BANK_TRANSFER', ...TRANSFER },
] as const;
