import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  CONTROL_ACTIONS,
  dataOf,
  eachOf,
  openSharedFixture,
  FIXTURE_WITHIN_MS,
  until,
  watchStatus,
  type Answer,
  type ApiClient,
  type ControlAction,
  type DisburseBody,
  type Fixture,
  type TransferBody,
} from '@vuka/testing';
import { z } from 'zod';

type Json = Readonly<Record<string, unknown>>;

interface Parameter {
  readonly name?: string;
  readonly in?: string;
  readonly example?: unknown;
}

interface DocumentedOperation {
  readonly operationId: string;
  readonly security: readonly Json[];
  readonly parameters: readonly Parameter[];
  readonly requestBody?: {
    readonly content: {
      readonly 'application/json': { readonly examples: Readonly<Record<string, { readonly value: Json }>> };
    };
  };
  readonly responses: Readonly<
    Record<
      string,
      {
        readonly headers?: Readonly<Record<string, Json>>;
        readonly content: { readonly 'application/json': { readonly schema: Json } };
      }
    >
  >;
}

interface OpenApi {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  readonly components: {
    readonly schemas: Json;
    readonly headers: Readonly<Record<string, { readonly required?: boolean }>>;
  };
}

let fixture: Fixture;
let one: ApiClient;
let document: OpenApi;

beforeAll(async () => {
  fixture = await openSharedFixture();
  ({ one } = fixture);
  const answer = await one.send({ method: 'GET', path: '/openapi.json', headers: { 'x-api-key': '' } });
  expect(answer.status).toBe(200);
  document = JSON.parse(answer.text) as OpenApi;
}, FIXTURE_WITHIN_MS);

afterAll(() => fixture.end(), 60_000);

const END_WITHIN_MS = 60_000;
const AT_ONCE = 8;

interface Shown {
  readonly method: string;
  readonly path: string;
  readonly operation: DocumentedOperation;
  readonly example: string;
  readonly body: Json | undefined;
}

function shown(): Shown[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]): Shown[] => {
      const at = { method: method.toUpperCase(), path, operation };
      const examples = Object.entries(operation.requestBody?.content['application/json'].examples ?? {});
      return examples.length === 0
        ? [{ ...at, example: '', body: undefined }]
        : examples.map(([example, { value }]) => ({ ...at, example, body: value }));
    }),
  );
}

const isPayout = ({ path }: Shown): boolean => /\/(disburse|bank-transfer)$/.test(path);
/** Needs a chain, which this Vuka lacks; pay.e2e.spec.ts covers it. */
const wantsChain = (request: Shown): boolean => /^\/v1\/(pay|quote)\b/.test(request.path) || isOrder(request);
/** Needs a chain; the gateway's orders.int.spec.ts sends both. */
const isOrder = ({ path }: Shown): boolean => path === '/v1/checkout/';
const isOrderStatus = ({ path }: Shown): boolean => path === '/v1/checkout/status';
/** Would redirect this partner's webhooks; the gateway's webhooks.int.spec.ts sends it. */
const setsWebhook = ({ path, example }: Shown): boolean => path === '/v1/webhooks/endpoint' && example === 'set';
/** Needs a default URL, or a delivery to it. */
const wantsWebhook = ({ path }: Shown): boolean =>
  path === '/v1/webhooks/test' || path === '/v1/webhooks/deliveries/{id}/resend';
const isRefund = ({ path }: Shown): boolean => path === '/v1/refund';
const isControl = ({ path }: Shown): boolean => path.startsWith('/sandbox/');

/** Examples of path and query; a wallet's id comes from the account, because it cannot be known before. */
async function filled({ path, operation }: Shown): Promise<string> {
  const [wallet] = path.includes('{id}')
    ? dataOf<{ wallets: { id: number }[] }>(await one.send({ path: '/account/detail' })).wallets
    : [];
  const query = operation.parameters
    .filter((parameter) => parameter.in === 'query')
    .map(({ name = '', example }): [string, string] => [name, String(example)]);
  const search = query.length === 0 ? '' : `?${new URLSearchParams(query).toString()}`;
  return (
    path.replace(/\{(\w+)\}/g, (_, name: string) =>
      String(name === 'id' ? wallet?.id : operation.parameters.find((parameter) => parameter.name === name)?.example),
    ) + search
  );
}

/** The checkout key if only that one opens it. */
function keyFor({ operation: { security } }: Shown): Record<string, string> {
  return security.length > 0 && security.every((scheme) => 'checkout_key' in scheme)
    ? { 'x-api-key': one.partner.checkout_key }
    : {};
}

function send(request: Shown, path: string): Promise<Answer> {
  const [, market = '', last = ''] = path.split('/');
  if (last === 'disburse') return one.disburse(market, request.body as unknown as DisburseBody);
  if (last === 'bank-transfer') return one.bankTransfer(market, request.body as unknown as TransferBody);
  const action = Object.entries(CONTROL_ACTIONS).find(([, segment]) => path.endsWith(`/${segment}`))?.[0] as
    ControlAction | undefined;
  if (isControl(request) && action !== undefined) return one.control(path.split('/')[3] ?? '', action);
  return one.send({
    method: request.method,
    path,
    headers: keyFor(request),
    ...(request.body && { body: request.body }),
  });
}

function schemaOf(schema: Json): z.ZodType {
  const text = JSON.stringify({ ...schema, $defs: document.components.schemas }).replaceAll(
    '#/components/schemas/',
    '#/$defs/',
  );
  return z.fromJSONSchema(JSON.parse(text) as Parameters<typeof z.fromJSONSchema>[0]);
}

function expectDocumented({ operation }: Shown, answer: Answer): void {
  const documented = operation.responses['200'];
  if (documented === undefined) throw new Error(`${operation.operationId} documents no 200`);
  const read = schemaOf(documented.content['application/json'].schema).safeParse(answer.body);
  expect(read.error?.issues ?? []).toEqual([]);
  for (const [name, header] of Object.entries(documented.headers ?? {})) {
    const { required = false } = document.components.headers[String(header['$ref']).split('/').at(-1) ?? ''] ?? {};
    if (required) expect(answer.headers[name.toLowerCase()]).toBeDefined();
  }
}

describe('the published document', () => {
  it('is of OpenAPI 3.1, and names each operation once', () => {
    expect(document.openapi).toMatch(/^3\.1\./);
    const ids = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId),
    );
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBeGreaterThan(30);
  });

  it('pays every example of a payout unchanged, to its end', async () => {
    const payouts = shown().filter(isPayout);
    expect(payouts.length).toBeGreaterThan(20);
    await eachOf(payouts, AT_ONCE, async (request) => {
      const answer = await send(request, request.path);
      expect([request.path, request.example, answer.status, answer.text]).toEqual([
        request.path,
        request.example,
        200,
        answer.text,
      ]);
      expectDocumented(request, answer);
      const row = await watchStatus(
        one,
        dataOf<{ transaction_code: string }>(answer).transaction_code,
        'COMPLETE',
        END_WITHIN_MS,
      );
      expect(row.row.currency_code).toMatch(/^[A-Z]{3}$/);
    });
  }, 180_000);

  it('answers every other example, and every operation without one, as documented', async () => {
    const others = shown().filter(
      (request) =>
        ![isPayout, wantsChain, isRefund, isOrderStatus, setsWebhook, wantsWebhook].some((excluded) =>
          excluded(request),
        ),
    );
    expect(others.length).toBeGreaterThan(30);
    for (const request of others) {
      const path = await filled(request);
      const answer = await send(request, path);
      expect([request.method, path, request.example, answer.status, answer.text]).toEqual([
        request.method,
        path,
        request.example,
        200,
        answer.text,
      ]);
      expectDocumented(request, answer);
    }
  }, 60_000);

  it('tests the default URL when there is one, and sends webhooks of the log again', async () => {
    const [test, resend] = shown().filter(wantsWebhook) as [Shown, Shown];
    const set = (url: string | null): Promise<Answer> => one.send({ path: '/v1/webhooks/endpoint', body: { url } });
    expect((await send(test, test.path)).headers['error-code']).toBe('invalid_request');
    await set('http://127.0.0.1:9/nobody');
    // Other gateways know it within five seconds.
    const sent = await until(async () => [await send(test, test.path)].find(({ status }) => status === 200), {
      withinMs: 60_000,
      what: 'the default URL is known',
      everyMs: 200,
    });
    expectDocumented(test, sent);
    await set(null);
    const again = await send(resend, resend.path.replace('{id}', String(dataOf<{ id: number }>(sent).id)));
    expect([again.status, dataOf<{ event: string }>(again).event]).toEqual([200, 'webhook.test']);
    expectDocumented(resend, again);
  }, 60_000);

  it('accepts every example with a chain as valid, and answers that the chain is not served here', async () => {
    const waiting = shown().filter(wantsChain);
    expect(waiting.length).toBeGreaterThan(10);
    for (const request of waiting) {
      const answer = await send(request, await filled(request));
      expect([request.path, request.example, answer.status, answer.headers['error-code'], answer.text]).toEqual([
        request.path,
        request.example,
        503,
        'service_unavailable',
        answer.text,
      ]);
      expect(answer.body?.message).toContain('not served');
    }
  }, 60_000);

  it('finds nothing to send back by the examples of a refund, and can check no address there', async () => {
    const answers = await Promise.all(
      shown()
        .filter(isRefund)
        .map(async (request) => [request.example, await send(request, request.path)] as const),
    );
    expect(answers.map(([example, { status, headers }]) => [example, status, headers['error-code']])).toEqual([
      ['registered', 404, 'not_found'],
      ['named', 503, 'service_unavailable'],
    ]);
  });

  it('knows no order that could not be made, whichever key asks for it', async () => {
    const [request] = shown().filter(isOrderStatus);
    for (const key of [one.partner.consumer_key, one.partner.checkout_key]) {
      const answer = await one.send({
        path: '/v1/checkout/status',
        headers: { 'x-api-key': key },
        ...(request?.body && { body: request.body }),
      });
      expect([answer.status, answer.headers['error-code']]).toEqual([404, 'not_found']);
    }
  });

  it('asks for a key exactly where one is needed', async () => {
    for (const request of shown()) {
      const answer = await one.send({
        method: request.method,
        path: await filled(request),
        headers: { 'x-api-key': '' },
      });
      expect([request.path, answer.status]).toEqual([
        request.path,
        request.operation.security.length === 0 ? 200 : 401,
      ]);
    }
  }, 60_000);
});

describe('seen from outside', () => {
  it('all of it is sound', async () => {
    await fixture.checker.expectSound();
  }, 240_000);
});
