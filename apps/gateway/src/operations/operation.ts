import { applyDecorators, Get, Post } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';

import type { OperationDocument } from './operation-document.js';
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
  /** What the published document says of it; null: it is for people, not for programs. */
  readonly document: OperationDocument | null;
}

/** Rows of the table, by their names. */
export type Operations = Readonly<Record<string, Operation>>;

/** Binds a controller method to its row of the table. */
export function Answers(operation: Operation): MethodDecorator {
  const paths = [...operation.paths];
  const route = operation.method === 'GET' ? Get(paths) : Post(paths);
  return applyDecorators(route, RouteConfig({ operation }));
}
