import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { operation, type InternalApi, type InternalClient, type InternalHandlers } from '@vuka/contracts';
import { fail, ok, type Problem } from '@vuka/domain';
import { type Health, type Logger, Metrics, systemClock } from '@vuka/runtime';
import { CuttableLink, until } from '@vuka/testing';
import { z } from 'zod';

import { newCallContext } from './call-context.js';
import { HttpServices } from './http-services.js';
import { startInternalServer, type InternalServer } from './internal-server.js';

const CREDENTIAL = 'x'.repeat(40);
const WITHIN = { withinMs: 10_000 };

jest.setTimeout(30_000);

const input = z.object({ id: z.string() });
const output = z.object({ did: z.string() });
const ledgerApi = {
  service: 'ledger',
  operations: {
    pay: operation(input, output, { idempotent: false }),
    find: operation(input, output, { idempotent: true }),
    accept: operation(input, output, { idempotent: true, commits: true }),
  },
} as const satisfies InternalApi;
type Handlers = InternalHandlers<typeof ledgerApi>;
type Ledger = InternalClient<typeof ledgerApi>;

describe('calls over HTTP in trouble', () => {
  let link: CuttableLink;
  let server: InternalServer;
  let services: HttpServices;
  let ledger: Ledger;
  let health: Health;
  /** What was done, by id, each time it was done. */
  let done: string[];
  let handle: (id: string) => Promise<Problem | undefined | void>;
  const errors = jest.fn();
  const log = { error: errors, warn: () => undefined, info: () => undefined } as unknown as Logger;

  const handler: Handlers['pay'] = async ({ id }) => {
    done.push(id);
    const refusal = await handle(id);
    return refusal === undefined ? ok({ did: id }) : fail(refusal);
  };
  const start = (options: { maxInFlight?: number } = {}): Promise<InternalServer> =>
    startInternalServer({
      service: 'ledger',
      host: '127.0.0.1',
      port: 0,
      api: ledgerApi,
      handlers: { pay: handler, find: handler, accept: handler },
      accept: [{ caller: 'gateway', credential: CREDENTIAL }],
      health: async () => health,
      metrics: new Metrics('ledger'),
      log,
      clock: systemClock,
      ...options,
    });
  const portOf = ({ baseUrl }: InternalServer): number => Number(new URL(baseUrl).port);
  const use = (url: string, extra: { credential?: string; connectionLifeMs?: number } = {}): Ledger => {
    services = new HttpServices({
      urls: { ledger: url },
      credential: CREDENTIAL,
      log,
      clock: systemClock,
      metrics: new Metrics('gateway'),
      ...extra,
    });
    return services.client(ledgerApi);
  };
  const context = (budgetMs = 2_000) => newCallContext({ budgetMs });
  const outcome = (call: Promise<unknown>): Promise<unknown> => call.catch((error: unknown) => error);
  const times = (id: string): number => done.filter((one) => one === id).length;

  beforeEach(async () => {
    done = [];
    handle = async () => undefined;
    health = { ready: true, services: { ledger: 'ready' } };
    errors.mockClear();
    server = await start();
    link = new CuttableLink(portOf(server));
    await link.join();
    ledger = use(link.url);
  });

  afterEach(async () => {
    await link.cut();
    await services.close();
    await server.stop();
  });

  it('say that nothing was sent where nobody takes the connection, for all who wait', async () => {
    await link.cut();
    const failed = await Promise.all(
      Array.from({ length: 300 }, (_, n) => outcome(ledger.pay({ id: String(n) }, context()))),
    );
    expect(
      new Set(failed.map((error) => JSON.stringify([(error as Error).name, (error as { sent?: boolean }).sent]))),
    ).toEqual(new Set(['["ServiceUnavailableError",false]']));
    expect((failed[0] as Error).message).toBe('ledger: no connection (ECONNREFUSED)');
    expect(done).toEqual([]);
  });

  it('send what must not be done twice once, and leave open what became of it when the answer is lost', async () => {
    link.mood = 'lose-answers';
    expect(await outcome(ledger.pay({ id: 'a' }, context()))).toMatchObject({
      name: 'ServiceUnavailableError',
      sent: true,
    });
    expect(done).toEqual(['a']);
  });

  it('send what may be done twice once more, over a new connection and none of those that may be as stale', async () => {
    let release: () => void = () => undefined;
    handle = (id) => (id === 'held' ? new Promise((resolve) => (release = resolve)) : Promise.resolve());
    const held = ledger.find({ id: 'held' }, context());
    await until(() => times('held') === 1, { ...WITHIN, what: 'the held call' });
    handle = async () => {
      if (times('a') === 1) {
        // Its connection is free by the time at which this one is lost.
        release();
        await held;
      }
      link.mood = times('a') === 1 ? 'lose-answers' : 'pass';
    };
    expect(await ledger.find({ id: 'a' }, context())).toEqual({ ok: true, value: { did: 'a' } });
    expect(times('a')).toBe(2);
    expect(link.sent.map((bytes) => bytes.split('POST ').length - 1)).toEqual([1, 1, 1]);
  });

  it('do not try a third time, and remember that the first may have been done', async () => {
    link.mood = 'lose-answers';
    expect(await outcome(ledger.find({ id: 'a' }, context()))).toMatchObject({
      name: 'ServiceUnavailableError',
      sent: true,
    });
    expect(done).toEqual(['a', 'a']);
    link.mood = 'pass';
    handle = async (id) => (id === 'b' ? link.cut() : undefined);
    const lost = await outcome(ledger.find({ id: 'b' }, context()));
    expect(lost).toMatchObject({
      name: 'ServiceUnavailableError',
      message: 'ledger: no connection (ECONNREFUSED)',
      sent: true,
    });
    expect(times('b')).toBe(1);
  });

  it('take no refusal of the second try for the last word on what the first may still commit', async () => {
    const poor: Problem = { code: 'insufficient_balance', message: 'The wallet does not cover it' };
    handle = async (id) => {
      link.mood = times(id) === 1 ? 'lose-answers' : 'pass';
      return times(id) === 1 ? undefined : poor;
    };
    expect(await outcome(ledger.accept({ id: 'a' }, context()))).toMatchObject({
      name: 'ServiceUnavailableError',
      sent: true,
    });
    expect(times('a')).toBe(2);
    // What changes nothing is as the second try says; and a refusal of the first try is one.
    expect(await ledger.find({ id: 'b' }, context())).toEqual({ ok: false, error: poor });
    handle = async () => poor;
    expect(await ledger.accept({ id: 'c' }, context())).toEqual({ ok: false, error: poor });
  });

  it('are never silently sent a second time, whenever the connection goes', async () => {
    const turns = async (count: number): Promise<void> => {
      for (let n = 0; n < count; n++) await new Promise(setImmediate);
    };
    const seen = new Set<string>();
    for (let round = 0; round < 120; round++) {
      const id = String(round);
      await outcome(ledger.find({ id: `warm ${id}` }, context()));
      if (round % 2 === 0) link.drop();
      await turns(round % 3);
      const paid = outcome(ledger.pay({ id }, context()));
      await turns(round % 8);
      if (round % 2 === 1) link.drop();
      const result = (await paid) as { ok?: boolean; sent?: boolean };
      await until(() => link.open === 0 || result.ok === true || link.open <= 2, {
        ...WITHIN,
        what: 'the end of the connection',
      });
      const told = result.ok === true ? 'done' : result.sent === true ? 'open' : 'not done';
      seen.add(told);
      expect(times(id)).toBeLessThanOrEqual(1);
      if (told === 'done') expect(times(id)).toBe(1);
      if (told === 'not done') expect(times(id)).toBe(0);
      // The circuit has its say about so many losses, which is not what is asked here.
      if (round % 4 === 3) {
        await services.close();
        ledger = use(link.url);
      }
    }
    expect([...seen].sort()).toEqual(expect.arrayContaining(['done', 'open']));
  });

  it('survive a connection that the other side closed while it was idle', async () => {
    for (let n = 0; n < 20; n++) {
      expect(await ledger.find({ id: `idle ${String(n)}` }, context())).toMatchObject({ ok: true });
      link.drop();
      expect(await ledger.find({ id: `again ${String(n)}` }, context())).toMatchObject({ ok: true });
    }
  });

  it('end at the deadline where nothing comes back, and say what was sent and what still waited for a connection', async () => {
    link.mood = 'silence';
    const asked = Array.from({ length: 70 }, (_, n) =>
      outcome(ledger.pay({ id: String(n) }, context(n < 64 ? 800 : 300))),
    );
    const failed = (await Promise.all(asked)) as { name: string; sent: boolean }[];
    expect(failed.map(({ name, sent }) => [name, sent])).toEqual(
      failed.map((_, n) => ['DeadlineExceededError', n < 64]),
    );
    // undici connects anew for each that was given up, and finds that there is nothing to send.
    link.drop();
    link.mood = 'pass';
    await until(async () => (await ledger.pay({ id: 'after' }, context())).ok, {
      ...WITHIN,
      what: 'calls to go again',
    });
    // None that was given up while it waited was sent later.
    expect(done).toEqual(['after']);
  });

  it('are refused before anything is done where there is too much to do, and go again where they may', async () => {
    await server.stop();
    server = await start({ maxInFlight: 1 });
    await link.cut();
    await link.join(portOf(server));
    let release: () => void = () => undefined;
    handle = (id) => (id === 'first' ? new Promise((resolve) => (release = resolve)) : Promise.resolve());
    const first = ledger.pay({ id: 'first' }, context());
    await until(() => done.length === 1, { ...WITHIN, what: 'the first call' });
    expect(await outcome(ledger.pay({ id: 'second' }, context()))).toMatchObject({
      name: 'ServiceUnavailableError',
      message: 'ledger: it has too much to do',
      sent: false,
    });
    const before = link.sent.length;
    const third = ledger.find({ id: 'third' }, context());
    // The second try is on its way: the first one was refused.
    await until(() => link.sent.length > before, { ...WITHIN, what: 'the second try' });
    release();
    await first;
    await outcome(third);
    expect(times('second')).toBe(0);
    expect(await ledger.find({ id: 'fourth' }, context())).toMatchObject({ ok: true });
    expect(services.states()).toEqual({ ledger: true });
  });

  it('stop for a service that is away, and go on within seconds of its return at the same address, from another process', async () => {
    await ledger.find({ id: 'before' }, context());
    await link.cut();
    for (let n = 0; n < 12; n++) await outcome(ledger.pay({ id: 'away' }, context()));
    expect(services.states()['ledger']).toMatch(/^not called, because it does not answer/);
    expect(await outcome(ledger.find({ id: 'away' }, context()))).toMatchObject({
      name: 'ServiceUnavailableError',
      sent: false,
    });
    expect(
      errors.mock.calls.filter(([fields]) => (fields as { code?: string }).code === 'service_unreachable'),
    ).toHaveLength(1);
    await server.stop();
    server = await start();
    await link.join(portOf(server));
    await until(async () => (await ledger.find({ id: 'back' }, context())).ok, {
      ...WITHIN,
      what: 'calls to go again',
    });
    expect(services.states()).toEqual({ ledger: true });
    expect(times('away')).toBe(0);
  });

  it('use no connection longer than its life, so that an address that moved is followed', async () => {
    await services.close();
    ledger = use(link.url, { connectionLifeMs: 100 });
    const other = await start();
    await ledger.find({ id: 'here' }, context());
    const old = link.sent.length;
    await until(async () => (await ledger.find({ id: 'here' }, context())).ok && link.sent.length > old, {
      ...WITHIN,
      what: 'a new connection',
    });
    await other.stop();
  });

  it('know a wrong credential from an outage, and say so once', async () => {
    await services.close();
    ledger = use(link.url, { credential: 'y'.repeat(40) });
    for (let n = 0; n < 15; n++) {
      expect(await outcome(ledger.find({ id: 'a' }, context()))).toMatchObject({
        message: 'ledger: our credential is not accepted',
        sent: false,
      });
    }
    expect(done).toEqual([]);
    expect(services.states()).toEqual({ ledger: true });
    expect(errors.mock.calls).toEqual([
      [{ code: 'internal_credential_refused', callee: 'ledger' }, expect.any(String)],
    ]);
  });

  it('know an operation that the other side has not got yet', async () => {
    const newer = {
      service: 'ledger',
      operations: { ...ledgerApi.operations, refund: operation(input, output, { idempotent: true }) },
    } as const;
    const failed = await outcome(services.client(newer).refund({ id: 'a' }, context()));
    expect(failed).toMatchObject({
      name: 'ServiceUnavailableError',
      message: 'ledger: it does not know this operation',
      sent: false,
    });
  });

  it('call an answer without end a bug of ours, and read no further', async () => {
    handle = async (id) => void done.push(id);
    const huge: InternalServer = await startInternalServer({
      service: 'ledger',
      host: '127.0.0.1',
      port: 0,
      api: ledgerApi,
      handlers: { pay: handler, accept: handler, find: async () => ok({ did: 'x'.repeat(9_000_000) }) },
      accept: [{ caller: 'gateway', credential: CREDENTIAL }],
      health: async () => health,
      metrics: new Metrics('ledger'),
      log,
      clock: systemClock,
    });
    await services.close();
    ledger = use(huge.baseUrl);
    expect(await outcome(ledger.find({ id: 'a' }, context()))).toMatchObject({
      name: 'ContractError',
      message: expect.stringContaining('answer is too long'),
    });
    expect(services.states()).toEqual({ ledger: true });
    await services.close();
    await huge.stop();
  });

  it('let what is under way end when this process stops, and begin nothing more', async () => {
    let release: () => void = () => undefined;
    handle = () => new Promise((resolve) => (release = resolve));
    const running = ledger.pay({ id: 'last' }, context());
    await until(() => done.length === 1, { ...WITHIN, what: 'the call' });
    const closed = services.close();
    expect(await outcome(ledger.pay({ id: 'more' }, context()))).toMatchObject({
      name: 'ServiceUnavailableError',
      sent: false,
    });
    release();
    expect(await running).toEqual({ ok: true, value: { did: 'last' } });
    await closed;
    expect(done).toEqual(['last']);
  });

  it('tell what each service says of itself, and keep it for a second', async () => {
    health = { ready: false, services: { ledger: 'ready', database: 'no answer in 1000 ms' } };
    expect(await services.checks()).toEqual({ ledger: 'database: no answer in 1000 ms' });
    health = { ready: true, services: { ledger: 'ready' } };
    expect(await services.checks()).toEqual({ ledger: 'database: no answer in 1000 ms' });
    await until(async () => (await services.checks())['ledger'] === true, { ...WITHIN, what: 'a new look' });
    await link.cut();
    await until(async () => (await services.checks())['ledger'] === 'no connection (ECONNREFUSED)', {
      ...WITHIN,
      what: 'the outage',
    });
  });

  describe('with something between that is none of ours', () => {
    let stranger: Server;
    const answerWith = async (listener: RequestListener): Promise<Ledger> => {
      stranger = createServer(listener);
      await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve));
      await services.close();
      return use(`http://127.0.0.1:${String((stranger.address() as AddressInfo).port)}`);
    };

    afterEach(() => {
      stranger.closeAllConnections();
      stranger.close();
    });

    it.each([
      ['a gateway’s page', 502, '<html>'],
      ['text', 200, 'OK'],
      ['JSON of another kind', 200, '{"status":"ok"}'],
      ['nothing', 204, ''],
    ])('take %s for no answer', async (_what, status, text) => {
      ledger = await answerWith(
        (request, response) => void request.resume().on('end', () => response.writeHead(status).end(text)),
      );
      const failed = await outcome(ledger.pay({ id: 'a' }, context()));
      expect(failed).toMatchObject({
        name: 'ServiceUnavailableError',
        message: `ledger: an answer that is none of ours (HTTP ${String(status)})`,
        sent: true,
      });
    });

    it('take half an answer for none', async () => {
      let asked = 0;
      ledger = await answerWith((request, response) => {
        asked += 1;
        request.resume().on('end', () => {
          response.writeHead(200, { 'content-length': '1000' }).write('{"ok":true');
          response.socket?.end();
        });
      });
      expect(await outcome(ledger.pay({ id: 'a' }, context()))).toMatchObject({
        name: 'ServiceUnavailableError',
        sent: true,
      });
      expect(asked).toBe(1);
    });
  });
});
