import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';

import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { operation, type CallContext, type InternalApi, type InternalHandlers } from '@vuka/contracts';
import { ok } from '@vuka/domain';
import { type Logger, Metrics, systemClock } from '@vuka/runtime';
import { until } from '@vuka/testing';
import { z } from 'zod';

import { credentialHash } from './accepted-callers.js';
import { startInternalServer, type InternalServer, type InternalServerOptions } from './internal-server.js';

jest.setTimeout(30_000);

const OLD = 'the-credential-of-before-0123456789';
const NEW = 'the-credential-of-after--0123456789';
const WITHIN = { withinMs: 10_000 };
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';

const ledgerApi = {
  service: 'ledger',
  operations: {
    find: operation(z.object({ id: z.int() }), z.object({ found: z.boolean() }), {
      summary: 'Of a test',
      errors: {},
      callers: ['gateway'],
      idempotent: true,
    }),
  },
} as const satisfies InternalApi;
type Find = InternalHandlers<typeof ledgerApi>['find'];

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

interface Ask {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Record<string, string | undefined>;
  readonly body?: string;
  readonly agent?: Agent;
}

describe('the internal server', () => {
  const errors = jest.fn();
  const log = { error: errors, warn: () => undefined } as unknown as Logger;
  let server: InternalServer | undefined;
  let contexts: CallContext[];
  let find: Find;

  const start = async (options: Partial<InternalServerOptions<typeof ledgerApi>> = {}): Promise<void> => {
    errors.mockClear();
    contexts = [];
    find = async ({ id }) => ok({ found: id > 0 });
    server = await startInternalServer({
      service: 'ledger',
      host: '127.0.0.1',
      port: 0,
      api: ledgerApi,
      handlers: {
        find: (input, context) => {
          contexts.push(context);
          return find(input, context);
        },
      },
      accept: [
        { caller: 'gateway', credentialSha256: credentialHash(OLD) },
        { caller: 'gateway', credentialSha256: credentialHash(NEW) },
      ],
      health: async () => ({ ready: true, services: { ledger: 'ready' } }),
      metrics: new Metrics('ledger'),
      log,
      clock: systemClock,
      ...options,
    });
  };

  afterEach(async () => {
    await server?.stop();
    server = undefined;
  });

  function ask({
    method = 'POST',
    path = '/internal/find',
    headers = {},
    body = '{"id":1}',
    agent,
  }: Ask = {}): Promise<Answer> {
    const all = {
      authorization: `Bearer ${OLD}`,
      'content-type': 'application/json',
      'x-vuka-deadline-ms': '2000',
      ...headers,
    };
    const sent = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
    const { hostname, port } = new URL(server?.baseUrl ?? '');
    return new Promise((resolve, reject) => {
      const request = httpRequest(
        { hostname, port, method, path, headers: sent, agent: agent ?? false },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('end', () =>
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              text: Buffer.concat(chunks).toString(),
            }),
          );
          response.on('error', reject);
        },
      );
      request.on('error', reject).end(method === 'GET' ? undefined : body);
    });
  }
  const failureOf = ({ status, text }: Answer): unknown[] => {
    const { kind, message } = (JSON.parse(text) as { failure: { kind: string; message: string } }).failure;
    return [status, kind, message];
  };
  const get = (path: string, agent?: Agent): Promise<Answer> =>
    ask({ method: 'GET', path, headers: { authorization: undefined }, ...(agent && { agent }) });

  it('refuses a caller that has no need of the operation, before its body is read, and counts and logs it', async () => {
    const metrics = new Metrics('ledger');
    await start({
      metrics,
      accept: [
        { caller: 'gateway', credentialSha256: credentialHash(OLD) },
        { caller: 'checkout', credentialSha256: credentialHash(NEW) },
      ],
    });
    const asCheckout = { headers: { authorization: `Bearer ${NEW}` } };
    for (const body of ['{"id":1}', 'x'.repeat(300_000)]) {
      const answer = await ask({ ...asCheckout, body });
      expect([answer.status, JSON.parse(answer.text)]).toEqual([
        403,
        {
          ok: false,
          failure: {
            kind: 'refused',
            service: 'ledger',
            message: 'checkout may not call find',
            code: 'operation_not_allowed',
          },
        },
      ]);
    }
    expect(contexts).toEqual([]);
    expect(errors.mock.calls).toEqual([
      [
        {
          code: 'internal_call_refused',
          reason: 'operation_not_allowed',
          caller: 'checkout',
          operation: 'find',
        },
        expect.any(String),
      ],
    ]);
    await ask({ headers: { authorization: 'Bearer nobody' } });
    expect(await metrics.text()).toMatch(/vuka_internal_refused_total\{reason="operation_not_allowed",[^}]*\} 2/);
    expect(await metrics.text()).toMatch(/vuka_internal_refused_total\{reason="credential_unknown",[^}]*\} 1/);
    expect((await ask()).status).toBe(200);
  });

  it('does not start with one credential for two callers, or with what is no hash', async () => {
    const accept = ['gateway', 'checkout'].map((caller) => ({ caller, credentialSha256: credentialHash(OLD) }));
    await expect(start({ accept })).rejects.toThrow('must not be the credential of another caller');
    await expect(start({ accept: [{ caller: 'gateway', credentialSha256: OLD }] })).rejects.toThrow(
      /credential_sha256 of gateway must be 64 hexadecimal digits/,
    );
  });

  it('answers whoever shows a credential it accepts, the old one and its successor', async () => {
    await start();
    for (const credential of [OLD, NEW]) {
      const answer = await ask({ headers: { authorization: `Bearer ${credential}` } });
      expect([answer.status, answer.text]).toEqual([200, '{"ok":true,"value":{"found":true}}']);
    }
  });

  it.each([
    undefined,
    '',
    'Bearer',
    'Bearer ',
    `Bearer ${OLD}x`,
    `Bearer ${OLD.slice(0, -1)}`,
    `Basic ${OLD}`,
    OLD,
    `Bearer ${OLD} ${NEW}`,
  ])('refuses %p without details', async (authorization) => {
    await start();
    for (const path of ['/internal/find', '/internal/nothing']) {
      const answer = await ask({ path, headers: { authorization }, body: 'x'.repeat(300_000) });
      expect([answer.status, answer.text, answer.headers['www-authenticate']]).toEqual([401, '', 'Bearer']);
    }
    expect(contexts).toEqual([]);
  });

  it('refuses what is no call of the operation: 400 with the reason, logged under the caller', async () => {
    await start();
    expect(failureOf(await ask({ body: '{"id":"1"}' }))).toEqual([
      400,
      'contract',
      'ledger.find input breaks its schema at id: invalid_type',
    ]);
    expect(failureOf(await ask({ body: '{"id":' }))).toEqual([400, 'contract', 'ledger.find input is no JSON']);
    expect(failureOf(await ask({ body: '' }))).toEqual([400, 'contract', expect.stringContaining('ledger.find input')]);
    expect(errors).toHaveBeenCalledTimes(3);
    expect(errors.mock.calls[0]?.[0]).toMatchObject({ caller: 'gateway' });
    expect(failureOf(await ask({ body: `{"id":1,"more":"${'x'.repeat(262_144)}"}` }))).toEqual([
      413,
      'contract',
      'the request could not be read (FST_ERR_CTP_BODY_TOO_LARGE)',
    ]);
    expect(failureOf(await ask({ headers: { 'content-type': 'text/plain' } }))).toEqual([
      415,
      'contract',
      expect.any(String),
    ]);
    expect(failureOf(await ask({ path: '/internal/toString' }))).toEqual([
      404,
      'refused',
      'it does not know this operation',
    ]);
    expect([(await ask({ method: 'GET' })).status, (await ask({ path: '/other' })).status]).toEqual([404, 404]);
    expect(contexts).toEqual([]);
  });

  it.each([undefined, '', '-1', '1.5', '1e3', 'soon', '99999999999'])('refuses the deadline %p', async (deadline) => {
    await start();
    const answer = await ask({ headers: { 'x-vuka-deadline-ms': deadline } });
    expect(failureOf(answer)).toEqual([400, 'contract', 'ledger.find has no x-vuka-deadline-ms in milliseconds']);
    expect(contexts).toEqual([]);
  });

  it('takes a minute at most, and begins nothing when none is left', async () => {
    await start();
    const before = Date.now();
    await ask({ headers: { 'x-vuka-deadline-ms': '9000000' } });
    expect(contexts[0]?.deadline).toBeLessThanOrEqual(Date.now() + 60_000);
    expect(contexts[0]?.deadline).toBeGreaterThanOrEqual(before + 60_000);
    expect(failureOf(await ask({ headers: { 'x-vuka-deadline-ms': '0' } }))).toEqual([
      504,
      'deadline',
      'ledger.find: no answer before the deadline',
    ]);
    expect(contexts).toHaveLength(1);
  });

  it('carries ids that are sane, with a span of its own, and replaces others', async () => {
    await start();
    await ask({ headers: { 'request-id': 'order-7', traceparent: `00-${TRACE}-00f067aa0ba902b7-01` } });
    await ask({ headers: { 'request-id': 'a b', traceparent: 'nonsense' } });
    expect(contexts[0]).toMatchObject({
      requestId: 'order-7',
      traceparent: expect.stringMatching(`^00-${TRACE}-(?!00f067aa0ba902b7)[0-9a-f]{16}-01$`),
    });
    expect(contexts[1]).toMatchObject({
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      traceparent: expect.stringMatching(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/),
    });
  });

  it('reveals only that a handler failed', async () => {
    await start();
    find = () => Promise.reject(new Error('password=hunter2'));
    const answer = await ask();
    expect(failureOf(answer)).toEqual([500, 'unavailable', 'find failed']);
    expect(answer.text).not.toContain('hunter2');
  });

  it('stops waiting at the deadline, and still counts the work while it lasts', async () => {
    await start({ maxInFlight: 1 });
    let end: () => void = () => undefined;
    find = () => new Promise((resolve) => (end = () => resolve(ok({ found: true }))));
    expect(failureOf(await ask({ headers: { 'x-vuka-deadline-ms': '30' } }))).toEqual([
      504,
      'deadline',
      'ledger.find: no answer before the deadline',
    ]);
    expect(failureOf(await ask())).toEqual([503, 'not_started', 'it is busy']);
    expect((await get('/metrics')).text).toMatch(/^vuka_internal_in_flight_calls\{.*\} 1$/m);
    end();
    find = async () => ok({ found: true });
    await until(async () => (await ask()).status === 200, { ...WITHIN, what: 'a free place' });
    expect((await get('/metrics')).text).toMatch(/^vuka_internal_shed_total\{.*\} [1-9]/m);
  });

  it('tells its health and metrics to whoever asks', async () => {
    let ready: () => Promise<{ ready: boolean; services: Record<string, string> }> = async () => ({
      ready: true,
      services: { ledger: 'ready' },
    });
    await start({ health: () => ready() });
    const live = await get('/health/live');
    expect([live.status, live.text]).toEqual([200, '{"status":"live"}']);
    const well = await get('/health/ready');
    expect([well.status, JSON.parse(well.text)]).toEqual([200, { ready: true, services: { ledger: 'ready' } }]);
    ready = async () => ({ ready: false, services: { ledger: 'the database is away' } });
    const ill = await get('/health/ready');
    expect([ill.status, JSON.parse(ill.text)]).toEqual([
      503,
      { ready: false, services: { ledger: 'the database is away' } },
    ]);
    ready = () => Promise.reject(new RangeError('secret'));
    expect((await get('/health/ready')).text).toBe('{"ready":false,"services":{"ledger":"RangeError"}}');
    await ask();
    const metrics = await get('/metrics');
    expect(metrics.headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(metrics.text).toMatch(/^vuka_internal_served_seconds_count\{.*operation="find".*outcome="ok".*\} 1$/m);
  });

  it('serves health alone where there is nothing to call', async () => {
    errors.mockClear();
    server = await startInternalServer({
      service: 'checkout',
      host: '127.0.0.1',
      port: 0,
      accept: [],
      health: async () => ({ ready: true, services: {} }),
      metrics: new Metrics('checkout'),
      log,
      clock: systemClock,
    });
    expect((await get('/health/ready')).status).toBe(200);
    expect((await ask()).status).toBe(401);
  });

  it('stops: not ready first, calls in flight end, new ones are turned away, connections close', async () => {
    await start();
    let release: () => void = () => undefined;
    find = () => new Promise((resolve) => (release = () => resolve(ok({ found: true }))));
    const agent = new Agent({ keepAlive: true });
    const held = ask({ agent });
    await until(() => contexts.length === 1, { ...WITHIN, what: 'the call' });
    await get('/health/live', agent);
    const stopping = server?.stop();
    expect(stopping).toBe(server?.stop());
    await expect(ask()).rejects.toThrow(/ECONNREFUSED|ECONNRESET|hang up/);
    release();
    const answer = await held;
    expect([answer.status, answer.headers.connection]).toEqual([200, 'close']);
    await stopping;
    agent.destroy();
  });

  it('begins nothing more on a connection that is still open', async () => {
    const metrics = new Metrics('ledger');
    await start({ metrics });
    let release: () => void = () => undefined;
    find = () => new Promise((resolve) => (release = () => resolve(ok({ found: true }))));
    const { port } = new URL(server?.baseUrl ?? '');
    const socket = connect(Number(port), '127.0.0.1');
    const head = `host: x\r\nauthorization: Bearer ${NEW}\r\ncontent-type: application/json\r\nx-vuka-deadline-ms: 5000\r\ncontent-length: 8`;
    const call = `POST /internal/find HTTP/1.1\r\n${head}\r\n\r\n{"id":1}`;
    socket.write(call);
    await until(() => contexts.length === 1, { ...WITHIN, what: 'the call' });
    const stopping = server?.stop();
    // Pipelined on the same connection.
    socket.write(call);
    await until(async () => (await metrics.text()).includes('outcome="shed"'), {
      ...WITHIN,
      what: 'the second to be turned away',
    });
    expect(contexts).toHaveLength(1);
    release();
    await stopping;
    socket.destroy();
  });

  it('cuts off what does not end in time', async () => {
    await start({ drainMs: 50 });
    find = () => new Promise(() => undefined);
    const lost = ask().catch((error: unknown) => error);
    await until(() => contexts.length === 1, { ...WITHIN, what: 'the call' });
    await server?.stop();
    expect(await lost).toMatchObject({ code: 'ECONNRESET' });
  });
});
