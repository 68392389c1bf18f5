import { writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { basename, join } from 'node:path';

import { findRedis, type RedisProgram } from './find-redis.js';
import type { LocalServer, LocalServerOptions } from '../local-server.js';
import { HOST, serverEnvironment, startNative, type NativeProgram } from '../native-server.js';

export interface LocalRedisOptions extends LocalServerOptions {
  readonly password?: string;
  /** Progress for people. */
  readonly tell?: (line: string) => void;
}

export interface LocalRedis extends LocalServer {
  /** Has the password: not for logs. */
  readonly url: string;
}

const ANSWER_TIMEOUT_MS = 2_000;

/** On loopback. Saved every second; a kill loses at most the last second. */
export async function startLocalRedis(options: LocalRedisOptions): Promise<LocalRedis> {
  const redis = await findRedis({ ...(options.tell && { tell: options.tell }) });
  if (!redis.ok) throw new Error(redis.why);
  const server = await startNative(options, async ({ path }) => program(redis, path, options.password));
  const login = options.password === undefined ? '' : `:${encodeURIComponent(options.password)}@`;
  return { ...server, url: `redis://${login}${server.host}:${server.port}` };
}

function program(redis: RedisProgram, folder: string, password: string | undefined): NativeProgram {
  const settingsFile = join(folder, 'redis.conf');
  return {
    name: 'Redis',
    logFile: 'redis.log',
    mark: `${basename(redis.server)} ${settingsFile}`,
    portTaken: /Address already in use/,
    answers: (port, pid) => answersAs(pid, port, password),
    async prepare(port) {
      await writeFile(settingsFile, settingsText(settings(folder, port, password)), { mode: 0o600 });
      return { file: redis.server, args: [settingsFile], env: serverEnvironment(redis.env) };
    },
  };
}

function settings(folder: string, port: number, password: string | undefined): Record<string, string> {
  return {
    bind: HOST,
    port: String(port),
    dir: folder,
    daemonize: 'no',
    // Orphans are found by their command line.
    'set-proc-title': 'no',
    appendonly: 'yes',
    appendfsync: 'everysec',
    save: '',
    // A queue must not lose jobs.
    'maxmemory-policy': 'noeviction',
    ...(password !== undefined && { requirepass: password }),
  };
}

/** redis.conf: a backslash begins an escape. */
function settingsText(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name} "${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"\n`)
    .join('');
}

/** PONG: data is loaded. The process id: it is the one we started. Never throws. */
function answersAs(pid: number, port: number, password: string | undefined): Promise<boolean> {
  return new Promise((settle) => {
    const socket = connect({ host: HOST, port });
    let received = '';
    const end = (answer: boolean): void => {
      socket.destroy();
      settle(answer);
    };
    socket.setTimeout(ANSWER_TIMEOUT_MS, () => end(false));
    socket.on('error', () => end(false));
    socket.on('close', () => end(false));
    socket.on('connect', () =>
      socket.write(
        [
          ...(password === undefined ? [] : [command('AUTH', password)]),
          command('INFO', 'server'),
          command('PING'),
        ].join(''),
      ),
    );
    socket.setEncoding('utf8').on('data', (text: string) => {
      received += text;
      if (received.includes('+PONG\r\n')) end(received.includes(`\r\nprocess_id:${pid}\r\n`));
      else if (/^-/m.test(received)) end(false);
    });
  });
}

const command = (...words: readonly string[]): string =>
  `*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join('')}`;
