import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';

import { isConnectionError } from './database-errors.js';
import { Database } from './database.js';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '../embedded/embedded-postgres.js';
import { ask, log, temporaryFolder, until } from '../embedded/embedded-postgres.spec-support.js';
import type { LockSession } from './lock-session.js';
import { bringCluster } from '../embedded/ready-cluster.js';
import { ensureServiceLogins } from '../service-logins.js';

let work: string;
let server: EmbeddedPostgres;
let db: Database;
const open: LockSession[] = [];

const databaseAt = (port: number): Promise<Database> =>
  Database.connect({
    host: '127.0.0.1',
    port,
    user: 'vuka_payments',
    password: 'payments-password-1',
    database: 'vuka',
    schema: 'payments',
    maxConnections: 2,
    migrations: [],
    applicationName: 'payments',
    statementTimeoutMs: 1_000,
    log,
  });
const take = async (lock = 'work', from = db): Promise<LockSession | null> => {
  const session = await from.lockSession(lock);
  if (session !== null) open.push(session);
  return session;
};
const holders = async (): Promise<number[]> =>
  (await ask<{ pid: number }>(server, "select pid from pg_stat_activity where application_name = 'payments lock'")).map(
    ({ pid }) => pid,
  );

beforeAll(async () => {
  work = await temporaryFolder();
  await bringCluster(join(work, 'pg'));
  server = await startEmbeddedPostgres({ folder: join(work, 'pg'), durable: false, log });
  await ensureServiceLogins(server, 'vuka', [{ name: 'payments', password: 'payments-password-1' }]);
  db = await databaseAt(server.port);
}, 60_000);

afterEach(async () => {
  await Promise.all(open.splice(0).map((session) => session.close()));
  await until(async () => (await holders()).length === 0);
});

afterAll(async () => {
  await db.close();
  await server.stop();
  await rm(work, { recursive: true, force: true });
}, 60_000);

describe('a lock of which there is one', () => {
  it('belongs to its holder until the release, and a refused process keeps no connection', async () => {
    const first = await take();
    expect(first).not.toBeNull();
    expect(await take()).toBeNull();
    expect(await take('other work')).not.toBeNull();
    await until(async () => (await holders()).length === 2);
    await first!.close();
    await first!.lost;
    await until(async () => (await take()) !== null);
  });

  it('is lost with its connection: waiting callers get the error, and nothing is thrown elsewhere', async () => {
    const first = (await take())!;
    const slow = first.query('select pg_sleep(0.9)').then(
      () => 'done',
      (error: unknown) => isConnectionError(error),
    );
    await until(
      async () =>
        (
          await ask<{ n: string }>(
            server,
            "select count(*) as n from pg_stat_activity where query like 'select pg_sleep%'",
          )
        )[0]?.n === '1',
    );
    const [pid] = await holders();
    await ask(server, `select pg_terminate_backend(${pid})`);
    await first.lost;
    expect(await slow).toBe(true);
    await expect(first.query('select 1')).rejects.toThrow();
    await until(async () => (await take()) !== null);
    // A second close is harmless.
    await first.close();
  });

  it('goes by its schema: the same name elsewhere is another lock', async () => {
    await take();
    const rows = await ask<{ n: string }>(
      server,
      "select count(*) as n from pg_locks where locktype = 'advisory' and granted",
    );
    expect(rows).toEqual([{ n: '1' }]);
  });

  it('runs statements one after the other, in order, and hears of notifications', async () => {
    const session = (await take())!;
    let heard = 0;
    await session.listen('payments.word "said"', () => (heard += 1));
    const answers = await Promise.all(
      [3, 1, 2].map((n) => session.query<{ n: number }>('select $1::int as n from pg_sleep(0.01 * $1)', [n])),
    );
    expect(answers).toEqual([[{ n: 3 }], [{ n: 1 }], [{ n: 2 }]]);
    await db.query('select pg_notify($1, $2)', ['payments.word "said"', '']);
    await db.query('select pg_notify($1, $2)', ['another', '']);
    await until(() => heard === 1);
    // A failed statement does not lose the lock.
    await expect(session.query('select nothing from nowhere')).rejects.toMatchObject({ code: '42P01' });
    expect(await session.query('select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('is given up by the server when its holder goes silent', async () => {
    const session = (await take())!;
    // Like a stopped process.
    await session.query("set idle_session_timeout = '50ms'");
    await session.lost;
    await expect(session.query('select 1')).rejects.toThrow();
  });
});

describe('a dead link', () => {
  /** A proxy that can swallow bytes. */
  class Link {
    private swallows = false;
    private constructor(
      private readonly listener: Server,
      private readonly sockets: Set<Socket>,
    ) {}

    public static async to(port: number): Promise<Link> {
      const sockets = new Set<Socket>();
      const listener = createServer((near) => {
        const far = new (near.constructor as new () => Socket)().connect(port, '127.0.0.1');
        for (const [from, to] of [
          [near, far],
          [far, near],
        ] as const) {
          sockets.add(from);
          from
            .on('data', (bytes) => link.swallows || to.write(bytes))
            .on('error', () => undefined)
            .on('close', () => link.swallows || to.destroy());
        }
      });
      const link = new Link(listener, sockets);
      await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
      return link;
    }

    public get port(): number {
      return (this.listener.address() as { port: number }).port;
    }

    public swallow(): void {
      this.swallows = true;
    }

    public async cut(): Promise<void> {
      for (const socket of this.sockets) socket.destroy();
      await new Promise((resolve) => this.listener.close(resolve));
    }
  }

  it('costs the lock on our side too: a statement that is not answered ends the session', async () => {
    const link = await Link.to(server.port);
    const far = await databaseAt(link.port);
    try {
      const session = (await take('work', far))!;
      link.swallow();
      // 1 s, plus 5 s for the answer.
      await expect(session.query('select 1')).rejects.toThrow('Query read timeout');
      await session.lost;
    } finally {
      await link.cut();
      await far.close();
    }
  }, 20_000);

  it('is an outage when it is like that from the beginning', async () => {
    const link = await Link.to(server.port);
    const far = await databaseAt(link.port);
    try {
      link.swallow();
      const refusal = await far.lockSession('work').catch((error: unknown) => error);
      expect(isConnectionError(refusal)).toBe(true);
    } finally {
      await link.cut();
      await far.close();
    }
  }, 20_000);
});
