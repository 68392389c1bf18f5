import { describe, expect, it } from '@jest/globals';
import { webhookEvent } from '@vuka/contracts';
import { CURRENCIES, requestShapes, type Currency } from '@vuka/domain';
import { z } from 'zod';

import type { Operation } from '../operations/operation.js';
import { OPERATION_TABLE, OPERATIONS } from '../public-operations.js';
import { openApiDocument } from './document.js';

type Json = Readonly<Record<string, unknown>>;

interface Documented {
  readonly operationId: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly security: readonly Json[];
  readonly parameters: readonly Json[];
  readonly requestBody?: {
    readonly required: boolean;
    readonly content: {
      readonly 'application/json': {
        readonly schema: Json;
        readonly examples: Readonly<Record<string, { readonly value: Json }>>;
      };
    };
  };
  readonly responses: Readonly<Record<string, Json>>;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Documented>>>>;
  readonly tags: readonly { readonly name: string }[];
  readonly components: Readonly<Record<string, Json>>;
}

const currencies = Object.values<Currency>(CURRENCIES);
const documentOf = (sandbox: boolean): Document =>
  openApiDocument({
    table: OPERATION_TABLE,
    sandbox,
    currencies,
    today: new Date('2026-11-21T12:00:00Z'),
  }) as unknown as Document;
const document = documentOf(true);

const all = ({ paths }: Document): [string, string, Documented][] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, string, Documented] => [
      path,
      method.toUpperCase(),
      operation,
    ]),
  );

/** What a `$ref` stands for. */
const componentOf = (referring: Json | undefined): Json | undefined => {
  const [section = '', name = ''] = String(referring?.['$ref']).split('/').slice(2);
  return document.components[section]?.[name] as Json | undefined;
};

/** A path of the table as a pattern: each parameter is one segment. */
const patternOf = (route: string): RegExp =>
  new RegExp(`^${route.replaceAll('.', String.raw`\.`).replace(/:\w+/g, '[^/]+')}$`);

/** For people and for providers, not for partners' programs. */
const PAGES = [
  'docs',
  'docsSandbox',
  'payPage',
  'payPageState',
  'payPageFiles',
  'providerCallback',
  'providerCallbackPut',
  'providerApproval',
];

describe('the document', () => {
  it.each([true, false])(
    'has every operation of the table at every path, and nothing else (sandbox: %s)',
    (sandbox) => {
      const documented = all(documentOf(sandbox)).map(([path, method]) => `${method} ${path.replace(/\{\w+\}/g, 'x')}`);
      const expected = Object.entries<Operation>(OPERATIONS).filter(
        ([name, { sandboxOnly }]) => !PAGES.includes(name) && (sandbox || sandboxOnly !== true),
      );
      const routes = expected.flatMap(([, { method, paths }]) =>
        paths.map((path) => ({ method, pattern: patternOf(path) })),
      );
      for (const { method, pattern } of routes) {
        expect(
          documented.filter((line) => line.startsWith(`${method} `) && pattern.test(line.slice(method.length + 1))),
        ).not.toEqual([]);
      }
      for (const line of documented) {
        const [method = '', path = ''] = line.split(' ');
        expect(OPERATION_TABLE.allowedMethods(path, sandbox)).toContain(method);
      }
    },
  );

  it('names each operation once, in a group that is told of', () => {
    const ids = all(document).map(([, , { operationId }]) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    const groups = document.tags.map(({ name }) => name);
    for (const [, , { tags }] of all(document)) expect(groups).toContain(tags[0]);
  });

  it('has a text for each operation and each of its paths', () => {
    for (const [name, { paths, document: text }] of Object.entries<Operation>(OPERATIONS))
      expect([name, text?.ids.length]).toEqual([name, PAGES.includes(name) ? undefined : paths.length]);
  });

  it('refers to nothing that is not there, and defines nothing that nobody refers to', () => {
    const text = JSON.stringify(document);
    const used = new Set([...text.matchAll(/"#\/components\/([^"]+)"/g)].map(([, place]) => place));
    const defined = Object.entries(document.components)
      .filter(([section]) => section !== 'securitySchemes')
      .flatMap(([section, items]) => Object.keys(items).map((name) => `${section}/${name}`));
    expect([...used].sort()).toEqual(defined.sort());
  });

  it('gives each currency the shapes of its own rules, at a path of its own', () => {
    for (const currency of currencies) {
      const at = document.paths[`/${currency.code.toLowerCase()}/disburse`]?.['post'];
      const { schema, examples } = at?.requestBody?.content['application/json'] ?? { schema: {}, examples: {} };
      const kinds = requestShapes('disburse', currency).length;
      expect(kinds === 1 ? [schema] : schema['anyOf']).toHaveLength(kinds);
      expect(Object.keys(examples)).toHaveLength(kinds + 1);
    }
  });

  it('shows only examples that its own schemas take', () => {
    for (const [path, , { requestBody }] of all(document)) {
      if (requestBody === undefined) continue;
      const { schema, examples } = requestBody.content['application/json'];
      const reads = z.fromJSONSchema(schema);
      expect(Object.keys(examples).length).toBeGreaterThan(0);
      for (const [name, { value }] of Object.entries(examples))
        expect([path, name, reads.safeParse(value).error?.issues]).toEqual([path, name, undefined]);
      expect([path, reads.safeParse({}).success]).toEqual([path, !requestBody.required]);
    }
  });

  it('tells of every webhook, by its name and with a body that its schema takes', () => {
    const { webhooks } = document as unknown as {
      webhooks: Readonly<
        Record<
          string,
          {
            post: {
              operationId: string;
              requestBody: { content: { 'application/json': { schema: Json; example: unknown } } };
            };
          }
        >
      >;
    };
    expect(Object.keys(webhooks)).toEqual(webhookEvent.options);
    for (const [name, { post }] of Object.entries(webhooks)) {
      const { schema, example } = post.requestBody.content['application/json'];
      const reads = z.fromJSONSchema(componentOf(schema) ?? {});
      expect([name, reads.safeParse(example).error?.issues]).toEqual([name, undefined]);
      expect([name, reads.safeParse({}).success]).toEqual([name, false]);
    }
    expect(
      componentOf(webhooks['transaction.corrected']?.post.requestBody.content['application/json'].schema)?.[
        'properties'
      ],
    ).toHaveProperty('correction');
    const ids = [
      ...all(document).map(([, , { operationId }]) => operationId),
      ...Object.values(webhooks).map(({ post }) => post.operationId),
    ];
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('has the correction of a row, of every form it may have', () => {
    const { properties } = componentOf({ $ref: '#/components/schemas/StatusRow' }) as {
      properties: Record<string, Json>;
    };
    const row = z.fromJSONSchema(properties['correction'] ?? {});
    expect(
      [
        '',
        { reason: 'paid_after_failure', receipt_number: 'R', amount: '1.00', at: '2026-11-21T12:00:00.000Z' },
        'x',
        { reason: 'other' },
      ].map((value) => row.safeParse(value).success),
    ).toEqual([true, true, false, false]);
  });

  it('names the scope of each operation that takes a key, for programs and for people, and the 403 of one without', () => {
    for (const [path, , { security, description, responses }] of all(document)) {
      const scopes = [...new Set(security.flatMap((scheme) => Object.values(scheme) as string[][]).flat())];
      expect([path, scopes.length]).toEqual([path, security.length === 0 ? 0 : 1]);
      for (const scope of scopes)
        expect([path, description]).toEqual([path, expect.stringContaining(`Scope of the key: \`${scope}\`.`)]);
      expect([path, '403' in responses]).toEqual([path, security.length > 0]);
    }
    expect(document.paths['/v1/checkout/status']?.['post']?.security).toEqual([
      { key: ['read'] },
      { checkout_key: ['read'] },
    ]);
  });

  it('tells of a suspension where one is refused for it, and nowhere else', () => {
    const refused = Object.values<Operation>(OPERATIONS)
      .filter(({ notWhileSuspended }) => notWhileSuspended)
      .flatMap(({ method, paths }) => paths.map((path) => ({ method, pattern: patternOf(path) })));
    for (const [path, method, { responses }] of all(document)) {
      const isRefused = refused.some((route) => route.method === method && route.pattern.test(path));
      expect([path, String(componentOf(responses['403'])?.['description']).includes('account is suspended')]).toEqual([
        path,
        isRefused,
      ]);
    }
  });

  it('tells which key, which headers and which failures', () => {
    const { post } = document.paths['/kes/disburse'] ?? {};
    expect(post?.security).toEqual([{ key: ['payouts'] }]);
    expect(post?.parameters).toEqual([
      { $ref: '#/components/parameters/RequestId' },
      { $ref: '#/components/parameters/IdempotencyKey' },
    ]);
    expect(Object.keys(post?.responses ?? {})).toEqual([
      '200',
      '400',
      '401',
      '402',
      '403',
      '409',
      '413',
      '415',
      '422',
      '429',
      '503',
      '504',
    ]);
    const { get } = document.paths['/health/live'] ?? {};
    expect([get?.security, Object.keys(get?.responses ?? {})]).toEqual([[], ['200']]);
    expect(Object.keys(document.paths['/{currency}/status']?.['post']?.responses ?? {})).toContain('404');
  });
});
