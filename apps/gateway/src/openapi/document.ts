import type { Currency, ErrorCode } from '@vuka/domain';

import {
  answeredAs,
  type JsonSchema,
  type KeyKind,
  type Operation,
  type OperationTable,
  refTo,
  type RequestBody,
  SCOPES,
  TAGS,
} from '../operations/index.js';
import { answerSchema } from './answer-schema.js';
import { documentedPaths, inCurrency, type DocumentedPath } from './documented-paths.js';
import { introduction } from './introduction.js';
import { PROBLEM_SCHEMAS, problemResponses } from './problem-responses.js';
import { headers, HEADERS } from './response-headers.js';
import { webhookSchemas, webhooksSent } from './webhooks.js';

export interface DocumentOptions {
  readonly table: OperationTable;
  readonly sandbox: boolean;
  readonly currencies: readonly Currency[];
  readonly today: Date;
}

const REQUEST_ID = {
  name: 'Request-Id',
  in: 'header',
  required: false,
  description:
    'Your own name for the request, answered again where it is 1 to 128 letters, digits or the characters . _ : / = + @ -',
  schema: { type: 'string' },
} as const;

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Makes the request safe to send again for 24 hours, also without a `reference`. Quoted or bare, printable ASCII; empty means none',
  schema: { type: 'string', pattern: '^([ -!#-~]{1,255})?$' },
} as const;

/** OpenAPI 3.1, built from the rules that judge requests. */
export function openApiDocument({ table, sandbox, currencies, today }: DocumentOptions): JsonSchema {
  const responses: Record<string, JsonSchema> = {};
  const register = (name: string, response: JsonSchema): JsonSchema => {
    responses[name] = response;
    return refTo('responses', name);
  };
  const paths: Record<string, JsonSchema> = {};
  const documented = documentedPaths(table.rows, currencies, sandbox);
  for (const at of documented)
    paths[at.path] = {
      ...paths[at.path],
      [at.operation.method.toLowerCase()]: operationObject(at, { currencies, today }, register),
    };
  const tags = new Set<string>(documented.map(({ text }) => text.tag));
  return {
    openapi: '3.1.0',
    info: {
      title: 'Vuka API',
      version: '1',
      summary:
        'Payouts to phones, tills, paybills and bank accounts, from a wallet or from stablecoin, and orders that payers settle with stablecoin',
      description: introduction(sandbox),
    },
    servers: [{ url: '/', description: sandbox ? 'This sandbox' : 'This server' }],
    tags: Object.entries(TAGS).flatMap(([name, description]) => (tags.has(name) ? [{ name, description }] : [])),
    paths,
    webhooks: webhooksSent(),
    components: {
      securitySchemes: SECURITY_SCHEMES,
      parameters: { RequestId: REQUEST_ID, IdempotencyKey: IDEMPOTENCY_KEY },
      headers: HEADERS,
      schemas: { ...answerSchemas(table), ...webhookSchemas(), ...PROBLEM_SCHEMAS },
      responses,
    },
  };
}

function answerSchemas({ answers }: OperationTable): Record<string, JsonSchema> {
  return Object.fromEntries(Object.entries(answers).map(([name, schema]) => [name, answeredAs(schema)]));
}

function operationObject(
  at: DocumentedPath,
  { currencies, today }: Pick<DocumentOptions, 'currencies' | 'today'>,
  register: (name: string, response: JsonSchema) => JsonSchema,
): JsonSchema {
  const { operation, text, currency, parameters, id, summary } = at;
  const body = text.body?.({ currency, today }) ?? null;
  const known = [
    ...parameters,
    ...(text.query?.(currencies) ?? []),
    refTo('parameters', 'RequestId'),
    ...(operation.money ? [refTo('parameters', 'IdempotencyKey')] : []),
  ];
  return {
    operationId: id,
    tags: [text.tag],
    summary,
    description: inCurrency(text.description, currency) + scopeNeeded(operation),
    security: securityOf(operation),
    parameters: known,
    ...(body !== null && { requestBody: { required: asksForSomething(body), content: { 'application/json': body } } }),
    responses: {
      '200': success(at),
      ...problemResponses(
        {
          codes: codesOf(at),
          readsBody: operation.method === 'POST',
          money: namesTransaction(operation),
          lookups: operation.limit === 'lookups',
          notWhileSuspended: operation.notWhileSuspended === true,
          badRequest: operation.badRequest ?? '',
        },
        register,
      ),
    },
  };
}

const scopesOf = (kind: KeyKind): string =>
  `${SCOPES[kind].map((scope) => `\`${scope}\``).join(', ')}; one that was given none has them all`;

/** `{}` or no body asks for all. */
function asksForSomething({ schema }: RequestBody): boolean {
  return !('properties' in schema) || ((schema['required'] as readonly string[] | undefined) ?? []).length > 0;
}

const SECURITY_SCHEMES = {
  key: {
    type: 'apiKey',
    in: 'header',
    name: 'x-api-key',
    description: 'Your consumer key. Its scopes: ' + scopesOf('consumer'),
  },
  checkout_key: {
    type: 'apiKey',
    in: 'header',
    name: 'x-api-key',
    description: 'Your checkout key. Its scopes: ' + scopesOf('checkout'),
  },
} as const;

const SCHEME_OF: Readonly<Record<KeyKind, keyof typeof SECURITY_SCHEMES>> = {
  consumer: 'key',
  checkout: 'checkout_key',
};

/** One of them is needed, with the scope. OpenAPI calls it a role where a scheme has no flows. */
function securityOf({ key, scope }: Operation): readonly JsonSchema[] {
  if (key === null) return [];
  const kinds: readonly KeyKind[] = key === 'either' ? ['consumer', 'checkout'] : [key];
  return kinds.map((kind) => ({ [SCHEME_OF[kind]]: [scope] }));
}

function scopeNeeded({ scope }: Operation): string {
  return scope === undefined ? '' : `\n\nScope of the key: \`${scope}\`.`;
}

function namesTransaction({ money, noTransaction }: Operation): boolean {
  return money && noTransaction !== true;
}

function success({ operation, text, currency }: DocumentedPath): JsonSchema {
  const code = {
    ...(namesTransaction(operation) && headers('Transaction-Code')),
    ...((operation.money || operation.replays === true) && headers('Idempotent-Replayed')),
  };
  const links = text.links?.(currency) ?? null;
  return {
    description: text.message,
    headers: {
      ...headers('Request-Id'),
      ...code,
      ...(operation.key === null ? {} : headers('RateLimit', 'RateLimit-Policy')),
    },
    content: { 'application/json': { schema: answerSchema(text, currency) } },
    ...(links !== null && { links }),
  };
}

const OF_KEYS = [
  'invalid_request',
  'unauthorized',
  'forbidden',
  'rate_limited',
  'service_unavailable',
] as const satisfies readonly ErrorCode[];

function codesOf({ operation, text, parameters }: DocumentedPath): readonly ErrorCode[] {
  const { errors = [] } = text;
  if (operation.key === null) return errors;
  return [...OF_KEYS, ...(parameters.length > 0 ? (['not_found'] as const) : []), ...errors];
}
