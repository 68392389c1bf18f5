// `node order-scan.mjs <orders> <ticks> <deposits>`: the cost of a chain poll while many orders wait. Prints JSON, `{
// missing }` without a node.
// Offramp's scan reads a real node and commits to its own durable PostgreSQL.
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { RecordPage } from '../../apps/offramp/dist/scans/record-page.js';
import { ScanChains } from '../../apps/offramp/dist/scans/scan-chains.js';
import { WatchedAddresses } from '../../apps/offramp/dist/scans/watched-addresses.js';
import { OrderClaims } from '../../apps/offramp/dist/orders/open-order-claims.js';
import { OFFRAMP_MIGRATIONS } from '../../apps/offramp/dist/store/migrations.js';
import { ScanStore } from '../../apps/offramp/dist/incoming-transfers/scan.store.js';
import { openEvmSandbox, openReader, SANDBOX_PAYER } from '../../libs/chains/dist/index.js';
import { findAnvil, startLocalChain } from '../../libs/local-servers/dist/index.js';
import { Database, ensureServiceLogins, startEmbeddedPostgres } from '../../libs/persistence/dist/index.js';
import { Metrics, WakeSignal, createLogger, systemClock } from '../../libs/runtime/dist/index.js';
import { askNode, tokenNamed } from '../../libs/testing/dist/index.js';
import { CHAIN, transferData } from './deposits.mjs';

const PASSWORD = 'of-the-bench-alone-0';
const TOKEN = tokenNamed(CHAIN.name, 'USDC');
const GAS = '0x30d40';
const NEW_ORDERS = 10;
/** Longer than any pause between two pages. */
const PAUSE_MS = 60_000;
const ROUND_TRIPS = 200;
const WARM_UP_TICKS = 5;

const [orders, ticks, deposits] = process.argv.slice(2).map(Number);
const log = createLogger('bench', { level: 'warn' });
const anvil = await findAnvil();
process.stdout.write(JSON.stringify(anvil.ok ? await measureAll() : { missing: anvil.why }));

async function measureAll() {
  const folder = await mkdtemp(join(tmpdir(), 'vuka-bench-'));
  const server = await startEmbeddedPostgres({ folder: join(folder, 'postgres'), durable: true, log });
  const node = await startLocalChain({ folder: join(folder, 'chain'), chainId: CHAIN.chainId, log });
  const hands = await openEvmSandbox(CHAIN, node.url);
  try {
    await ensureServiceLogins(server, 'vuka', [{ name: 'offramp', password: PASSWORD }]);
    const login = {
      host: server.host,
      port: server.port,
      user: 'vuka_offramp',
      password: PASSWORD,
      database: 'vuka',
      schema: 'offramp',
    };
    const db = await Database.connect({
      ...login,
      maxConnections: 4,
      applicationName: 'bench',
      migrations: OFFRAMP_MIGRATIONS,
    });
    await db.migrate();
    await hands.install();
    await hands.transfer({ asset: TOKEN.symbol, amount: '1', to: addresses(1)[0], mine: true });
    const fixture = { db, node, hands };
    const roundTrips = await roundTripsOf(node.url);
    const ways = [];
    for (const way of [
      { orders: 1, endpoints: 1, agree: 1 },
      { orders, endpoints: 1, agree: 1 },
      { orders, endpoints: 3, agree: 2 },
    ])
      ways.push(await measure(fixture, way));
    await db.close();
    return { ticks, deposits, newOrders: NEW_ORDERS, roundTrips, ways };
  } finally {
    hands.close();
    await node.stop();
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function measure(fixture, { orders: count, endpoints, agree }) {
  const { db, node } = fixture;
  for (const table of ['scan_cursors', 'incoming_transfers', 'deposits', 'claims', 'order_watches'])
    await db.query(`delete from ${table}`);
  let aheadMs = 0;
  const metrics = new Metrics('offramp');
  const clock = {
    now: () => new Date(systemClock.now().getTime() + aheadMs),
    monotonicMs: () => systemClock.monotonicMs() + aheadMs,
  };
  const urls = Array.from({ length: endpoints }, (_, index) => `${node.url}/?endpoint=${index + 1}`);
  const reader = await openReader({
    chain: CHAIN,
    endpoints: urls,
    agree,
    log,
    metrics,
    clock: { ...clock, now: () => systemClock.now() },
  });
  const scanner = new ScanChains(
    new ScanStore(db),
    new WatchedAddresses(db),
    new RecordPage(db, new OrderClaims(), new WakeSignal(), clock, log),
    new Map([[CHAIN.name, { chain: CHAIN, reader }]]),
    clock,
    log,
  );
  const tick = async () => {
    aheadMs += PAUSE_MS;
    const from = performance.now();
    await scanner.tick();
    await scanner.drain();
    return performance.now() - from;
  };
  try {
    const watched = await give(db, addresses(count));
    await tick();
    const times = [];
    let sent = 0;
    let before = 0;
    for (let number = 0; number < WARM_UP_TICKS + ticks; number += 1) {
      if (count > 1) watched.push(...(await give(db, addresses(NEW_ORDERS))));
      sent += await pay(fixture, watched);
      if (number === WARM_UP_TICKS) before = await callsOf(metrics);
      const took = await tick();
      if (number >= WARM_UP_TICKS) times.push(took);
    }
    const calls = ((await callsOf(metrics)) - before) / ticks;
    const [{ found }] = await db.query(`select (select count(*) from claims where state = 'open')::integer as found`);
    if (found !== sent) throw new Error(`${found} of ${sent} deposits have a claim`);
    return { orders: count, endpoints, agree, calls, ...quantiles(times) };
  } finally {
    await reader.close();
  }
}

function addresses(count) {
  return Array.from({ length: count }, () => `0x${randomBytes(20).toString('hex')}`);
}

async function give(db, given) {
  give.last ??= 5_000_000_000_000_000;
  await db.query(
    `insert into order_watches (order_number, partner_id, chain, asset, currency, amount_minor, rate, due_minor, family, address, created_at, expires_at, watch_until, correlation_id, causation_id)
     select $1::bigint + row_number() over (), 1, $2, 'USDC', 'KES', 100, '129.35', 1, 'evm', address, now(), now() + interval '1 day', now() + interval '2 days', 'c', 'c' from unnest($3::text[]) address`,
    [give.last, CHAIN.name, given],
  );
  give.last += given.length;
  return given;
}

async function pay({ node, hands }, watched) {
  const count = Math.min(deposits, watched.length);
  const from = Number(
    (await askNode(node.url, [{ method: 'eth_getTransactionCount', params: [SANDBOX_PAYER, 'pending'] }]))[0],
  );
  const start = Math.floor(Math.random() * watched.length);
  const calls = Array.from({ length: count }, (_, index) => {
    const data = transferData(watched[(start + index) % watched.length], 10n ** BigInt(TOKEN.decimals));
    return {
      method: 'eth_sendTransaction',
      params: [{ from: SANDBOX_PAYER, to: TOKEN.address, data, gas: GAS, nonce: `0x${(from + index).toString(16)}` }],
    };
  });
  await askNode(node.url, calls);
  await hands.mine(1);
  return count;
}

async function roundTripsOf(url) {
  const times = [];
  for (let trip = 0; trip < ROUND_TRIPS; trip += 1) {
    const from = performance.now();
    await askNode(url, [{ method: 'eth_blockNumber', params: [] }]);
    times.push(performance.now() - from);
  }
  return quantiles(times);
}

function quantiles(times) {
  const sorted = times.sort((a, b) => a - b);
  const at = (share) => sorted[Math.ceil(sorted.length * share) - 1];
  return { p50: at(0.5), p99: at(0.99), most: at(1) };
}

/** JSON-RPC requests so far, without the check of the chain id once a minute. */
async function callsOf(metrics) {
  return [...(await metrics.text()).matchAll(/^vuka_chain_calls_total\{(?!.*eth_chainId).*\} (\d+)$/gm)].reduce(
    (total, [, value]) => total + Number(value),
    0,
  );
}
