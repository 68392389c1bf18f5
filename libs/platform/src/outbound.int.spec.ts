import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { request, type Agent } from 'undici';

import { createOutboundAgent } from './outbound.js';

describe('the outbound agent', () => {
  let server: Server;
  let port: number;
  let hits = 0;
  const agents: Agent[] = [];

  const call = async (host: string, allowPrivate: boolean, path = '/'): Promise<{ status: number; body: string }> => {
    const agent = createOutboundAgent({ allowPrivate, timeoutMs: 2_000, anyPort: true });
    agents.push(agent);
    const answer = await request(`http://${host}:${port}${path}`, { dispatcher: agent });
    return { status: answer.statusCode, body: await answer.body.text() };
  };

  beforeAll(async () => {
    server = createServer((incoming, answer) => {
      hits += 1;
      if (incoming.url === '/redirect') answer.writeHead(302, { location: 'http://169.254.169.254/' }).end();
      else if (incoming.url === '/flood') answer.end(Buffer.alloc(1_000_000));
      else if (incoming.url !== '/silent') answer.end('reached');
    }).listen(0);
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  });

  afterAll(async () => {
    await Promise.all(agents.map((agent) => agent.destroy()));
    server.closeAllConnections();
    server.close();
  });

  it.each(['localhost', 'localhost.', '127.0.0.1', '2130706433', '0x7f.1', '127.1', '[::ffff:127.0.0.1]', '[::1]', '0', '0.0.0.0', '[::]', '①②⑦.0.0.1'])(
    'does not connect to %s',
    async (host) => {
      const before = hits;
      await expect(call(host, false)).rejects.toMatchObject({ code: 'OUTBOUND_BLOCKED' });
      expect(hits).toBe(before);
    },
  );

  it.each(['localhost', '127.0.0.1', '127.1'])('connects to %s where private hosts are allowed', async (host) => {
    expect(await call(host, true)).toEqual({ status: 200, body: 'reached' });
  });

  it('follows no redirect and reads no endless body', async () => {
    expect(await call('127.0.0.1', true, '/redirect')).toEqual({ status: 302, body: '' });
    await expect(call('127.0.0.1', true, '/flood')).rejects.toMatchObject({ code: 'UND_ERR_RES_EXCEEDED_MAX_SIZE' });
  });

  it('does not wait for ever', async () => {
    await expect(call('127.0.0.1', true, '/silent')).rejects.toMatchObject({ code: 'UND_ERR_HEADERS_TIMEOUT' });
  }, 10_000);
});
