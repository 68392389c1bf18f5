import { createServer } from 'node:http';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { Agent, request } from 'undici';

const LANES = 64;
export const ONE_IN = 10;
const GIVE_UP_MS = 60_000;
const CONTROL_AFTER_MS = 2_000;
const NUMBER_THAT_IS_PAID = '7890';
const STRAIGHT = 'COMPLETE';

const bankTransfer = ({ account }) => ({
  path: '/kes/bank-transfer',
  body: { account_number: account, bank_code: '01' },
});

/**
 * Sends `count` transfers and follows each to its final webhook; times in ms of performance.now().
 * As fast as they are accepted, or `perSecond`. `way`: one in ten fails this way. `asked`: default a bank transfer.
 */
export async function runRoads(vuka, { count, name, way, perSecond, asked = bankTransfer }) {
  const receiver = await startReceiver();
  const dispatcher = new Agent({ connections: perSecond === undefined ? LANES : count });
  const roads = Array.from({ length: count }, (_, index) => roadOf(name, index, way));
  const before = vuka.processor();
  const from = performance.now();
  const send = (road, index) => sendOne({ vuka, dispatcher, callbackUrl: receiver.url, asked }, road, index);
  await (perSecond === undefined ? sendInLanes(roads, send) : sendPaced(roads, perSecond, send));
  const acceptedBy = performance.now();
  await until(
    () => roads.every(({ code, end }) => end === null || receiver.told.has(`${code} ${end}`)),
    from + GIVE_UP_MS,
  );
  const after = vuka.processor();
  const wall = (performance.now() - from) / 1_000;
  await Promise.all([receiver.stop(), dispatcher.close()]);
  for (const road of roads) road.endedAt = receiver.told.get(`${road.code} ${road.end}`);
  return {
    from,
    acceptedBy,
    roads,
    nodeShare: (after.node - before.node) / wall,
    postgresShare: (after.postgres - before.postgres) / wall,
  };
}

/** `end` null: it never ends by itself, so nobody waits. */
function roadOf(name, index, way) {
  const isWrong = way !== undefined && index % ONE_IN === ONE_IN - 1;
  const number = isWrong ? way.number : NUMBER_THAT_IS_PAID;
  return {
    code: `${name}-${index}`,
    isWrong,
    account: `${100_000 + index}${number}`,
    end: isWrong ? way.end : STRAIGHT,
    control: isWrong ? way.control : undefined,
  };
}

async function sendInLanes(roads, send) {
  let next = 0;
  const lane = async () => {
    for (let index = next++; index < roads.length; index = next++) await send(roads[index], index);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

async function sendPaced(roads, perSecond, send) {
  const from = performance.now();
  await Promise.all(
    roads.map(async (road, index) => {
      await pause(Math.max(0, from + (index * 1_000) / perSecond - performance.now()));
      await send(road, index);
    }),
  );
}

async function sendOne({ vuka, dispatcher, callbackUrl, asked }, road, index) {
  const partner = vuka.partners[index % vuka.partners.length];
  road.sentAt = performance.now();
  const { path, body } = asked(road, index);
  await post(vuka, dispatcher, partner, path, {
    amount: 100,
    ...body,
    reference: road.code,
    callback_url: callbackUrl,
  });
  if (road.control === undefined) return;
  setTimeout(
    () =>
      void post(vuka, dispatcher, partner, `/sandbox/payouts/${road.code}/${road.control}`, {}).catch(() => undefined),
    CONTROL_AFTER_MS,
  );
}

async function post({ baseUrl }, dispatcher, { consumer_key }, path, body) {
  const answer = await request(baseUrl + path, {
    dispatcher,
    method: 'POST',
    headers: { 'x-api-key': consumer_key, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await answer.body.text();
  if (answer.statusCode !== 200) throw new Error(`${path} was answered ${answer.statusCode}: ${text}`);
}

async function until(condition, giveUpAt) {
  while (!condition() && performance.now() < giveUpAt) await pause(20);
}

async function startReceiver() {
  const told = new Map();
  const server = createServer((incoming, response) => {
    let text = '';
    incoming.setEncoding('utf8').on('data', (chunk) => (text += chunk));
    incoming.on('end', () => {
      response.writeHead(200).end();
      const { status, transaction_code } = JSON.parse(text);
      const what = `${transaction_code} ${status}`;
      if (!told.has(what)) told.set(what, performance.now());
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const stop = async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  };
  return { told, url: `http://127.0.0.1:${server.address().port}/hook`, stop };
}
