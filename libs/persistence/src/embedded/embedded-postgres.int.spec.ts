import { once } from 'node:events';
import { cp, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { identifyProcess } from '@vuka/runtime';

import { startEmbeddedPostgres, type EmbeddedPostgres } from './embedded-postgres.js';
import { ask, launchElsewhere, log, temporaryFolder, until } from './embedded-postgres.spec-support.js';
import { findPostgresBinaries } from './postgres-binaries.js';
import { commandAs } from './server-account.js';
import { neededPaths, ServerFolder } from './server-folder.js';

describe('embedded PostgreSQL', () => {
  let work: string;
  const running: EmbeddedPostgres[] = [];

  const start = async (name: string, options: { durable?: boolean; port?: number } = {}): Promise<EmbeddedPostgres> => {
    const server = await startEmbeddedPostgres({ folder: join(work, name), durable: false, log, ...options });
    running.push(server);
    return server;
  };

  beforeAll(async () => {
    work = await temporaryFolder();
  });

  afterAll(async () => {
    await Promise.all(running.map((server) => server.stop()));
    await rm(work, { recursive: true, force: true });
  });

  it('runs two servers side by side, each on a port of its own, on loopback only', async () => {
    const [one, two] = await Promise.all([start('one'), start('two')]);
    expect(one.port).not.toBe(two.port);
    const settings = await ask<{ listen_addresses: string; unix_socket_directories: string; data_directory: string }>(
      one,
      `SELECT current_setting('listen_addresses') AS listen_addresses, current_setting('data_directory') AS data_directory,
              current_setting('unix_socket_directories') AS unix_socket_directories`,
    );
    expect(settings).toEqual([
      { listen_addresses: '127.0.0.1', unix_socket_directories: '', data_directory: join(work, 'one', 'data') },
    ]);
    await expect(
      ask({ host: two.host, port: two.port, user: two.user, password: one.password }, 'SELECT 1'),
    ).rejects.toThrow(/password authentication failed/);
  }, 60_000);

  it('keeps data and password over a restart, in a private folder, and holds no lock when stopped', async () => {
    const first = await start('kept', { durable: true });
    await ask(first, 'CREATE TABLE kept AS SELECT 7 AS n');
    const pid = first.pid;
    await first.stop();
    expect(identifyProcess(pid)).toBeUndefined();

    const second = await start('kept', { durable: true });
    expect(second.password).toBe(first.password);
    expect(await ask(second, 'SELECT n FROM kept')).toEqual([{ n: 7 }]);
    const durability = await ask(
      second,
      `SELECT current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS commit, current_setting('full_page_writes') AS pages`,
    );
    expect(durability).toEqual([{ fsync: 'on', commit: 'on', pages: 'on' }]);
    expect((await stat(join(work, 'kept', 'password'))).mode & 0o777).toBe(0o600);
    expect((await stat(join(work, 'kept'))).mode & 0o777).toBe(0o700);
    await second.stop();
  }, 60_000);

  it('refuses a folder that a live process is using', async () => {
    const server = await start('claimed');
    await expect(start('claimed')).rejects.toThrow(`${join(work, 'claimed')} is in use by process ${process.pid}`);
    expect(await ask(server, 'SELECT 1 AS n')).toEqual([{ n: 1 }]);
    await server.stop();
  }, 60_000);

  it.each([
    ['killed', (pid: number) => process.kill(pid, 'SIGKILL')],
    ['ended with its whole process group, as by Ctrl-C', (pid: number) => process.kill(-pid, 'SIGINT')],
  ])(
    'outlives a run that was %s; the next start stops it and finds its data',
    async (name, end) => {
      const folder = join(work, name.slice(0, 5));
      const { launcher, serverPid } = await launchElsewhere(
        await temporaryFolderIn(work, `elsewhere-${name.slice(0, 5)}`),
        folder,
      );
      end(launcher.pid ?? 0);
      await once(launcher, 'exit');
      expect(identifyProcess(serverPid)?.commandLine).toContain(folder);

      const server = await start(name.slice(0, 5), { durable: true });
      expect(identifyProcess(serverPid)).toBeUndefined();
      expect(await ask(server, 'SELECT 1 AS n')).toEqual([{ n: 1 }]);
      await server.stop();
    },
    60_000,
  );

  it('lets the server end when its process exits without stopping it', async () => {
    const { launcher, serverPid } = await launchElsewhere(
      await temporaryFolderIn(work, 'exiting'),
      join(work, 'exited'),
    );
    launcher.stdin?.end();
    await once(launcher, 'exit');
    await until(() => identifyProcess(serverPid) === undefined);
  }, 60_000);

  it('starts again by itself, on the same port, when the server is killed', async () => {
    const server = await start('revived', { durable: true });
    await ask(server, 'CREATE TABLE survivor AS SELECT 1 AS n');
    const pid = server.pid;
    process.kill(pid, 'SIGKILL');
    await until(
      async () => server.pid !== pid && (await ask(server, 'SELECT n FROM survivor').catch(() => [])).length === 1,
    );
    await server.stop();
    await expect(ask(server, 'SELECT 1')).rejects.toThrow(/ECONNREFUSED/);
  }, 60_000);

  it('ignores a pid file whose process id was reused', async () => {
    const server = await start('stale');
    await server.stop();
    await writeFile(join(work, 'stale', 'data', 'postmaster.pid'), `${process.pid}\n${join(work, 'stale', 'data')}\n`);
    const again = await start('stale');
    expect(await ask(again, 'SELECT 1 AS n')).toEqual([{ n: 1 }]);
    await again.stop();
  }, 60_000);

  it('starts again after an interrupted initdb', async () => {
    await mkdir(join(work, 'cut', 'data.unfinished'), { recursive: true });
    await writeFile(join(work, 'cut', 'data.unfinished', 'PG_VERSION'), '18\n');
    const server = await start('cut');
    expect(await ask(server, 'SELECT 1 AS n')).toEqual([{ n: 1 }]);
    await server.stop();
  }, 60_000);

  it('says why it does not start, and releases the folder', async () => {
    const server = await start('broken');
    await server.stop();
    const settings = join(work, 'broken', 'data', 'postgresql.conf');
    const good = await readFile(settings, 'utf8');
    await writeFile(settings, `${good}\nshared_buffers = many\nno_such_setting = 1\n`);
    await expect(start('broken')).rejects.toThrow(/ended while starting \(1\)[\s\S]*no_such_setting/);
    await writeFile(settings, good);
    const again = await start('broken');
    await again.stop();
  }, 60_000);

  it('refuses a port that was asked for and is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    await expect(start('clash', { port })).rejects.toThrow(/port taken/);
    other.close();
  }, 60_000);

  it('writes no statement and no value to its log when one fails', async () => {
    const server = await start('quiet');
    await ask(server, 'CREATE TABLE accounts (number text PRIMARY KEY)');
    await ask(server, `INSERT INTO accounts VALUES ('0011223344556')`);
    await expect(ask(server, `INSERT INTO accounts VALUES ('0011223344556')`)).rejects.toThrow(/duplicate key/);
    await server.stop();
    expect(await readFile(join(work, 'quiet', 'postgres.log'), 'utf8')).not.toContain('0011223344556');
  }, 60_000);

  (process.getuid?.() === 0 ? it : it.skip)(
    'runs as nobody, with more rights only where a closed directory is in the way',
    async () => {
      const binaries = await findPostgresBinaries();
      const account = { uid: 65_534, gid: 65_534 };
      const open = join(work, 'open');
      await mkdir(open);
      expect(commandAs(account, 'postgres', ['-x'], [open]).file).toMatch(/setpriv$/);
      expect(commandAs(account, 'postgres', ['-x'], ['/usr/bin/env'])).toEqual({
        file: 'postgres',
        args: ['-x'],
        ...account,
      });

      // Also unreachable.
      const copy = join(work, 'native');
      await cp(binaries.root, copy, { recursive: true, verbatimSymlinks: true });
      expect((await stat(work)).mode & 0o777).toBe(0o700);
      const folder = new ServerFolder(join(work, 'closed'), account, log);
      await folder.claim();
      const hidden = { root: copy, initdb: join(copy, 'bin', 'initdb'), postgres: join(copy, 'bin', 'postgres') };
      await folder.ensureCluster(hidden, 'a-password-of-some-length', false);
      expect(await readFile(join(work, 'closed', 'data', 'PG_VERSION'), 'utf8')).toBe('18\n');
      expect((await stat(folder.data)).uid).toBe(65_534);
      expect(commandAs(account, hidden.postgres, [], neededPaths(hidden, folder.path)).file).toMatch(/setpriv$/);
      await folder.release();
    },
    60_000,
  );
});

async function temporaryFolderIn(parent: string, name: string): Promise<string> {
  const folder = join(parent, name);
  await mkdir(folder);
  return folder;
}
