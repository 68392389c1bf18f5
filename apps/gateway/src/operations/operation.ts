import { applyDecorators, Get, Post, Put } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';

import type { OperationDocument } from './operation-document.js';
import type { OfferedOperation } from './path-currency.js';

export type KeyKind = 'consumer' | 'checkout';

/** Scopes by kind of key. A key without a list has all of its kind. */
export const SCOPES = {
  consumer: ['payouts', 'refunds', 'lookups', 'read', 'webhooks'],
  checkout: ['orders', 'read'],
} as const satisfies Record<KeyKind, readonly string[]>;

type ScopeOf<K extends KeyKind> = (typeof SCOPES)[K][number];
export type Scope = ScopeOf<KeyKind>;

/** `either`: both kinds; null: no key. */
type Asks =
  | { readonly key: 'consumer'; readonly scope: ScopeOf<'consumer'> }
  | { readonly key: 'checkout'; readonly scope: ScopeOf<'checkout'> }
  | { readonly key: 'either'; readonly scope: ScopeOf<'consumer'> & ScopeOf<'checkout'> }
  | { readonly key: null; readonly scope?: never };

export type Operation = Asks & OperationTraits;

interface OperationTraits {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly paths: readonly string[];
  /** Answers carry `Transaction-Code`; `Idempotency-Key` is honoured (decisions.md section 1). */
  readonly money: boolean;
  /** Makes no transaction, so answers have no own `Transaction-Code`. */
  readonly noTransaction?: true;
  readonly offer: OfferedOperation | null;
  /** Prefix of each 400; clients search for it (decisions.md section 1, Texts). */
  readonly badRequest?: string;
  readonly limit?: 'lookups';
  /** Does not exist in live, whatever the method. */
  readonly sandboxOnly?: true;
  /** Makes one thing per name that the partner gives; a repeat gets `Idempotent-Replayed`. */
  readonly replays?: true;
  /** The body is not ours to judge: its bytes are kept as sent. */
  readonly rawBody?: true;
  /**
   * Refused to a suspended partner, as it starts or costs something. Reads stay allowed, so that it learns outcomes.
   */
  readonly notWhileSuspended?: true;
  /** null: for people. */
  readonly document: OperationDocument | null;
}

export type Operations = Readonly<Record<string, Operation>>;

const ROUTES = { GET: Get, POST: Post, PUT: Put } as const;

export function Answers(operation: Operation): MethodDecorator {
  return applyDecorators(ROUTES[operation.method]([...operation.paths]), RouteConfig({ operation }));
}
