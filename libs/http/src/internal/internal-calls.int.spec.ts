import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import {
  operation,
  type CallContext,
  type InternalApi,
  type InternalClient,
  type InternalHandlers,
} from '@vuka/contracts';
import { fail, ok } from '@vuka/domain';
import {
  ContractError,
  DeadlineExceededError,
  type Logger,
  Metrics,
  ServiceUnavailableError,
  systemClock,
} from '@vuka/runtime';
import { until } from '@vuka/testing';
import { z } from 'zod';

import { newCallContext } from './call-context.js';
import { HttpServices } from './http-services.js';
import { InProcessServices, type InternalServices } from './in-process-services.js';
import { credentialHash } from './server/accepted-callers.js';
import { startInternalServer } from './server/internal-server.js';

jest.setTimeout(30_000);

const CREDENTIAL = 'a credential is no word of ours!'.replaceAll(' ', '-');

const ledgerApi = {
  service: 'ledger',
  operations: {
    add: operation(
      z.object({ amount_minor: z.string().regex(/^\d+$/), note: z.string().optional() }),
      z.object({ total: z.string(), tags: z.array(z.string()).default([]), at: z.string().optional() }),
      { summary: 'Of a test', errors: {}, callers: ['gateway'], idempotent: false },
    ),
    find: operation(z.object({ id: z.int() }), z.object({ found: z.boolean() }), {
      summary: 'Of a test',
      errors: {},
      callers: ['gateway'],
      idempotent: true,
    }),
  },
} as const satisfies InternalApi;

type Handlers = InternalHandlers<typeof ledgerApi>;
type Add = Handlers['add'];

interface Bound {
  readonly services: InternalServices;
  readonly errors: jest.Mock;
  readonly metrics: Metrics;
  stop(): Promise<void>;
}

const find: Handlers['find'] = async ({ id }) => ok({ found: id > 0 });

function logOf(error: jest.Mock): Logger {
  return { error, warn: () => undefined, info: () => undefined } as unknown as Logger;
}

const BINDINGS: readonly [string, (add: Add) => Promise<Bound>][] = [
  [
    'in one process',
    async (add) => {
      const errors = jest.fn();
      const metrics = new Metrics('caller');
      const services = new InProcessServices(logOf(errors), systemClock, metrics);
      services.register(ledgerApi, { add, find });
      return { services, errors, metrics, stop: async () => undefined };
    },
  ],
  [
    'over HTTP',
    async (add) => {
      const errors = jest.fn();
      const metrics = new Metrics('caller');
      const server = await startInternalServer({
        service: 'ledger',
        host: '127.0.0.1',
        port: 0,
        api: ledgerApi,
        handlers: { add, find },
        accept: [{ caller: 'gateway', credentialSha256: credentialHash(CREDENTIAL) }],
        health: async () => ({ ready: true, services: {} }),
        metrics: new Metrics('ledger'),
        log: logOf(errors),
        clock: systemClock,
      });
      const services = new HttpServices({
        urls: { ledger: server.baseUrl },
        credentials: { ledger: CREDENTIAL },
        log: logOf(jest.fn()),
        clock: systemClock,
        metrics,
      });
      const stop = async (): Promise<void> => {
        await services.close();
        await server.stop();
      };
      return { services, errors, metrics, stop };
    },
  ],
];

describe.each(BINDINGS)('calls between services %s', (_name, bind) => {
  let bound: Bound;
  let ledger: InternalClient<typeof ledgerApi>;
  let add: Add;
  let context: CallContext;

  beforeEach(async () => {
    add = async () => ok({ total: '0' });
    bound = await bind((input, given) => add(input, given));
    ledger = bound.services.client(ledgerApi);
    context = newCallContext({ requestId: 'r-1', budgetMs: 2_000 });
  });

  afterEach(() => bound.stop());

  const call = (input: object = { amount_minor: '5' }) => ledger.add(input as { amount_minor: string }, context);
  const failureOfCall = (): Promise<unknown> => call().catch((error: unknown) => error);

  it('share nothing but what the schemas let through, and make the same of it', async () => {
    const input = { amount_minor: '5', note: undefined, extra: 'dropped' };
    const received: unknown[] = [];
    add = async (given) => {
      received.push(given);
      return ok({ total: '5', secret: 'dropped', at: new Date(0) } as unknown as { total: string });
    };
    expect(await call(input)).toEqual({ ok: true, value: { total: '5', tags: [], at: '1970-01-01T00:00:00.000Z' } });
    expect(received).toEqual([{ amount_minor: '5' }]);
  });

  it('carry the request id, the trace and the deadline', async () => {
    let carried: CallContext | undefined;
    add = async (_input, given) => {
      carried = given;
      return ok({ total: '5' });
    };
    await call();
    expect(carried?.requestId).toBe('r-1');
    expect(carried?.traceparent.slice(3, 35)).toBe(context.traceparent.slice(3, 35));
    // The header has whole milliseconds.
    expect(carried?.deadline).toBeGreaterThan(context.deadline - 100);
    expect(carried?.deadline).toBeLessThanOrEqual(context.deadline + 100);
  });

  it('bring expected failures back as values, with every member', async () => {
    const problem = {
      code: 'rate_limited',
      message: 'too many',
      faults: [{ detail: 'x', pointer: '/amount' }],
      transactionCode: 't-1',
      retryAfterS: 3,
      limit: { name: 'destination', ratePerS: 0.5, burst: 7 },
    } as const;
    add = async () => fail(problem);
    expect(await call()).toEqual({ ok: false, error: problem });
    expect(await ledger.find({ id: 1 }, context)).toEqual({ ok: true, value: { found: true } });
  });

  it.each<[string, object, () => Promise<unknown>]>([
    ['input', { amount_minor: 5 }, async () => ok({ total: '5' })],
    ['answer', { amount_minor: '5' }, async () => ok({ total: 5 })],
    ['answer', { amount_minor: '5' }, async () => ok({ total: 5n })],
    ['answer', { amount_minor: '5' }, async () => ok(undefined)],
    ['problem', { amount_minor: '5' }, async () => fail({ code: 'no_such_code', message: 'x' } as never)],
  ])('call a broken %s a bug of ours, without its value', async (what, input, handler) => {
    add = handler as Add;
    const failed = await call(input).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(ContractError);
    expect((failed as Error).message).toMatch(
      new RegExp(`^ledger.add ${what} (breaks its schema at [\\w()]+: \\w+|cannot be written as JSON)$`),
    );
  });

  it('hide a thrown error behind unavailable, and log it once, where it was thrown', async () => {
    add = () => {
      throw new TypeError('a bug with a secret in it');
    };
    const failed = await failureOfCall();
    expect(failed).toBeInstanceOf(ServiceUnavailableError);
    expect(failed).toMatchObject({
      service: 'ledger',
      reason: 'add failed',
      sent: true,
      message: 'ledger: add failed',
    });
    expect(bound.errors).toHaveBeenCalledTimes(1);
  });

  it('let the failure of a service further on come through, and claim of it no more than that something was begun', async () => {
    add = () => Promise.reject(new DeadlineExceededError('offramp', 'address', { sent: false }));
    expect(await failureOfCall()).toMatchObject({
      name: 'DeadlineExceededError',
      service: 'offramp',
      operation: 'address',
      sent: true,
    });
    add = () => Promise.reject(new ServiceUnavailableError('offramp', 'no connection', { sent: false }));
    expect(await failureOfCall()).toMatchObject({
      name: 'ServiceUnavailableError',
      service: 'offramp',
      reason: 'no connection',
      sent: true,
    });
    expect(bound.errors).not.toHaveBeenCalled();
  });

  it('do not begin after the deadline, and say that nothing was asked', async () => {
    const began = jest.fn();
    add = async () => {
      began();
      return ok({ total: '5' });
    };
    context = { ...context, deadline: Date.now() };
    expect(await failureOfCall()).toMatchObject({
      name: 'DeadlineExceededError',
      service: 'ledger',
      operation: 'add',
      sent: false,
    });
    expect(began).not.toHaveBeenCalled();
  });

  it('give up at the deadline, let the work go on, and log what fails later', async () => {
    const ends: ((error: Error) => void)[] = [];
    add = () => new Promise<never>((_, reject) => ends.push(reject));
    context = newCallContext({ budgetMs: 300 });
    expect(await failureOfCall()).toMatchObject({
      name: 'DeadlineExceededError',
      service: 'ledger',
      operation: 'add',
      sent: true,
    });
    const end = await until(() => ends[0], { withinMs: 10_000, what: 'the work to begin' });
    end(new Error('late'));
    await until(() => bound.errors.mock.calls.length === 1, { withinMs: 10_000, what: 'the late failure in the log' });
  });

  it('count how each ended', async () => {
    await call();
    add = () => Promise.reject(new Error('a bug'));
    await failureOfCall();
    const counts = (await bound.metrics.text())
      .split('\n')
      .filter((line) => line.startsWith('vuka_internal_call_seconds_count'));
    expect(
      counts.map((line) => /callee="(\w+)",operation="(\w+)",outcome="(\w+)"} (\d+)$/.exec(line)?.slice(1)),
    ).toEqual([
      ['ledger', 'add', 'ok', '1'],
      ['ledger', 'add', 'unavailable', '1'],
    ]);
  });
});
