import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';

import { afterEach, describe, expect, it } from '@jest/globals';

import { OutsideBroker } from './outside-broker.js';

const open: Server[] = [];

async function listening(port = 0): Promise<{ port: number; server: Server }> {
  const server = createServer((socket) => socket.destroy());
  open.push(server);
  server.listen({ port, host: '127.0.0.1' });
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, server };
}

async function freePort(): Promise<number> {
  const { port, server } = await listening();
  server.close();
  await once(server, 'close');
  return port;
}

afterEach(() => {
  for (const server of open.splice(0)) server.close();
});

describe('a broker that somebody else runs', () => {
  it('is found if it accepts connections, and shown as running elsewhere', async () => {
    const { port } = await listening();
    const broker = new OutsideBroker(`127.0.0.1:${port}`);
    await broker.start();
    expect(await broker.view()).toMatchObject({ state: 'elsewhere', ports: { kafka: port }, pid: null });
  });

  it('is found on a later try too: a busy machine misses one', async () => {
    const port = await freePort();
    const starting = new OutsideBroker(`127.0.0.1:${port}`).start();
    await listening(port);
    await starting;
  });

  it('is refused with its address if every try fails', async () => {
    const port = await freePort();
    await expect(new OutsideBroker(`127.0.0.1:${port}`, 300).start()).rejects.toThrow(
      `No broker accepts connections at 127.0.0.1:${port}.`,
    );
  });
});
