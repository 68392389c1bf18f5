import { createServer } from 'node:http';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { Agent, request } from 'undici';

const LANES = 64;
const GIVE_UP_MS = 90_000;

/**
 * Sends `count` transfers as fast as they are accepted and follows each to the webhook that says COMPLETE, delivered to a
 * receiver in this process. `perSecond` is over the time from the first request to the last such webhook, the rail's second
 * included; `steadyPerSecond` over the middle four fifths of the arrivals.
 */
export async function measureRoads(vuka, count, name) {
  const receiver = await startReceiver();
  const dispatcher = new Agent({ connections: LANES });
  const sentAt = new Map();
  const before = vuka.processor();
  const from = performance.now();
  let next = 0;
  const lane = async () => {
    while (next < count) {
      const code = `${name}-${next++}`;
      sentAt.set(code, performance.now());
      await sendTransfer(vuka, dispatcher, code, receiver.url, next);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  const acceptedAfter = (performance.now() - from) / 1_000;
  while (receiver.completeAt.size < count && performance.now() - from < GIVE_UP_MS) await pause(20);
  const after = vuka.processor();
  const wall = (performance.now() - from) / 1_000;
  await Promise.all([receiver.stop(), dispatcher.close()]);
  const arrivals = [...receiver.completeAt.values()].sort((a, b) => a - b);
  const [tenth, ninetieth] = [arrivals[Math.floor(count * 0.1)], arrivals[Math.floor(count * 0.9)]];
  const roads = [...receiver.completeAt].map(([code, at]) => at - sentAt.get(code)).sort((a, b) => a - b);
  return {
    count,
    arrived: arrivals.length,
    acceptedPerSecond: count / acceptedAfter,
    perSecond: arrivals.length / (((arrivals.at(-1) ?? Infinity) - from) / 1_000),
    steadyPerSecond: (count * 0.8) / ((ninetieth - tenth) / 1_000),
    p50: roads[roads.length >> 1],
    p99: roads[Math.floor(roads.length * 0.99)],
    nodeShare: (after.node - before.node) / wall,
    postgresShare: (after.postgres - before.postgres) / wall,
  };
}

async function sendTransfer({ baseUrl, partners }, dispatcher, reference, callback_url, turn) {
  const { consumer_key } = partners[turn % partners.length];
  const answer = await request(`${baseUrl}/kes/bank-transfer`, {
    dispatcher,
    method: 'POST',
    headers: { 'x-api-key': consumer_key, 'content-type': 'application/json' },
    body: JSON.stringify({ amount: 100, account_number: '1234567890', bank_code: '01', reference, callback_url }),
  });
  const text = await answer.body.text();
  if (answer.statusCode !== 200) throw new Error(`a transfer was answered ${answer.statusCode}: ${text}`);
}

/** Counts the webhooks that say COMPLETE, once per transaction. */
async function startReceiver() {
  const completeAt = new Map();
  const server = createServer((incoming, response) => {
    let text = '';
    incoming.setEncoding('utf8').on('data', (chunk) => (text += chunk));
    incoming.on('end', () => {
      response.writeHead(200).end();
      const { status, transaction_code } = JSON.parse(text);
      if (status === 'COMPLETE' && !completeAt.has(transaction_code)) completeAt.set(transaction_code, performance.now());
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const stop = async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  };
  return { completeAt, url: `http://127.0.0.1:${server.address().port}/hook`, stop };
}
