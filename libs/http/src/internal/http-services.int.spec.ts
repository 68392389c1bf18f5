import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { operation } from '@vuka/contracts';
import { ok } from '@vuka/domain';
import { until } from '@vuka/testing';

import {
  LedgerFixture,
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
  const fixture = new LedgerFixture();
  beforeEach(() => fixture.start());
  afterEach(() => fixture.stop());

  it('end at the deadline where nothing comes back, and say what was sent and what still waited for a connection', async () => {
    fixture.link.mood = 'silence';
    const asked = Array.from({ length: 70 }, (_, n) =>
      outcome(fixture.ledger.pay({ id: String(n) }, context(n < 64 ? 800 : 300))),
    );
    const failed = (await Promise.all(asked)) as { name: string; sent: boolean }[];
    expect(failed.map(({ name, sent }) => [name, sent])).toEqual(
      failed.map((_, n) => ['DeadlineExceededError', n < 64]),
    );
    // undici opens a connection for each request that was given up.
    fixture.link.drop();
    fixture.link.mood = 'pass';
    await until(async () => (await fixture.ledger.pay({ id: 'after' }, context())).ok, {
      ...WITHIN,
      what: 'calls to go again',
    });
    expect(fixture.done).toEqual(['after']);
  });

  it('are refused before any work under overload, and repeated if allowed', async () => {
    await fixture.server.stop();
    fixture.server = await fixture.serve({ maxInFlight: 1 });
    await fixture.link.cut();
    await fixture.link.join(portOf(fixture.server));
    let release: () => void = () => undefined;
    fixture.handle = (id) => (id === 'first' ? new Promise((resolve) => (release = resolve)) : Promise.resolve());
    const first = fixture.ledger.pay({ id: 'first' }, context());
    await until(() => fixture.done.length === 1, { ...WITHIN, what: 'the first call' });
    expect(await outcome(fixture.ledger.pay({ id: 'second' }, context()))).toMatchObject({
      name: 'ServiceUnavailableError',
      message: 'ledger: it is busy',
      sent: false,
    });
    const before = fixture.link.sent.length;
    const third = fixture.ledger.find({ id: 'third' }, context());
    await until(() => fixture.link.sent.length > before, { ...WITHIN, what: 'the second try' });
    release();
    await first;
    await outcome(third);
    expect(fixture.times('second')).toBe(0);
    expect(await fixture.ledger.find({ id: 'fourth' }, context())).toMatchObject({ ok: true });
    expect(fixture.services.states()).toEqual({ ledger: true });
  });

  it('stop for a service that is away, and go on within seconds of its return at the same address, from another process', async () => {
    await fixture.ledger.find({ id: 'before' }, context());
    await fixture.link.cut();
    for (let n = 0; n < 12; n++) await outcome(fixture.ledger.pay({ id: 'away' }, context()));
    expect(fixture.services.states()['ledger']).toMatch(/^not called, because it does not answer/);
    expect(await outcome(fixture.ledger.find({ id: 'away' }, context()))).toMatchObject({
      name: 'ServiceUnavailableError',
      sent: false,
    });
    expect(
      fixture.errors.mock.calls.filter(([fields]) => (fields as { code?: string }).code === 'service_unreachable'),
    ).toHaveLength(1);
    await fixture.server.stop();
    fixture.server = await fixture.serve();
    await fixture.link.join(portOf(fixture.server));
    await until(async () => (await fixture.ledger.find({ id: 'back' }, context())).ok, {
      ...WITHIN,
      what: 'calls to go again',
    });
    expect(fixture.services.states()).toEqual({ ledger: true });
    expect(fixture.times('away')).toBe(0);
  });

  it('use no connection longer than its life, so that an address that moved is followed', async () => {
    await fixture.services.close();
    fixture.ledger = fixture.use(fixture.link.url, { connectionLifeMs: 100 });
    const other = await fixture.serve();
    await fixture.ledger.find({ id: 'here' }, context());
    const old = fixture.link.sent.length;
    await until(
      async () => (await fixture.ledger.find({ id: 'here' }, context())).ok && fixture.link.sent.length > old,
      {
        ...WITHIN,
        what: 'a new connection',
      },
    );
    await other.stop();
  });

  it('separate a wrong credential from an outage, and log it once', async () => {
    await fixture.services.close();
    fixture.ledger = fixture.use(fixture.link.url, { credential: 'y'.repeat(40) });
    for (let n = 0; n < 15; n++) {
      expect(await outcome(fixture.ledger.find({ id: 'a' }, context()))).toMatchObject({
        message: 'ledger: the service refuses our credential',
        sent: false,
      });
    }
    expect(fixture.done).toEqual([]);
    expect(fixture.services.states()).toEqual({ ledger: true });
    expect(fixture.errors.mock.calls).toEqual([
      [{ code: 'internal_credential_refused', callee: 'ledger' }, expect.any(String)],
    ]);
  });

  it('recognise an operation that the other side does not know yet', async () => {
    const newer = {
      service: 'ledger',
      operations: {
        ...ledgerApi.operations,
        refund: operation(input, output, { summary: 'Of a test', errors: {}, callers: ['gateway'], idempotent: true }),
      },
    } as const;
    const failed = await outcome(fixture.services.client(newer).refund({ id: 'a' }, context()));
    expect(failed).toMatchObject({
      name: 'ServiceUnavailableError',
      message: 'ledger: it does not know this operation',
      sent: false,
    });
  });

  it('treat an endless answer as our bug, and stop reading', async () => {
    fixture.handle = async (id) => void fixture.done.push(id);
    const huge = await fixture.serve({
      handlers: { pay: fixture.handler, accept: fixture.handler, find: async () => ok({ did: 'x'.repeat(9_000_000) }) },
    });
    await fixture.services.close();
    fixture.ledger = fixture.use(huge.baseUrl);
    expect(await outcome(fixture.ledger.find({ id: 'a' }, context()))).toMatchObject({
      name: 'ContractError',
      message: expect.stringContaining('answer is too long'),
    });
    expect(fixture.services.states()).toEqual({ ledger: true });
    await fixture.services.close();
    await huge.stop();
  });

  it('finish running calls when the process stops, and start no more', async () => {
    let release: () => void = () => undefined;
    fixture.handle = () => new Promise((resolve) => (release = resolve));
    const running = fixture.ledger.pay({ id: 'last' }, context());
    await until(() => fixture.done.length === 1, { ...WITHIN, what: 'the call' });
    const closed = fixture.services.close();
    expect(await outcome(fixture.ledger.pay({ id: 'more' }, context()))).toMatchObject({
      name: 'ServiceUnavailableError',
      sent: false,
    });
    release();
    expect(await running).toEqual({ ok: true, value: { did: 'last' } });
    await closed;
    expect(fixture.done).toEqual(['last']);
  });

  it('tell what each service says of itself, and keep it for a second', async () => {
    fixture.health = { ready: false, services: { ledger: 'ready', database: 'no answer in 1000 ms' } };
    expect(await fixture.services.checks()).toEqual({ ledger: 'database: no answer in 1000 ms' });
    fixture.health = { ready: true, services: { ledger: 'ready' } };
    expect(await fixture.services.checks()).toEqual({ ledger: 'database: no answer in 1000 ms' });
    await until(async () => (await fixture.services.checks())['ledger'] === true, { ...WITHIN, what: 'a new look' });
    await fixture.link.cut();
    await until(async () => (await fixture.services.checks())['ledger'] === 'no connection (ECONNREFUSED)', {
      ...WITHIN,
      what: 'the outage',
    });
  });

  describe('with something between that is none of ours', () => {
    let stranger: Server;
    const answerWith = async (listener: RequestListener): Promise<Ledger> => {
      stranger = createServer(listener);
      await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve));
      await fixture.services.close();
      return fixture.use(`http://127.0.0.1:${String((stranger.address() as AddressInfo).port)}`);
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
      fixture.ledger = await answerWith(
        (request, response) => void request.resume().on('end', () => response.writeHead(status).end(text)),
      );
      const failed = await outcome(fixture.ledger.pay({ id: 'a' }, context()));
      expect(failed).toMatchObject({
        name: 'ServiceUnavailableError',
        message: `ledger: the answer is not from a Vuka service (HTTP ${String(status)})`,
        sent: true,
      });
    });

    it('take half an answer for none', async () => {
      let asked = 0;
      fixture.ledger = await answerWith((request, response) => {
        asked += 1;
        request.resume().on('end', () => {
          response.writeHead(200, { 'content-length': '1000' }).write('{"ok":true');
          response.socket?.end();
        });
      });
      expect(await outcome(fixture.ledger.pay({ id: 'a' }, context()))).toMatchObject({
        name: 'ServiceUnavailableError',
        sent: true,
      });
      expect(asked).toBe(1);
    });
  });
});
