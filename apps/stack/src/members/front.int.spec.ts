import { once } from 'node:events';
import { connect, createServer, type Server } from 'node:net';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { PortPicker } from '@vuka/local-servers';
import { until } from '@vuka/testing';

import { Front } from './front.js';

const picker = new PortPicker();
let instances: { server: Server; port: number }[];
let front: Front;
let port: number;

async function instance(name: string): Promise<{ server: Server; port: number }> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.write(name);
    socket.pipe(socket);
  });
  const at = await picker.pick();
  server.listen(at, '127.0.0.1');
  await once(server, 'listening');
  return { server, port: at };
}

async function hear(length: number, say = ''): Promise<string> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  let heard = '';
  socket.on('data', (chunk) => (heard += chunk.toString('utf8')));
  socket.write(say);
  await until(() => heard.length >= length || socket.closed, { withinMs: 5_000, what: 'an answer, or the end' });
  socket.destroy();
  return heard;
}

async function closed(one?: { server: Server }): Promise<void> {
  await new Promise<unknown>((resolve) => one?.server.close(resolve));
}

beforeEach(async () => {
  instances = await Promise.all(['a', 'b'].map(instance));
  port = await picker.pick();
  front = new Front(port, () => instances.map((one) => one.port));
});

afterEach(async () => {
  await front.stop();
  for (const { server } of instances) server.close();
});

describe('the front of a service with several instances', () => {
  it('gives them connections in turn, and passes bytes both ways', async () => {
    await front.start();
    const heard = await Promise.all([hear(4, 'xyz'), hear(4, 'xyz'), hear(4, 'xyz'), hear(4, 'xyz')]);
    expect(heard.sort()).toEqual(['axyz', 'axyz', 'bxyz', 'bxyz']);
  });

  it('skips an instance that accepts no connections, and closes the connection if none does', async () => {
    await front.start();
    const [first, second] = instances;
    await closed(first);
    expect(await Promise.all([hear(1), hear(1), hear(1)])).toEqual(['b', 'b', 'b']);
    await closed(second);
    expect(await hear(1)).toBe('');
  });

  it('takes over a port as soon as its holder releases it', async () => {
    const holder = createServer().listen(port, '127.0.0.1');
    await once(holder, 'listening');
    const starting = front.start();
    holder.close();
    await starting;
    expect(['a', 'b']).toContain(await hear(1));
  });
});
