import { once } from 'node:events';
import { createServer, isIP, type AddressInfo, type Server, type Socket } from 'node:net';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createOutboundAgent } from '@vuka/http';
import { HOSTILE_URLS, PUBLIC_ADDRESS, until } from '@vuka/testing';
import type { Agent } from 'undici';

import { createPostWebhook, type PostWebhook } from './post-webhook.js';
import type { AttemptOutcome } from '../deliveries/retry-schedule.js';

/** Real receivers that break HTTP. Called per connection after the request. */
type Rude = (socket: Socket) => void;

const TIMEOUT_MS = 300;
/** For receivers that answer on a busy machine. */
const PATIENT_MS = 5_000;
const MEGABYTE = Buffer.alloc(1_048_576, 'x');

let server: Server;
let sockets: Socket[];
let agent: Agent;
let post: PostWebhook;
let rude: Rude;
let reads: boolean;

beforeEach(async () => {
  sockets = [];
  reads = true;
  server = createServer({ pauseOnConnect: true }, (socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    if (!reads) return rude(socket);
    socket.once('data', () => rude(socket));
    socket.resume();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  waitFor(TIMEOUT_MS);
});

function waitFor(timeoutMs: number): void {
  agent = createOutboundAgent({ allowPrivate: true, timeoutMs });
  post = createPostWebhook(agent, timeoutMs);
}

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await agent.destroy();
  server.close();
});

const send = (scheme = 'http', body = '{"status":"COMPLETE"}'): Promise<AttemptOutcome> =>
  post({
    url: `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    headers: { 'content-type': 'application/json' },
    body,
  });

const says =
  (...parts: readonly (string | Buffer)[]): Rude =>
  (socket) => {
    for (const part of parts) socket.write(part);
  };
const saysAndCloses =
  (text: string): Rude =>
  (socket) =>
    void socket.end(text);
/** As fast as accepted. */
const floods =
  (start: string, part: string | Buffer): Rude =>
  (socket) => {
    const more = (): void => {
      while (!socket.destroyed && socket.write(part));
    };
    socket.on('drain', more);
    socket.write(start);
    more();
  };
/** Byte by byte. */
const drips =
  (start: string, text: string): Rude =>
  (socket) => {
    socket.setNoDelay(true);
    let at = 0;
    const next = (): void => {
      if (!socket.destroyed) socket.write(text[at++ % text.length] ?? '', () => setTimeout(next, 5));
    };
    socket.write(start, next);
  };

const OK = 'HTTP/1.1 200 OK\r\n';

describe('a receiver that', () => {
  it.each<[string, Rude, AttemptOutcome | string]>([
    ['never answers', () => undefined, 'timeout'],
    [
      'sends headers a byte at a time',
      drips(
        '',
        'HTTP/1.1 200 OK\r\nx-slow: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
      ),
      'timeout',
    ],
    ['sends a body a byte at a time', drips(`${OK}content-length: 60000\r\n\r\n`, 'x'), 'timeout'],
    ['sends chunks a byte at a time', drips(`${OK}transfer-encoding: chunked\r\n\r\n`, '1\r\nx\r\n'), 'timeout'],
    ['begins a body and goes no further', says(`${OK}content-length: 10\r\n\r\nx`), 'timeout'],
    ['hints early and for ever', floods('', 'HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n'.repeat(100)), 'timeout'],
    ['says continue for ever', floods('', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(100)), 'connection_lost'],
    [
      'switches to another protocol',
      says('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
      'connection_lost',
    ],
    ['resets', (socket) => void socket.resetAndDestroy(), 'connection_lost'],
    ['closes without a word', (socket) => void socket.end(), 'connection_lost'],
    ['closes within the status line', saysAndCloses('HTTP/1.1 20'), 'connection_lost'],
    ['closes within the headers', saysAndCloses(`${OK}content-len`), 'connection_lost'],
    ['closes within the body', saysAndCloses(`${OK}content-length: 10\r\n\r\nx`), 'connection_lost'],
    ['closes within a chunk', saysAndCloses(`${OK}transfer-encoding: chunked\r\n\r\n5\r\nx`), 'connection_lost'],
    ['speaks another protocol', says('SSH-2.0-OpenSSH_9.6\r\n'), 'bad_response'],
    ['sends zeros', says(Buffer.alloc(1_000)), 'bad_response'],
    ['speaks HTTP of another age', says('HTTP/9.9 200 OK\r\n\r\n'), 'bad_response'],
    ['has a status that is none', says('HTTP/1.1 2000 OK\r\n\r\n'), 'bad_response'],
    ['sends a megabyte of headers', says(OK, Buffer.concat([Buffer.from('x: '), MEGABYTE])), 'bad_response'],
    ['sends headers for ever', floods(OK, 'x-more: aaaaaaaaaaaaaaaaaaaaaaaaa\r\n'.repeat(100)), 'bad_response'],
    ['has a header that is none', says(`${OK}no colon\r\n\r\n`), 'bad_response'],
    ['has a length that is none', says(`${OK}content-length: -1\r\n\r\n`), 'bad_response'],
    ['has two lengths', says(`${OK}content-length: 1\r\ncontent-length: 2\r\n\r\nxx`), 'bad_response'],
    [
      'has a length and chunks',
      says(`${OK}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`),
      'bad_response',
    ],
    ['has a chunk that is none', says(`${OK}transfer-encoding: chunked\r\n\r\nzz\r\n`), 'bad_response'],
    [
      'says that there is no body, and sends one',
      says('HTTP/1.1 204 No Content\r\n\r\nhello'),
      { kind: 'answered', status: 204, retryAfter: null },
    ],
    [
      'says that there is no body, and how long it is',
      says('HTTP/1.1 204 No Content\r\ncontent-length: 5\r\n\r\nhello'),
      'bad_response',
    ],
    [
      'goes on after its answer',
      says(`${OK}content-length: 2\r\n\r\nokHTTP/1.1 500 No\r\n\r\n`),
      { kind: 'answered', status: 200, retryAfter: null },
    ],
    [
      'says when to come back twice',
      says('HTTP/1.1 503 No\r\nretry-after: 7\r\nretry-after: x\r\ncontent-length: 0\r\n\r\n'),
      { kind: 'answered', status: 503, retryAfter: '7' },
    ],
    [
      'redirects to a metadata service',
      says('HTTP/1.1 302 Found\r\nlocation: http://169.254.169.254/\r\ncontent-length: 0\r\n\r\n'),
      { kind: 'answered', status: 302, retryAfter: null },
    ],
    ['answers to its end by closing', saysAndCloses(`${OK}\r\nx`), { kind: 'answered', status: 200, retryAfter: null }],
  ])('%s', async (_what, does, outcome) => {
    rude = does;
    expect(await send()).toEqual(typeof outcome === 'string' ? { kind: 'failed', error: outcome } : outcome);
    // A failed connection is closed, an answered one may be reused.
    if (typeof outcome === 'string')
      await until(() => sockets.every((socket) => socket.destroyed || socket.readableEnded), {
        withinMs: 5_000,
        what: 'the connection closed',
      });
  });

  it('never reads what it is sent is left', async () => {
    reads = false;
    rude = () => undefined;
    expect(await send('http', 'x'.repeat(16 * 1_048_576))).toEqual({ kind: 'failed', error: 'timeout' });
  });

  it.each<[string, Rude]>([
    ['a body of a gigabyte', floods(`${OK}content-length: 1000000000\r\n\r\n`, MEGABYTE)],
    [
      'chunks that never end',
      floods(
        `${OK}transfer-encoding: chunked\r\n\r\n`,
        Buffer.concat([Buffer.from('100000\r\n'), MEGABYTE, Buffer.from('\r\n')]),
      ),
    ],
    ['a body without a length', floods(`${OK}\r\n`, MEGABYTE)],
  ])('sends %s has answered, and no more is read of it', async (_what, does) => {
    await agent.destroy();
    waitFor(PATIENT_MS);
    rude = does;
    expect(await Promise.all(Array.from({ length: 8 }, () => send()))).toEqual(
      Array.from({ length: 8 }, () => ({ kind: 'answered', status: 200, retryAfter: null })),
    );
    await until(() => sockets.every((socket) => socket.destroyed), { withinMs: 5_000, what: 'the connections closed' });
    // Includes kernel buffers.
    for (const socket of sockets) expect(socket.bytesWritten).toBeLessThan(50_000_000);
  });

  it.each<[string, Rude, string]>([
    ['answers TLS with HTTP', says('HTTP/1.1 400 Bad Request\r\n\r\n'), 'tls'],
    ['answers TLS with an alert', says(Buffer.from([0x15, 3, 3, 0, 2, 2, 40])), 'tls'],
    ['never ends its handshake', () => undefined, 'timeout'],
    ['drips its handshake', drips('', '\u0016'), 'tls'],
    ['closes within the handshake', (socket) => void socket.end(), 'connection_lost'],
  ])('%s', async (_what, does, error) => {
    rude = does;
    expect(await send('https')).toEqual({ kind: 'failed', error });
  });

  it('sends a second answer early: the next request ignores it', async () => {
    const answers = [
      `HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n${OK}content-length: 0\r\n\r\n`,
      'HTTP/1.1 404 No\r\ncontent-length: 0\r\n\r\n',
    ];
    rude = (socket) => void socket.write(answers.shift() ?? '');
    expect(await send()).toMatchObject({ status: 500 });
    expect(await send()).toMatchObject({ status: 404 });
    expect(sockets).toHaveLength(2);
  });
});

describe('a URL that would lead where it must not', () => {
  it.each(HOSTILE_URLS.map((row) => [row.family, JSON.stringify(row.url).slice(0, 100), row] as const))(
    '%s: %s',
    async (_family, _url, { url, addresses = [PUBLIC_ADDRESS] }) => {
      const contacted: unknown[] = [];
      const live = createOutboundAgent({
        ...{ allowPrivate: false, timeoutMs: TIMEOUT_MS },
        resolve: async () => addresses.map((address) => ({ address, family: isIP(address) })),
        connectTo: (destination, _options, callback) => {
          contacted.push(destination);
          callback(new Error('nothing is connected to here'), null);
        },
      });
      expect(await createPostWebhook(live)({ url, headers: {}, body: '{}' })).toEqual({
        kind: 'failed',
        error: 'blocked_address',
      });
      expect(contacted).toEqual([]);
      await live.destroy();
    },
  );
});
