import { applyDecorators, Get, Post } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import FindMyWay from 'find-my-way';

import type { OfferedOperation } from './path-currency.js';

export type KeyKind = 'consumer' | 'checkout';

/** What a key may be limited to, by its kind. A key without a list may do all of them. */
export const SCOPES = {
  consumer: ['payouts', 'refunds', 'lookups', 'read', 'webhooks'],
  checkout: ['orders', 'read'],
} as const satisfies Record<KeyKind, readonly string[]>;

type ScopeOf<K extends KeyKind> = (typeof SCOPES)[K][number];
export type Scope = ScopeOf<KeyKind>;

/** The kind of API key an operation takes, `either` for both kinds, null for none; and the scope that the key needs. */
type Asks =
  | { readonly key: 'consumer'; readonly scope: ScopeOf<'consumer'> }
  | { readonly key: 'checkout'; readonly scope: ScopeOf<'checkout'> }
  | { readonly key: 'either'; readonly scope: ScopeOf<'consumer'> & ScopeOf<'checkout'> }
  | { readonly key: null; readonly scope?: never };

/** One operation of the public interface. */
export type Operation = Asks & OperationTraits;

interface OperationTraits {
  readonly method: 'GET' | 'POST';
  readonly paths: readonly string[];
  /** Moves money: answers carry `Transaction-Code`, and `Idempotency-Key` is honoured (decisions.md section 1). */
  readonly money: boolean;
  /** Of what moves money: it makes no transaction, so that answers have no `Transaction-Code` of their own. */
  readonly noTransaction?: true;
  /** Where only some currencies have it: the member of a currency that says so. */
  readonly offer: OfferedOperation | null;
  /** What each 400 of this operation starts with: clients search for it (decisions.md section 1, Texts). */
  readonly badRequest?: string;
  /** Whose requests it counts among (rate limits): all of a partner's, or its lookups of names. */
  readonly limit?: 'lookups';
  /** Plays with the sandbox's rails: in live there is nothing at these paths, whatever the method. */
  readonly sandboxOnly?: true;
  /** Makes something that is no transaction, once for each name that the partner gives it: a repeat is told by `Idempotent-Replayed`. */
  readonly replays?: true;
  /** Starts or costs something: refused to a suspended partner. What only tells goes on, so that it still learns what became of everything. */
  readonly notWhileSuspended?: true;
}

/** Everything the gateway answers. Routes, key checks and `Allow` are all read from this table. */
export const OPERATIONS = {
  bankTransfer: {
    method: 'POST',
    paths: ['/:currency/bank-transfer'],
    key: 'consumer',
    scope: 'payouts',
    money: true,
    offer: 'bankTransfer',
    badRequest: 'Failed - Bad Request: ',
    notWhileSuspended: true,
  },
  disburse: {
    method: 'POST',
    paths: ['/:currency/disburse'],
    key: 'consumer',
    scope: 'payouts',
    money: true,
    offer: null,
    notWhileSuspended: true,
  },
  pay: {
    method: 'POST',
    paths: ['/v1/pay', '/v1/pay/:currency'],
    key: 'consumer',
    scope: 'payouts',
    money: true,
    offer: null,
    notWhileSuspended: true,
  },
  refund: {
    method: 'POST',
    paths: ['/v1/refund'],
    key: 'consumer',
    scope: 'refunds',
    money: true,
    noTransaction: true,
    offer: null,
    notWhileSuspended: true,
  },
  quote: {
    method: 'POST',
    paths: ['/v1/quote', '/v1/quote/:currency'],
    key: 'consumer',
    scope: 'payouts',
    money: false,
    offer: null,
    notWhileSuspended: true,
  },
  checkout: {
    method: 'POST',
    paths: ['/v1/checkout/'],
    key: 'checkout',
    scope: 'orders',
    money: false,
    offer: null,
    replays: true,
    notWhileSuspended: true,
  },
  orderStatus: {
    method: 'POST',
    paths: ['/v1/checkout/status'],
    key: 'either',
    scope: 'read',
    money: false,
    offer: null,
  },
  exchangeRate: {
    method: 'POST',
    paths: ['/v1/exchange-rate'],
    key: 'consumer',
    scope: 'read',
    money: false,
    offer: null,
  },
  exchangeRateInForce: {
    method: 'POST',
    paths: ['/v2/exchange-rate'],
    key: 'consumer',
    scope: 'read',
    money: false,
    offer: null,
  },
  accountExchangeRate: {
    method: 'POST',
    paths: ['/account/exchange-rate'],
    key: 'consumer',
    scope: 'read',
    money: false,
    offer: null,
  },
  sandboxPayout: {
    method: 'POST',
    paths: [
      '/sandbox/payouts/:code/release',
      '/sandbox/payouts/:code/top-up',
      '/sandbox/payouts/:code/pay',
      '/sandbox/payouts/:code/reverse',
    ],
    key: 'consumer',
    scope: 'payouts',
    money: false,
    offer: null,
    sandboxOnly: true,
    notWhileSuspended: true,
  },
  status: {
    method: 'POST',
    paths: ['/:currency/status', '/v1/status', '/v1/status/:currency'],
    key: 'consumer',
    scope: 'read',
    money: false,
    offer: null,
  },
  validation: {
    method: 'POST',
    paths: ['/v1/validation', '/v1/validation/:currency'],
    key: 'consumer',
    scope: 'lookups',
    money: false,
    offer: null,
    limit: 'lookups',
    notWhileSuspended: true,
  },
  transactions: {
    method: 'POST',
    paths: ['/account/:currency/transactions', '/v1/transactions', '/v1/transactions/:currency'],
    key: 'consumer',
    scope: 'read',
    money: false,
    offer: null,
  },
  accountTransaction: {
    method: 'POST',
    paths: ['/account/:currency/transaction'],
    key: 'consumer',
    scope: 'read',
    money: false,
    offer: null,
  },
  accountDetail: {
    method: 'POST',
    paths: ['/account/detail'],
    key: 'consumer',
    scope: 'read',
    money: false,
    offer: null,
  },
  accountWallet: {
    method: 'POST',
    paths: ['/account/wallet/:id'],
    key: 'consumer',
    scope: 'read',
    money: false,
    offer: null,
  },
  accountCountries: {
    method: 'POST',
    paths: ['/account/countries'],
    key: 'consumer',
    scope: 'read',
    money: false,
    offer: null,
  },
  accountNetworks: {
    method: 'POST',
    paths: ['/account/networks'],
    key: 'consumer',
    scope: 'read',
    money: false,
    offer: null,
  },
  accountStatement: {
    method: 'POST',
    paths: ['/account/statement'],
    key: 'consumer',
    scope: 'read',
    money: false,
    offer: null,
  },
  limits: { method: 'POST', paths: ['/v1/limits'], key: 'consumer', scope: 'read', money: false, offer: null },
  fees: {
    method: 'POST',
    paths: ['/v1/fees', '/v1/fees/:currency'],
    key: 'consumer',
    scope: 'read',
    money: false,
    offer: null,
  },
  webhookEndpoint: {
    method: 'POST',
    paths: ['/v1/webhooks/endpoint'],
    key: 'consumer',
    scope: 'webhooks',
    money: false,
    offer: null,
  },
  webhookTest: {
    method: 'POST',
    paths: ['/v1/webhooks/test'],
    key: 'consumer',
    scope: 'webhooks',
    money: false,
    offer: null,
    notWhileSuspended: true,
  },
  webhookDeliveries: {
    method: 'POST',
    paths: ['/v1/webhooks/deliveries'],
    key: 'consumer',
    scope: 'webhooks',
    money: false,
    offer: null,
  },
  webhookResend: {
    method: 'POST',
    paths: ['/v1/webhooks/deliveries/:id/resend'],
    key: 'consumer',
    scope: 'webhooks',
    money: false,
    offer: null,
    notWhileSuspended: true,
  },
  webhookResendMany: {
    method: 'POST',
    paths: ['/v1/webhooks/deliveries/resend'],
    key: 'consumer',
    scope: 'webhooks',
    money: false,
    offer: null,
    notWhileSuspended: true,
  },
  banks: {
    method: 'POST',
    paths: ['/v1/banks', '/v1/banks/:currency'],
    key: 'consumer',
    scope: 'read',
    money: false,
    offer: null,
  },
  openapi: { method: 'GET', paths: ['/openapi.json'], key: null, money: false, offer: null },
  docs: {
    method: 'GET',
    paths: [
      '/docs',
      '/docs/docs.css',
      '/docs/docs.js',
      '/docs/icon.svg',
      '/docs/swagger-ui.css',
      '/docs/swagger-ui-bundle.js',
    ],
    key: null,
    money: false,
    offer: null,
  },
  payPage: { method: 'GET', paths: ['/pay/:token'], key: null, money: false, offer: null },
  payPageState: { method: 'GET', paths: ['/pay/:token/state'], key: null, money: false, offer: null },
  payPageFiles: {
    method: 'GET',
    paths: ['/pay/assets/pay.css', '/pay/assets/pay.js', '/pay/assets/icon.svg'],
    key: null,
    money: false,
    offer: null,
  },
  live: { method: 'GET', paths: ['/health/live'], key: null, money: false, offer: null },
  ready: { method: 'GET', paths: ['/health/ready'], key: null, money: false, offer: null },
} as const satisfies Record<string, Operation>;

export type OperationName = keyof typeof OPERATIONS;

/** Named by partners of other systems, not ours yet (decisions.md section 2, last row). */
const NOT_OFFERED = ['/v1/onramp', '/collect'] as const;

/** A path segment is bounded by Node's header limit already; a longer bound here keeps such paths a plain 404. */
export const ROUTER_OPTIONS = { ignoreTrailingSlash: true, maxParamLength: 16_384 } as const;

/** Binds a controller method to its row of the table. */
export function Answers(name: OperationName): MethodDecorator {
  const operation: Operation = OPERATIONS[name];
  const paths = [...operation.paths];
  const route = operation.method === 'GET' ? Get(paths) : Post(paths);
  return applyDecorators(route, RouteConfig({ operation }));
}

type Router = FindMyWay.Instance<FindMyWay.HTTPVersion.V1>;

function routerOf(operations: readonly Operation[]): Router {
  const router = FindMyWay<FindMyWay.HTTPVersion.V1>(ROUTER_OPTIONS);
  for (const operation of operations) {
    for (const path of operation.paths) router.on(operation.method, path, () => undefined, operation);
  }
  for (const path of NOT_OFFERED) router.on('PATCH', path, () => undefined);
  return router;
}

const ALL = Object.values<Operation>(OPERATIONS);
const IN_SANDBOX = routerOf(ALL);
const IN_LIVE = routerOf(ALL.filter(({ sandboxOnly }) => sandboxOnly !== true));

/** Methods that an existing operation answers at this path, [] where there is none. */
export function allowedMethods(url: string, sandbox = true): string[] {
  const path = url.split('?', 1)[0] ?? '';
  const router = sandbox ? IN_SANDBOX : IN_LIVE;
  const reads = router.find('GET', path) === null ? [] : ['GET', 'HEAD'];
  return router.find('POST', path) === null ? reads : [...reads, 'POST'];
}

export function isNotOffered(url: string): boolean {
  return IN_LIVE.find('PATCH', url.split('?', 1)[0] ?? '') !== null;
}
