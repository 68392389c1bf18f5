import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { operation, type CallContext, type InternalApi, type InternalHandlers } from '@vuka/contracts';
import { fail, ok } from '@vuka/domain';
import { DeadlineExceededError, type Logger, ManualClock, ServiceUnavailableError } from '@vuka/runtime';
import { z } from 'zod';

import { newCallContext } from './call-context.js';
import { InProcessServices } from './in-process-services.js';

const ledgerApi = {
  service: 'ledger',
  operations: {
    add: operation(
      z.object({ amount_minor: z.string().regex(/^\d+$/), note: z.string().optional() }),
      z.object({ total: z.string(), tags: z.array(z.string()).default([]) }),
      { summary: 'Of a test', errors: {}, callers: ['gateway'], idempotent: false },
    ),
  },
} as const satisfies InternalApi;

type Handlers = InternalHandlers<typeof ledgerApi>;

describe('calls between services of one process', () => {
  const clock = new ManualClock(new Date('2026-11-21T10:00:00Z'));
  const error = jest.fn();
  let services: InProcessServices;
  let context: CallContext;

  const call = (add: Handlers['add'], input: object = { amount_minor: '5' }) => {
    services.register(ledgerApi, { add });
    return services.client(ledgerApi).add(input as { amount_minor: string }, context);
  };

  beforeEach(() => {
    error.mockClear();
    services = new InProcessServices({ error } as unknown as Logger, clock);
    context = newCallContext({ requestId: 'r-1', budgetMs: 2_000 }, clock);
  });

  it('share nothing but what the schemas let through', async () => {
    const input = { amount_minor: '5', note: undefined, extra: 'dropped' };
    const value = { total: '5', secret: 'dropped' };
    let received: unknown;
    const result = await call(async (given, carried) => {
      received = [given, carried];
      return ok(value);
    }, input);
    expect(received).toEqual([{ amount_minor: '5' }, context]);
    expect(result).toEqual({ ok: true, value: { total: '5', tags: [] } });
  });

  it('bring expected failures back as values', async () => {
    const problem = {
      code: 'insufficient_balance',
      message: 'too little',
      faults: [{ detail: 'x', pointer: '/amount' }],
      transactionCode: 't',
    } as const;
    expect(await call(async () => fail(problem))).toEqual({ ok: false, error: problem });
  });

  it.each([
    ['input', { amount_minor: 5 }, async () => ok({ total: '5' })],
    ['answer', { amount_minor: '5' }, async () => ok({ total: 5 })],
    ['problem', { amount_minor: '5' }, async () => fail({ code: 'no_such_code', message: 'x' })],
  ])('call a broken %s a bug of ours, without its value', async (what, input, add) => {
    await expect(call(add as unknown as Handlers['add'], input)).rejects.toThrow(
      expect.objectContaining({
        name: 'ContractError',
        message: expect.stringMatching(new RegExp(`^ledger.add ${what} breaks its schema at \\w+: \\w+$`)),
      }),
    );
  });

  it('fail as unavailable when nobody answers for the service', async () => {
    await expect(services.client(ledgerApi).add({ amount_minor: '5' }, context)).rejects.toThrow(
      'ledger: not running here',
    );
  });

  it('hide a thrown error behind unavailable and log it once', async () => {
    const cause = new TypeError('a bug');
    const failed: unknown = await call(() => Promise.reject(cause)).catch((caught: unknown) => caught);
    expect(failed).toBeInstanceOf(ServiceUnavailableError);
    expect(failed).toMatchObject({ service: 'ledger', cause });
    expect(error).toHaveBeenCalledTimes(1);
  });

  it('do the same when the handler throws before it returns a promise', async () => {
    const failed = call(() => {
      throw new TypeError('a bug');
    });
    await expect(failed).rejects.toBeInstanceOf(ServiceUnavailableError);
  });

  it('pass on the failure of a further service unchanged', async () => {
    await expect(call(() => Promise.reject(new DeadlineExceededError('offramp', 'address')))).rejects.toThrow(
      'offramp.address: no answer before the deadline',
    );
    expect(error).not.toHaveBeenCalled();
  });

  it('do not begin after the deadline', async () => {
    const add = jest.fn<Handlers['add']>();
    clock.advance(2_000);
    await expect(call(add)).rejects.toBeInstanceOf(DeadlineExceededError);
    expect(add).not.toHaveBeenCalled();
  });

  it('give up at the deadline, and log what fails later', async () => {
    context = { ...context, deadline: clock.now().getTime() + 5 };
    let end: (error: Error) => void = () => undefined;
    const never = new Promise<never>((_, reject) => {
      end = reject;
    });
    await expect(call(() => never)).rejects.toThrow('ledger.add: no answer before the deadline');
    end(new Error('late'));
    await new Promise(setImmediate);
    expect(error).toHaveBeenCalledTimes(1);
  });

  it('refuse a second service of the same name', () => {
    services.register(ledgerApi, { add: async () => ok({ total: '1' }) });
    expect(() => services.register(ledgerApi, { add: async () => ok({ total: '2' }) })).toThrow('registered twice');
  });
});
