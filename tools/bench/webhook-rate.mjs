// `node webhook-rate.mjs <webhooks> <hosts> [<kind> …]`: many webhooks due at once, one partner per host. Prints JSON.
// One host in ten is of the given kinds (webhook-receivers.mjs). The notifier uses its own durable PostgreSQL.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import 'reflect-metadata';

import { notifier as definition } from '../../apps/notifier/dist/index.js';
import { EVENTS } from '../../libs/contracts/dist/index.js';
import { QUEUES } from '../../libs/jobs/dist/index.js';
import { Database, ensureServiceLogins, startEmbeddedPostgres } from '../../libs/persistence/dist/index.js';
import { openService } from '../../libs/service-host/dist/index.js';
import { testContext } from '../../libs/service-host/dist/test-context.js';
import { createLogger, uuidv7 } from '../../libs/runtime/dist/index.js';
import { processorSeconds } from './machine.mjs';

const PASSWORD = 'of-the-bench-alone-0';
const EVERY = 10;
/** Both are final, so neither supersedes the other; the sequence orders them. */
const CHANGES = [
  ['transaction.complete', 'COMPLETE'],
  ['transaction.reversed', 'REVERSED'],
];
const TAKERS = 128;
const WITHIN_MS = 300_000;
const SAMPLE_MS = 50;

const [webhooks, hostCount] = process.argv.slice(2, 4).map(Number);
const kinds = process.argv.slice(4);
const log = createLogger('bench', { level: 'silent' });

const folder = await mkdtemp(join(tmpdir(), 'vuka-bench-'));
const server = await startEmbeddedPostgres({ folder: join(folder, 'postgres'), durable: true, log });
const receivers = fork(new URL('webhook-receivers.mjs', import.meta.url));
const timers = new Set();
try {
  const database = `vuka_${uuidv7().replaceAll('-', '')}`;
  await ensureServiceLogins(server, database, [{ name: 'notifier', password: PASSWORD }]);
  const login = {
    host: server.host,
    port: server.port,
    user: 'vuka_notifier',
    password: PASSWORD,
    database,
    schema: 'notifier',
    applicationName: 'bench',
  };
  process.stdout.write(JSON.stringify(await measure(login)));
} finally {
  for (const timer of timers) clearTimeout(timer);
  receivers.disconnect();
  await server.stop();
  await rm(folder, { recursive: true, force: true });
}

async function measure(login) {
  const hosts = await openHosts();
  const eventBus = { subscribe: ({ handle }) => ((eventBus.handle = handle), async () => undefined) };
  const settings = { webhookAllowPrivate: true };
  const context = testContext({
    settings,
    database: { ...login, maxConnections: 4 },
    eventBus: eventBus,
    jobs: jobs(),
    log,
  });
  const notifier = await openService(definition, context);
  const db = await Database.connect({ ...login, maxConnections: 1, migrations: [] });
  try {
    for (const { partner } of hosts) await notifier.handlers.ensureWebhookSecret({ partner_id: partner }, {});
    await takeIn(eventBus, hosts);
    return await deliver({ notifier, db, hosts });
  } finally {
    await db.close();
    await notifier.stop();
  }
}

async function openHosts() {
  let other = 0;
  const others = kinds.length === 0 ? ['well'] : kinds;
  const wanted = Array.from({ length: hostCount }, (_, place) =>
    place % EVERY === EVERY - 1 ? others[other++ % others.length] : 'healthy',
  );
  const { ports } = await ask({ kinds: wanted });
  return wanted.map((kind, place) => ({ kind, partner: place + 1, host: `127.0.0.1:${ports[place]}` }));
}

async function ask(message) {
  receivers.send(message);
  const [answer] = await once(receivers, 'message', { signal: AbortSignal.timeout(WITHIN_MS) });
  return answer;
}

async function takeIn(eventBus, hosts) {
  const perHost = webhooks / hostCount / CHANGES.length;
  const transactions = Array.from({ length: perHost * hosts.length }, (_, index) => ({
    id: index + 1,
    ...hosts[index % hosts.length],
  }));
  let next = 0;
  const taker = async () => {
    for (let at = next++; at < transactions.length; at = next++) {
      for (const [index, [type, status]] of CHANGES.entries())
        await eventBus.handle(changeOf(transactions[at], type, status, index + 1));
    }
  };
  await Promise.all(Array.from({ length: TAKERS }, taker));
}

function changeOf({ id, partner, host }, type, status, sequence) {
  return {
    ...{
      id: uuidv7(),
      type,
      version: EVENTS[type].version,
      key: String(id),
      sequence,
      occurredAt: new Date().toISOString(),
      correlationId: 'bench',
      causationId: 'bench',
      producer: 'payments',
    },
    data: {
      ...{ transaction_id: id, partner_id: partner, callback_url: `http://${host}/hook`, public_sequence: sequence },
      payload: { status, transaction_code: `bench-${id}`, message: 'Paid to the account' },
    },
  };
}

async function deliver({ notifier, db, hosts }) {
  const healthy = hosts.filter(({ kind }) => kind === 'healthy').length * (webhooks / hostCount);
  const slow = hosts.filter(({ kind }) => kind === 'slow').length * (webhooks / hostCount);
  const [{ due }] = await db.query(`select count(*)::integer as due from deliveries where state = 'pending'`);
  const memory = watchMemory();
  const used = () => [
    usedHere(),
    processorSeconds(server.pid, { withChildren: true }),
    processorSeconds(receivers.pid),
  ];
  const before = used();
  const from = performance.timeOrigin + performance.now();
  await notifier.start();
  await ask({ tell: { kind: 'healthy', count: healthy } });
  const wall = (performance.timeOrigin + performance.now() - from) / 1_000;
  const seconds = used().map((sofar, place) => sofar - before[place]);
  const attempts = await attemptsAt(db, hosts);
  if (slow > 0) await ask({ tell: { kind: 'slow', count: slow } });
  const { report } = await ask({ report: true });
  return {
    ...{
      due,
      healthy,
      attempts,
      seconds,
      shares: seconds.map((each) => each / wall),
      workMs: ((seconds[0] + seconds[1]) * 1_000) / healthy,
      memory: memory.stop(),
    },
    times: timesOf(report.healthy.times, from, healthy),
    slow: slow > 0 ? timesOf(report.slow.times, from, slow) : null,
    repeats: { healthy: report.healthy.repeats, slow: report.slow.repeats },
    unsigned: Object.values(report).reduce((total, { unsigned }) => total + unsigned, 0),
    outOfOrder: report.healthy.outOfOrder,
  };
}

/** The rate of the first 99 %, because one last straggler says nothing about it. */
function timesOf(times, from, expected) {
  if (times.length !== expected) throw new Error(`${times.length} of ${expected} webhooks arrived`);
  const sorted = times.map((at) => at - from).sort((a, b) => a - b);
  const most = Math.ceil(expected * 0.99);
  return { perSecond: most / (sorted[most - 1] / 1_000), p50: sorted[expected >> 1], last: sorted[expected - 1] };
}

async function attemptsAt(db, hosts) {
  const rows = await db.query(
    `select d.host, count(*)::integer as attempts from delivery_attempts a join deliveries d on d.id = a.delivery_id and d.occurred_at = a.occurred_at group by d.host`,
  );
  const byKind = {};
  for (const { host, attempts } of rows) {
    const kind = hosts.find((each) => each.host === host)?.kind;
    if (kind !== undefined && kind !== 'healthy') byKind[kind] = (byKind[kind] ?? 0) + attempts;
  }
  return byKind;
}

function usedHere() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

function watchMemory() {
  const first = process.memoryUsage.rss();
  let most = first;
  const timer = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), SAMPLE_MS);
  return {
    stop: () => {
      clearInterval(timer);
      return { first, most };
    },
  };
}

function jobs() {
  const wakes = new Map();
  const keep = (timer) => timers.add(timer.unref());
  return {
    every: (queue, wake) => {
      wakes.set(queue, wake);
      keep(setInterval(() => void wake('tick'), QUEUES[queue].everyMs));
    },
    wakeAt: async (queue, at) =>
      keep(setTimeout(() => void wakes.get(queue)?.('alarm'), Math.max(0, at.getTime() - Date.now()))),
  };
}
