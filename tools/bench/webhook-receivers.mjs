// Forked by webhook-rate.mjs: partners' receivers on loopback, one host per port.
// `{ kinds }` answers `{ ports }`, `{ tell: { kind, count } }` answers `{ arrived }` after so many different webhooks,
// `{ report: true }` the counts.
import { createServer as createHttpServer } from 'node:http';
import { createServer as createTcpServer } from 'node:net';

/** Just within the notifier's timeout of 3 s. */
const SLOW_MS = 2_900;

const received = { healthy: kindOf(), well: kindOf(), slow: kindOf(), error: kindOf() };
let awaited;

const KINDS = {
  healthy: () => http('healthy', (response) => response.writeHead(204).end()),
  well: () => http('well', (response) => response.writeHead(204).end()),
  slow: () => http('slow', (response) => setTimeout(() => response.writeHead(204).end(), SLOW_MS)),
  error: () => http('error', (response) => response.writeHead(500).end()),
  silent: () => createTcpServer((socket) => socket.on('error', () => undefined).resume()),
  resets: () =>
    createTcpServer((socket) => socket.on('error', () => undefined).once('data', () => socket.resetAndDestroy())),
  refuses: () => createTcpServer(),
};

function kindOf() {
  return { times: new Map(), repeats: 0, unsigned: 0, newest: new Map(), outOfOrder: 0 };
}

function http(kind, answer) {
  return createHttpServer((request, response) => {
    request.resume().on('end', () => {
      note(received[kind], request.headers);
      answer(response);
      if (awaited !== undefined && received[awaited.kind].times.size >= awaited.count) {
        process.send({ arrived: true });
        awaited = undefined;
      }
    });
  });
}

function note(kind, headers) {
  const id = headers['webhook-id'];
  const [transaction] = id.split('_');
  const sequence = Number(headers['x-vuka-sequence']);
  if (headers['webhook-signature'] === undefined || `${transaction}_${sequence}` !== id) kind.unsigned += 1;
  if (kind.times.has(id)) {
    kind.repeats += 1;
    return;
  }
  kind.times.set(id, performance.timeOrigin + performance.now());
  if (sequence < (kind.newest.get(transaction) ?? 0)) kind.outOfOrder += 1;
  else kind.newest.set(transaction, sequence);
}

function open(kind) {
  const server = KINDS[kind]();
  return new Promise((resolve) => {
    server.listen({ port: 0, host: '127.0.0.1', backlog: 1_024 }, () => {
      const { port } = server.address();
      if (kind === 'refuses') server.close(() => resolve(port));
      else resolve(port);
    });
  });
}

process.on('message', async (message) => {
  if (message.kinds !== undefined) process.send({ ports: await Promise.all(message.kinds.map(open)) });
  else if (message.tell !== undefined) {
    awaited = message.tell;
    if (received[awaited.kind].times.size >= awaited.count) process.send({ arrived: true });
  } else {
    const report = Object.entries(received).map(([kind, { times, repeats, unsigned, outOfOrder }]) => [
      kind,
      { times: [...times.values()], repeats, unsigned, outOfOrder },
    ]);
    process.send({ report: Object.fromEntries(report) });
  }
});
process.on('disconnect', () => process.exit());
