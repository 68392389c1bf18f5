import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import net, { createServer as createTcpServer, isIP, type AddressInfo, type Server as TcpServer } from 'node:net';

import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { until } from '@vuka/testing';
import { request, type Agent } from 'undici';

import { CONNECTION_LIFE_MS, createOutboundAgent, type OutboundAgentOptions, type ResolveName } from './outbound.js';

const SANDBOX = { allowPrivate: true, timeoutMs: 2_000 };
const LIVE = { allowPrivate: false, anyPort: true, timeoutMs: 2_000 };

let server: Server;
let port: number;
let received: IncomingMessage[];
let agents: Agent[];

beforeEach(async () => {
  received = [];
  agents = [];
  server = createServer((incoming, answer) => {
    received.push(incoming);
    if (incoming.url === '/redirect') answer.writeHead(302, { location: `http://127.0.0.1:${port}/inner` }).end();
    else if (incoming.url === '/metadata')
      answer.writeHead(307, { location: 'http://169.254.169.254/latest/meta-data/' }).end();
    else if (incoming.url === '/flood') answer.end(Buffer.alloc(1_000_000));
    else if (incoming.url !== '/silent') answer.end('reached');
  }).listen(0);
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
});

afterEach(async () => {
  jest.restoreAllMocks();
  await Promise.all(agents.map((agent) => agent.destroy()));
  server.closeAllConnections();
  server.close();
});

function agentOf(options: OutboundAgentOptions): Agent {
  const agent = createOutboundAgent(options);
  agents.push(agent);
  return agent;
}

async function call(agent: Agent, host: string, path = '/'): Promise<{ status: number; body: string }> {
  const answer = await request(`http://${host}:${port}${path}`, { dispatcher: agent });
  return { status: answer.statusCode, body: await answer.body.text() };
}

const answering =
  (...addresses: readonly string[]): ResolveName =>
  async () =>
    addresses.map((address) => ({ address, family: isIP(address) }));

describe('the outbound agent', () => {
  it.each([
    'localhost',
    'localhost.',
    '127.0.0.1',
    '2130706433',
    '0x7f.1',
    '127.1',
    '[::ffff:127.0.0.1]',
    '[::1]',
    '0',
    '0.0.0.0',
    '[::]',
    '①②⑦.0.0.1',
  ])('does not connect to %s', async (host) => {
    await expect(call(agentOf(LIVE), host)).rejects.toMatchObject({ code: 'OUTBOUND_BLOCKED' });
    expect(received).toEqual([]);
  });

  it.each(['localhost', 'shop.localhost', '127.0.0.1', '127.1'])(
    'connects to %s where private hosts are allowed',
    async (host) => {
      expect(await call(agentOf(SANDBOX), host)).toEqual({ status: 200, body: 'reached' });
    },
  );

  it('connects to the checked address of the name, without a second lookup', async () => {
    const asked: string[] = [];
    const agent = agentOf({
      ...SANDBOX,
      resolve: async (name) => (asked.push(name), [{ address: '127.0.0.1', family: 4 }]),
    });
    expect(await call(agent, 'no-such-name.example')).toEqual({ status: 200, body: 'reached' });
    expect(asked).toEqual(['no-such-name.example']);
    expect(received.map(({ headers, socket }) => [headers.host, socket.localAddress])).toEqual([
      [`no-such-name.example:${port}`, expect.stringMatching(/127\.0\.0\.1$/)],
    ]);
  });

  it('tries the next address where nothing listens at the first', async () => {
    const only = createServer((_incoming, answer) => answer.end('second')).listen(0, '127.0.0.2');
    await once(only, 'listening');
    try {
      const answer = await request(`http://two.example:${(only.address() as AddressInfo).port}/`, {
        dispatcher: agentOf({ ...SANDBOX, resolve: answering('127.0.0.3', '127.0.0.2') }),
      });
      expect(await answer.body.text()).toBe('second');
    } finally {
      only.closeAllConnections();
      only.close();
    }
  });

  it('gives an address that is far away time to answer before it tries the next', async () => {
    const connect = jest.spyOn(net, 'connect');
    await call(agentOf({ ...SANDBOX, resolve: answering('127.0.0.1', '::1') }), 'far.example');
    expect(connect).toHaveBeenCalledTimes(1);
    const [options] = connect.mock.calls[0] as unknown as [net.TcpNetConnectOpts];
    expect(options).toMatchObject({
      host: 'far.example',
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: 1_000,
    });
  });

  it.each(['/redirect', '/metadata'])('does not follow %s', async (path) => {
    const { status } = await call(agentOf(SANDBOX), '127.0.0.1', path);
    expect(status).toBeGreaterThan(300);
    expect(received.map(({ url }) => url)).toEqual([path]);
  });

  it('reads no endless body and does not wait for ever', async () => {
    await expect(call(agentOf(SANDBOX), '127.0.0.1', '/flood')).rejects.toMatchObject({
      code: 'UND_ERR_RES_EXCEEDED_MAX_SIZE',
    });
    await expect(call(agentOf({ ...SANDBOX, timeoutMs: 100 }), '127.0.0.1', '/silent')).rejects.toMatchObject({
      code: 'UND_ERR_HEADERS_TIMEOUT',
    });
  }, 10_000);
});

describe('a connection that is kept', () => {
  it('serves while it is young, and not once its name leads elsewhere, however busy it is', async () => {
    const addresses = ['127.0.0.1'];
    let asked = 0;
    const agent = agentOf({
      ...LIVE,
      allowPrivate: true,
      resolve: (name, signal) => ((asked += 1), answering(...addresses)(name, signal)),
    });
    // The connection is free one loop turn later.
    const served = async (): Promise<void> => {
      await call(agent, 'moves.example');
      await until(() => Object.values(agent.stats).every((stats) => !('free' in stats) || stats.free === 1), {
        withinMs: 5_000,
        what: 'the connection free',
      });
    };
    await served();
    await served();
    expect(asked).toBe(1);
    expect(new Set(received.map(({ socket }) => socket)).size).toBe(1);

    addresses.splice(0, 1, '169.254.169.254');
    const now = Date.now();
    jest.spyOn(Date, 'now').mockImplementation(() => now + CONNECTION_LIFE_MS - 1_000);
    await served();
    expect(asked).toBe(1);
    jest.spyOn(Date, 'now').mockImplementation(() => now + CONNECTION_LIFE_MS + 1_000);
    await expect(call(agent, 'moves.example')).rejects.toMatchObject({ code: 'OUTBOUND_BLOCKED' });
    expect(asked).toBe(2);
    expect(received).toHaveLength(3);
    await until(() => received.every(({ socket }) => socket.destroyed), {
      withinMs: 5_000,
      what: 'the old connection closed',
    });
  });
});

describe('TLS', () => {
  let hello: Buffer;
  let tcp: TcpServer;

  beforeEach(async () => {
    hello = Buffer.alloc(0);
    tcp = createTcpServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', (data) => {
        hello = data;
        socket.destroy();
      });
    }).listen(0, '127.0.0.1');
    await once(tcp, 'listening');
  });

  afterEach(() => void tcp.close());

  it.each([
    ['partner.example', 'partner.example'],
    ['127.0.0.1', undefined],
  ])('of %s asks for the name of the URL, not for the address it led to', async (host, name) => {
    const agent = agentOf({ ...SANDBOX, resolve: answering('127.0.0.1') });
    const { port } = tcp.address() as AddressInfo;
    await expect(agent.request({ origin: `https://${host}:${port}`, path: '/', method: 'GET' })).rejects.toThrow();
    expect(hello.length).toBeGreaterThan(0);
    if (name === undefined) expect(hello.includes('127.0.0.1')).toBe(false);
    else expect(hello.includes(name)).toBe(true);
  });
});
