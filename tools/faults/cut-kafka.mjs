import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startLocalKafka } from '../../libs/local-servers/dist/index.js';
import { createLogger } from '../../libs/runtime/dist/index.js';

const HOST = '127.0.0.1';

/**
 * A broker with one listener per link: Kafka clients continue at the address of their listener, so they stay on their
 * link. `env` assigns a link to each service.
 */
export async function startCutKafka() {
  const folder = await mkdtemp(join(tmpdir(), 'vuka-faults-kafka-'));
  const links = { payments: await Link.open(), notifier: await Link.open() };
  const listeners = { PAYMENTS: links.payments, NOTIFIER: links.notifier };
  const port = await freePort();
  const controllerPort = await freePort();
  for (const link of Object.values(links)) link.target = await freePort();
  const own = Object.entries(listeners);
  const kafka = await startLocalKafka({
    folder,
    port,
    log: createLogger('faults', { level: 'error' }),
    settings: {
      'controller.quorum.voters': `1@${HOST}:${controllerPort}`,
      listeners: [
        `BROKER://${HOST}:${port}`,
        ...own.map(([name, { target }]) => `${name}://${HOST}:${target}`),
        `CONTROLLER://${HOST}:${controllerPort}`,
      ].join(','),
      'advertised.listeners': [
        `BROKER://${HOST}:${port}`,
        ...own.map(([name, link]) => `${name}://${HOST}:${link.port}`),
      ].join(','),
      'listener.security.protocol.map': ['BROKER', ...Object.keys(listeners), 'CONTROLLER']
        .map((name) => `${name}:PLAINTEXT`)
        .join(','),
    },
  });
  return {
    links,
    env: {
      VUKA_STACK_KAFKA: `${kafka.host}:${kafka.port}`,
      VUKA_STACK_ENV_PAYMENTS: JSON.stringify({ VUKA_KAFKA_BROKERS: `${HOST}:${links.payments.port}` }),
      VUKA_STACK_ENV_NOTIFIER: JSON.stringify({ VUKA_KAFKA_BROKERS: `${HOST}:${links.notifier.port}` }),
    },
    stop: async () => {
      for (const link of Object.values(links)) link.close();
      await kafka.stop();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** A TCP proxy that can be cut: data in transit is lost, connections stay open and silent, new ones get no answer. */
class Link {
  target = 0;
  #sockets = new Set();
  #isCut = false;

  static async open() {
    const server = createServer();
    const link = new Link(server);
    server.on('connection', (near) => link.#serve(near));
    server.listen(0, HOST);
    await once(server, 'listening');
    return link;
  }

  constructor(server) {
    this.server = server;
  }

  get port() {
    return this.server.address().port;
  }

  cut() {
    this.#isCut = true;
    for (const socket of this.#sockets) socket.pause();
  }

  /** A repaired link has lost its old connections. */
  repair() {
    this.#isCut = false;
    for (const socket of this.#sockets) socket.destroy();
  }

  close() {
    for (const socket of this.#sockets) socket.destroy();
    this.server.close();
  }

  #serve(near) {
    const far = this.#isCut ? null : connect(this.target, HOST);
    for (const socket of far === null ? [near] : [near, far]) {
      this.#sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.#sockets.delete(socket);
        near.destroy();
        far?.destroy();
      });
    }
    if (far === null) return near.pause();
    near.on('data', (chunk) => this.#isCut || far.write(chunk));
    far.on('data', (chunk) => this.#isCut || near.write(chunk));
  }
}

async function freePort() {
  const server = createServer().listen(0, HOST);
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}
