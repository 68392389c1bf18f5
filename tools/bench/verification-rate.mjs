// `node verification-rate.mjs <claims> <rounds> <alone>`: deposits that offramp verifies. Prints JSON, `{ missing }`
// without a node.
// Reads a real node and commits to its own durable PostgreSQL, without payments or event bus. "Three endpoints" are the
// same node.
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { offramp as definition } from '../../apps/offramp/dist/offramp.js';
import { openEvmSandbox, openReader } from '../../libs/chains/dist/index.js';
import { EVENTS } from '../../libs/contracts/dist/index.js';
import { findAnvil, startLocalChain } from '../../libs/local-servers/dist/index.js';
import { Database, ensureServiceLogins, startEmbeddedPostgres } from '../../libs/persistence/dist/index.js';
import { loadSettings } from '../../libs/config/dist/index.js';
import { Metrics, createLogger, systemClock, uuidv7 } from '../../libs/runtime/dist/index.js';
import { openService } from '../../libs/service-host/dist/index.js';
import { testContext } from '../../libs/service-host/dist/test-context.js';
import { CHAIN, sendDeposits } from './deposits.mjs';
import { processorSeconds } from './machine.mjs';

const WAYS = [
  { endpoints: 1, agree: 1 },
  { endpoints: 3, agree: 2 },
];
const PARTNERS = [1, 2];
const READERS = 16;
const DELIVERIES = 8;
/** Longer than an endpoint's newest blocks are cached. */
const UNSHARED_MS = 600;
const JUDGED_WITHIN_MS = 120_000;
const PASSWORD = 'of-the-bench-alone-0';

const [count, rounds, alone] = process.argv.slice(2).map(Number);
const log = createLogger('bench', { level: 'warn' });
const anvil = await findAnvil();
if (anvil.ok) process.stdout.write(JSON.stringify(await measureAll()));
else process.stdout.write(JSON.stringify({ missing: anvil.why }));

async function measureAll() {
  const folder = await mkdtemp(join(tmpdir(), 'vuka-bench-'));
  const server = await startEmbeddedPostgres({ folder: join(folder, 'postgres'), durable: true, log });
  const node = await startLocalChain({ folder: join(folder, 'chain'), chainId: CHAIN.chainId, log });
  try {
    await ensureServiceLogins(server, 'vuka', [{ name: 'offramp', password: PASSWORD }]);
    const hands = await openEvmSandbox(CHAIN, node.url);
    await hands.install();
    hands.close();
    const fixture = { server, node, hashes: undefined };
    const results = [];
    for (const way of WAYS) results.push(await measure(fixture, way));
    return { count, ways: results };
  } finally {
    await node.stop();
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function measure(fixture, { endpoints, agree }) {
  const urls = Array.from({ length: endpoints }, (_, index) => `${fixture.node.url}/?endpoint=${index + 1}`);
  const reader = await openReader({ chain: CHAIN, endpoints: urls, agree, log, clock: systemClock });
  const offramp = await openOfframp(fixture.server, urls, agree);
  try {
    const addresses = await Promise.all(PARTNERS.map((partner) => addressOf(offramp, partner)));
    fixture.hashes ??= await sendDeposits(fixture.node.url, addresses, count);
    const one = await verifiedAlone(offramp, fixture.hashes);
    let reads;
    let many;
    for (let round = 0; round < rounds; round += 1) {
      reads = better(reads, await readAll(reader, fixture.hashes, addresses));
      many = better(many, await verifyAll(offramp, fixture));
    }
    return { endpoints, agree, reads, many, alone: one, absent: await lookedForInVain(offramp) };
  } finally {
    await reader.close();
    await offramp.stop();
  }
}

function better(known, result) {
  return known === undefined || result.perSecond > known.perSecond ? result : known;
}

/** Offramp as in production, but with our event bus. */
async function openOfframp(server, urls, agree) {
  const settings = loadSettings({ VUKA_SANDBOX_CHAINS: 'none' });
  const metrics = new Metrics('offramp');
  const eventBus = { subscribe: ({ handle }) => ((eventBus.handle = handle), async () => undefined) };
  const context = testContext({
    settings: { ...settings, chains: { ...settings.chains, endpoints: { [CHAIN.name]: urls }, agree } },
    database: {
      host: server.host,
      port: server.port,
      user: 'vuka_offramp',
      password: PASSWORD,
      database: 'vuka',
      schema: 'offramp',
      maxConnections: 4,
      applicationName: 'bench',
    },
    jobs: { every: () => undefined },
    ...{ eventBus: eventBus, metrics, log },
  });
  const service = await openService(definition, context);
  await service.start();
  const { handlers } = service;
  const db = service.get(Database);
  return { handlers, db, metrics, deliver: (event) => eventBus.handle(event), stop: () => service.stop() };
}

async function addressOf({ handlers }, partner) {
  const networks = await handlers.listNetworks({ partner_id: partner }, {});
  return networks.value.networks.find(({ name }) => name === CHAIN.name).settlement_wallet_address;
}

async function readAll(reader, hashes, addresses) {
  const from = performance.now();
  await inLanes(READERS, hashes, async (hash, index) => {
    const { kind, reason } = await reader.read(hash, addresses[index % addresses.length], Date.now() + 10_000);
    if (kind !== 'found') throw new Error(`a read came to ${kind} ${reason ?? ''}`);
  });
  return { perSecond: hashes.length / ((performance.now() - from) / 1_000) };
}

async function verifyAll(offramp, { hashes, server, node }) {
  await forget(offramp);
  const used = () => {
    const { user, system } = process.cpuUsage();
    return [(user + system) / 1e6, processorSeconds(server.pid, { withChildren: true }), processorSeconds(node.pid)];
  };
  const [calls, before, from] = [await callsOf(offramp), used(), performance.now()];
  await inLanes(DELIVERIES, hashes, (hash, index) => offramp.deliver(claimOf(hash, index)));
  await judged(offramp, hashes.length);
  const wall = (performance.now() - from) / 1_000;
  const seconds = used().map((sofar, place) => sofar - before[place]);
  const [nodeShare, postgresShare, chainShare] = seconds.map((each) => each / wall);
  return {
    perSecond: hashes.length / wall,
    calls: ((await callsOf(offramp)) - calls) / hashes.length,
    seconds,
    nodeShare,
    postgresShare,
    chainShare,
  };
}

async function verifiedAlone(offramp, hashes) {
  await forget(offramp);
  await pause(UNSHARED_MS);
  const before = await callsOf(offramp);
  for (let index = 0; index < alone; index += 1) {
    await offramp.deliver(claimOf(hashes[index], index));
    await judged(offramp, index + 1);
    await pause(UNSHARED_MS);
  }
  const times = await offramp.db.query(
    'select extract(epoch from judged_at - created_at)::float * 1000 as ms from claims order by 1',
  );
  return { calls: ((await callsOf(offramp)) - before) / alone, ms: times[alone >> 1].ms };
}

async function lookedForInVain(offramp) {
  const found = [];
  for (const [claims, looks] of [
    [1, alone],
    [count, count],
  ]) {
    await forget(offramp);
    await pause(UNSHARED_MS);
    const before = [await callsOf(offramp), await looksOf(offramp)];
    await inLanes(DELIVERIES, Array.from({ length: claims }), (_, index) =>
      offramp.deliver(claimOf(`0x${randomBytes(32).toString('hex')}`, index)),
    );
    await until(async () => (await looksOf(offramp)) - before[1] >= looks);
    await offramp.db.query(`update claims set next_check_at = now() + interval '1 day'`);
    await pause(UNSHARED_MS);
    found.push(((await callsOf(offramp)) - before[0]) / ((await looksOf(offramp)) - before[1]));
  }
  return { callsAlone: found[0], callsMany: found[1] };
}

function forget({ db }) {
  return db.query('delete from deposits; delete from claims; delete from inbox; delete from outbox');
}

function judged({ db }, wanted) {
  return until(async () => {
    const [{ verified, others }] = await db.query(`
      select count(*) filter (where state = 'verified')::integer as verified, count(*) filter (where state in ('unusable', 'unapplied'))::integer as others from claims`);
    if (others > 0) throw new Error(`${others} claims were not verified`);
    return verified >= wanted;
  });
}

async function until(condition) {
  for (const giveUpAt = performance.now() + JUDGED_WITHIN_MS; !(await condition()); await pause(10)) {
    if (performance.now() > giveUpAt) throw new Error(`not within ${JUDGED_WITHIN_MS} ms`);
  }
}

/** JSON-RPC requests so far, without the check of the chain id once a minute. */
function callsOf({ metrics }) {
  return sumOf(metrics, /^vuka_chain_calls_total\{(?!.*eth_chainId).*\} (\d+)$/gm);
}

function looksOf({ metrics }) {
  return sumOf(metrics, /^vuka_offramp_checks_total\{.*\} (\d+)$/gm);
}

async function sumOf(metrics, line) {
  return [...(await metrics.text()).matchAll(line)].reduce((total, [, value]) => total + Number(value), 0);
}

async function inLanes(lanes, items, work) {
  let next = 0;
  const lane = async () => {
    for (let index = next++; index < items.length; index = next++) await work(items[index], index);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

function claimOf(hash, index) {
  const id = (claimOf.last = (claimOf.last ?? 0) + 1);
  const now = new Date().toISOString();
  return {
    ...{
      id: uuidv7(),
      type: 'transaction.awaiting-deposit',
      version: EVENTS['transaction.awaiting-deposit'].version,
      key: String(id),
      sequence: 1,
    },
    ...{
      occurredAt: now,
      correlationId: uuidv7(),
      causationId: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-00`,
      producer: 'payments',
    },
    data: {
      ...{
        transaction_id: id,
        partner_id: PARTNERS[index % PARTNERS.length],
        chain: CHAIN.name,
        transaction_hash: hash,
        asset: null,
      },
      ...{ currency: 'KES', amount_minor: '10000', quote_id: null, accepted_at: now },
    },
  };
}
