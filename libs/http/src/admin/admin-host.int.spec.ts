import { afterEach, describe, expect, it } from '@jest/globals';
import { acts, reasonGiven } from '@vuka/contracts';
import { type Logger, Metrics, systemClock } from '@vuka/runtime';
import { until } from '@vuka/testing';

import { startInternalServer, type InternalServer } from '../internal/server/internal-server.js';
import { credentialHash } from '../internal/server/accepted-callers.js';
import { AdminHost } from './admin-host.js';
import { operatorDoor } from './operator-door.js';

const CREDENTIAL = 'the-credential-of-Asha-0123456789abcdef';
const log = {
  error: () => undefined,
  warn: () => undefined,
  info: () => undefined,
  debug: () => undefined,
} as unknown as Logger;

describe('an admin API behind an internal server', () => {
  let server: InternalServer | undefined;
  afterEach(() => server?.stop());

  const start = async (admin: Pick<AdminHost, 'call'>): Promise<string> => {
    server = await startInternalServer({
      service: 'payments',
      host: '127.0.0.1',
      port: 0,
      accept: [],
      people: operatorDoor(async () => [{ name: 'Asha', role: 'money', credentialSha256: credentialHash(CREDENTIAL) }]),
      admins: { payments: admin },
      health: async () => ({ ready: true, services: {} }),
      metrics: new Metrics('payments'),
      log,
      clock: systemClock,
    });
    return server.baseUrl;
  };
  const ask = async (url: string, reason: string, withinMs: number): Promise<number> => {
    const headers = {
      authorization: `Bearer ${CREDENTIAL}`,
      'content-type': 'application/json',
      'x-vuka-deadline-ms': String(withinMs),
    };
    const answer = await fetch(`${url}/internal/admin`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ service: 'payments', method: 'fund', args: [{ reason, by: 'Asha' }] }),
    });
    await answer.body?.cancel();
    return answer.status;
  };

  it('drops a waiting command when its caller was told that it failed', async () => {
    const done: string[] = [];
    let goOn: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (goOn = resolve));
    const fund = acts({ reason: reasonGiven }, async ({ reason }) => {
      done.push(reason);
      if (reason === 'first') await held;
    });
    const host = new AdminHost({
      service: 'payments',
      open: async () => ({ methods: { fund }, missingMigrations: async () => [], close: async () => undefined }),
      log,
    });
    const url = await start(host);
    const first = ask(url, 'first', 30_000);
    await until(() => done.includes('first'), { what: 'the first is at work', withinMs: 10_000 });
    expect(await ask(url, 'late', 50)).toBe(504);
    goOn();
    expect(await first).toBe(200);
    expect(await ask(url, 'next', 30_000)).toBe(200);
    expect(done).toEqual(['first', 'next']);
    await host.close();
  });

  it('closes in time with commands at work: their callers get an unknown outcome, and no waiting command starts', async () => {
    const begun: string[] = [];
    let [asked, closed] = [0, false];
    const fund = acts({ reason: reasonGiven }, async ({ reason }) => {
      begun.push(reason);
      await new Promise(() => undefined);
    });
    const host = new AdminHost({
      service: 'payments',
      open: async () => ({
        methods: { fund },
        missingMigrations: async () => [],
        close: async () => void (closed = true),
      }),
      log,
      drainMs: 20,
    });
    const url = await start({ call: (...call) => ((asked += 1), host.call(...call)) });
    const [first, second] = [ask(url, 'first', 30_000), ask(url, 'second', 30_000)];
    await until(() => begun.length === 1 && asked === 2, {
      what: 'one is at work and the other waits',
      withinMs: 10_000,
    });
    await Promise.all([host.close(), server?.stop()]);
    expect(await Promise.all([first, second])).toEqual([500, 500]);
    expect([begun.length, closed]).toEqual([1, true]);
  });
});
