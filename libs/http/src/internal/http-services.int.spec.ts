import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { operation } from '@vuka/contracts';
import { ok } from '@vuka/domain';
import { until } from '@vuka/testing';

import {
  LedgerScene,
  WITHIN,
  context,
  input,
  ledgerApi,
  outcome,
  output,
  portOf,
  type Ledger,
} from './http-services.spec-support.js';

jest.setTimeout(30_000);

describe('calls over HTTP in trouble', () => {
  const scene = new LedgerScene();
  beforeEach(() => scene.start());
  afterEach(() => scene.stop());

  it('end at the deadline where nothing comes back, and say what was sent and what still waited for a connection', async () => {
    scene.link.mood = 'silence';
    const asked = Array.from({ length: 70 }, (_, n) =>
      outcome(scene.ledger.pay({ id: String(n) }, context(n < 64 ? 800 : 300))),
    );
    const failed = (await Promise.all(asked)) as { name: string; sent: boolean }[];
    expect(failed.map(({ name, sent }) => [name, sent])).toEqual(
      failed.map((_, n) => ['DeadlineExceededError', n < 64]),
    );
    // undici connects anew for each that was given up, and finds that there is nothing to send.
    scene.link.drop();
    scene.link.mood = 'pass';
    await until(async () => (await scene.ledger.pay({ id: 'after' }, context())).ok, {
      ...WITHIN,
      what: 'calls to go again',
    });
    // None that was given up while it waited was sent later.
    expect(scene.done).toEqual(['after']);
  });

  it('are refused before anything is done where there is too much to do, and go again where they may', async () => {
    await scene.server.stop();
    scene.server = await scene.serve({ maxInFlight: 1 });
    await scene.link.cut();
    await scene.link.join(portOf(scene.server));
    let release: () => void = () => undefined;
    scene.handle = (id) => (id === 'first' ? new Promise((resolve) => (release = resolve)) : Promise.resolve());
    const first = scene.ledger.pay({ id: 'first' }, context());
    await until(() => scene.done.length === 1, { ...WITHIN, what: 'the first call' });
    expect(await outcome(scene.ledger.pay({ id: 'second' }, context()))).toMatchObject({
      name: 'ServiceUnavailableError',
      message: 'ledger: it has too much to do',
      sent: false,
    });
    const before = scene.link.sent.length;
    const third = scene.ledger.find({ id: 'third' }, context());
    // The second try is on its way: the first one was refused.
    await until(() => scene.link.sent.length > before, { ...WITHIN, what: 'the second try' });
    release();
    await first;
    await outcome(third);
    expect(scene.times('second')).toBe(0);
    expect(await scene.ledger.find({ id: 'fourth' }, context())).toMatchObject({ ok: true });
    expect(scene.services.states()).toEqual({ ledger: true });
  });

  it('stop for a service that is away, and go on within seconds of its return at the same address, from another process', async () => {
    await scene.ledger.find({ id: 'before' }, context());
    await scene.link.cut();
    for (let n = 0; n < 12; n++) await outcome(scene.ledger.pay({ id: 'away' }, context()));
    expect(scene.services.states()['ledger']).toMatch(/^not called, because it does not answer/);
    expect(await outcome(scene.ledger.find({ id: 'away' }, context()))).toMatchObject({
      name: 'ServiceUnavailableError',
      sent: false,
    });
    expect(
      scene.errors.mock.calls.filter(([fields]) => (fields as { code?: string }).code === 'service_unreachable'),
    ).toHaveLength(1);
    await scene.server.stop();
    scene.server = await scene.serve();
    await scene.link.join(portOf(scene.server));
    await until(async () => (await scene.ledger.find({ id: 'back' }, context())).ok, {
      ...WITHIN,
      what: 'calls to go again',
    });
    expect(scene.services.states()).toEqual({ ledger: true });
    expect(scene.times('away')).toBe(0);
  });

  it('use no connection longer than its life, so that an address that moved is followed', async () => {
    await scene.services.close();
    scene.ledger = scene.use(scene.link.url, { connectionLifeMs: 100 });
    const other = await scene.serve();
    await scene.ledger.find({ id: 'here' }, context());
    const old = scene.link.sent.length;
    await until(async () => (await scene.ledger.find({ id: 'here' }, context())).ok && scene.link.sent.length > old, {
      ...WITHIN,
      what: 'a new connection',
    });
    await other.stop();
  });

  it('know a wrong credential from an outage, and say so once', async () => {
    await scene.services.close();
    scene.ledger = scene.use(scene.link.url, { credential: 'y'.repeat(40) });
    for (let n = 0; n < 15; n++) {
      expect(await outcome(scene.ledger.find({ id: 'a' }, context()))).toMatchObject({
        message: 'ledger: our credential is not accepted',
        sent: false,
      });
    }
    expect(scene.done).toEqual([]);
    expect(scene.services.states()).toEqual({ ledger: true });
    expect(scene.errors.mock.calls).toEqual([
      [{ code: 'internal_credential_refused', callee: 'ledger' }, expect.any(String)],
    ]);
  });

  it('know an operation that the other side has not got yet', async () => {
    const newer = {
      service: 'ledger',
      operations: {
        ...ledgerApi.operations,
        refund: operation(input, output, { summary: 'Of a test', errors: {}, idempotent: true }),
      },
    } as const;
    const failed = await outcome(scene.services.client(newer).refund({ id: 'a' }, context()));
    expect(failed).toMatchObject({
      name: 'ServiceUnavailableError',
      message: 'ledger: it does not know this operation',
      sent: false,
    });
  });

  it('call an answer without end a bug of ours, and read no further', async () => {
    scene.handle = async (id) => void scene.done.push(id);
    const huge = await scene.serve({
      handlers: { pay: scene.handler, accept: scene.handler, find: async () => ok({ did: 'x'.repeat(9_000_000) }) },
    });
    await scene.services.close();
    scene.ledger = scene.use(huge.baseUrl);
    expect(await outcome(scene.ledger.find({ id: 'a' }, context()))).toMatchObject({
      name: 'ContractError',
      message: expect.stringContaining('answer is too long'),
    });
    expect(scene.services.states()).toEqual({ ledger: true });
    await scene.services.close();
    await huge.stop();
  });

  it('let what is under way end when this process stops, and begin nothing more', async () => {
    let release: () => void = () => undefined;
    scene.handle = () => new Promise((resolve) => (release = resolve));
    const running = scene.ledger.pay({ id: 'last' }, context());
    await until(() => scene.done.length === 1, { ...WITHIN, what: 'the call' });
    const closed = scene.services.close();
    expect(await outcome(scene.ledger.pay({ id: 'more' }, context()))).toMatchObject({
      name: 'ServiceUnavailableError',
      sent: false,
    });
    release();
    expect(await running).toEqual({ ok: true, value: { did: 'last' } });
    await closed;
    expect(scene.done).toEqual(['last']);
  });

  it('tell what each service says of itself, and keep it for a second', async () => {
    scene.health = { ready: false, services: { ledger: 'ready', database: 'no answer in 1000 ms' } };
    expect(await scene.services.checks()).toEqual({ ledger: 'database: no answer in 1000 ms' });
    scene.health = { ready: true, services: { ledger: 'ready' } };
    expect(await scene.services.checks()).toEqual({ ledger: 'database: no answer in 1000 ms' });
    await until(async () => (await scene.services.checks())['ledger'] === true, { ...WITHIN, what: 'a new look' });
    await scene.link.cut();
    await until(async () => (await scene.services.checks())['ledger'] === 'no connection (ECONNREFUSED)', {
      ...WITHIN,
      what: 'the outage',
    });
  });

  describe('with something between that is none of ours', () => {
    let stranger: Server;
    const answerWith = async (listener: RequestListener): Promise<Ledger> => {
      stranger = createServer(listener);
      await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve));
      await scene.services.close();
      return scene.use(`http://127.0.0.1:${String((stranger.address() as AddressInfo).port)}`);
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
      scene.ledger = await answerWith(
        (request, response) => void request.resume().on('end', () => response.writeHead(status).end(text)),
      );
      const failed = await outcome(scene.ledger.pay({ id: 'a' }, context()));
      expect(failed).toMatchObject({
        name: 'ServiceUnavailableError',
        message: `ledger: an answer that is none of ours (HTTP ${String(status)})`,
        sent: true,
      });
    });

    it('take half an answer for none', async () => {
      let asked = 0;
      scene.ledger = await answerWith((request, response) => {
        asked += 1;
        request.resume().on('end', () => {
          response.writeHead(200, { 'content-length': '1000' }).write('{"ok":true');
          response.socket?.end();
        });
      });
      expect(await outcome(scene.ledger.pay({ id: 'a' }, context()))).toMatchObject({
        name: 'ServiceUnavailableError',
        sent: true,
      });
      expect(asked).toBe(1);
    });
  });
});
